import type { ModelMessage, Tool, ToolApprovalStatus } from 'ai'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createToolEngine } from '../../../test/tool-engine.ts'
import { answer, callTools, untilState } from '../../testing/index.ts'
import type { ToolPluginOptions } from './options.ts'

const inputSchema = z.object({ path: z.string().transform((path) => `/root/${path}`) })
const write = { toolCallId: '1', toolName: 'write', input: { path: 'a.txt' } }

/** Sends one call through the rules, and says what became of it. */
async function decide(rules: ToolPluginOptions, call = write) {
  const runs: unknown[] = []
  const made = createToolEngine([callTools(call), answer('ok')], {
    ...rules,
    tools: {
      write: { inputSchema, execute: (input: unknown) => void runs.push(input) },
      ...rules.tools,
    },
  })
  const { requestState } = await made.engine.sendMessage('go')
  return { ...made, runs, requestState, part: made.calls()[0] }
}

const asked = { requestState: 'paused', part: { state: 'approval-requested' }, runs: [] }
const ran = { requestState: 'completed', part: { state: 'output-available' }, runs: [{}] }
const denied = { requestState: 'completed', part: { state: 'output-denied' }, runs: [] }

const statuses: [string, ToolApprovalStatus, object][] = [
  ['nothing', undefined, ran],
  ['not-applicable', 'not-applicable', ran],
  ['approved', 'approved', ran],
  ['user-approval', 'user-approval', asked],
  ['denied', 'denied', denied],
  ['approved with a reason', { type: 'approved', reason: 'why' }, ran],
  ['user-approval with a reason', { type: 'user-approval', reason: 'why' }, asked],
  ['denied with a reason', { type: 'denied', reason: 'why' }, denied],
]

describe('toolApproval', () => {
  it.each(statuses)('decides as a status per tool: %s', async (_name, status, outcome) => {
    expect(await decide({ toolApproval: { write: status } })).toMatchObject(outcome)
  })

  it.each(statuses)('decides as a function per tool: %s', async (_name, status, outcome) => {
    for (const rule of [() => status, async () => status]) {
      expect(await decide({ toolApproval: { write: rule } })).toMatchObject(outcome)
    }
  })

  it.each(statuses)('decides as one function for all: %s', async (_name, status, outcome) => {
    for (const toolApproval of [() => status, async () => status]) {
      expect(await decide({ toolApproval })).toMatchObject(outcome)
    }
  })

  it('tells the person why it asks', async () => {
    const { part } = await decide({
      toolApproval: { write: { type: 'user-approval', reason: 'outside of the folder' } },
    })
    expect(part).toMatchObject({ approval: { requestReason: 'outside of the folder' } })
  })

  it.each([
    ['one function for all', () => Promise.reject(new Error('policy down'))],
    ['a function per tool', { write: () => Promise.reject(new Error('policy down')) }],
  ])('asks a person when it throws, and says why: %s', async (_name, toolApproval) => {
    const outcome = await decide({ toolApproval })
    expect(outcome).toMatchObject(asked)
    expect(outcome.part).toMatchObject({
      approval: { requestReason: 'The check of this call failed: policy down' },
    })
  })

  it.each([[null], [42], [true], ['maybe'], [''], [{}], [{ type: 'yes' }], [[]]])(
    'asks a person when its answer is none: %j',
    async (garbage) => {
      expect(await decide({ toolApproval: () => garbage as never })).toMatchObject(asked)
      expect(await decide({ toolApproval: { write: () => garbage as never } })).toMatchObject(asked)
    },
  )

  it('is reported once when its answer is none, and the yes of a person lets the call run', async () => {
    for (const toolApproval of [{ write: 'user_approval' as never }, () => ({}) as never]) {
      const { engine, resume, completed, errors, runs } = await decide({ toolApproval })
      expect(errors).toMatchObject([{ code: 'unknown_verdict' }])
      await resume({ toolCallId: '1' })
      await completed()
      expect(runs).toHaveLength(1)
      expect(errors).toHaveLength(1)
      expect(engine.getState().requestState).toBe('completed')
    }
  })

  it('is told when it is asked once more, after a yes', async () => {
    const told: unknown[] = []
    const rules: ToolPluginOptions[] = [
      {
        toolApproval: {
          write: (_input, details) => {
            told.push(Reflect.get(details, 'isDecided'))
            return 'user-approval'
          },
        },
      },
      {
        toolApproval: (details) => {
          told.push(Reflect.get(details, 'isDecided'))
          return 'user-approval'
        },
      },
    ]
    for (const one of rules) {
      const { engine, runs } = await decide(one)
      await engine.runPluginCommand('tool', 'resumeToolCall', { toolCallId: '1' })
      await untilState(engine, ({ requestState }) => requestState === 'completed')
      expect(runs).toHaveLength(1)
      expect([...new Set(told.splice(0))]).toEqual([undefined, true])
    }
  })

  it('is given what it is given in the AI SDK, with the input as the tool gets it', async () => {
    const given: unknown[] = []
    const messages: ModelMessage[] = [{ role: 'user', content: 'go' }]
    const contexts = {
      toolsContext: { write: { user: 'ada' } },
      runtimeContext: { tenant: 7 },
      toModelMessages: () => messages,
    }
    await decide({ ...contexts, toolApproval: { write: (...args) => void given.push(args) } })
    await decide({ ...contexts, toolApproval: (details) => void given.push(details) })
    const input = { path: '/root/a.txt' }
    expect(given).toEqual([
      [
        input,
        { toolCallId: '1', messages, toolContext: { user: 'ada' }, runtimeContext: { tenant: 7 } },
      ],
      {
        toolCall: { ...write, type: 'tool-call', input, dynamic: false },
        tools: { write: expect.objectContaining({ inputSchema }) },
        messages,
        toolsContext: contexts.toolsContext,
        runtimeContext: { tenant: 7 },
      },
    ])
  })
})

describe('the needsApproval of a tool', () => {
  const needing = (needsApproval: Tool['needsApproval']) => ({
    tools: { write: { inputSchema, needsApproval, execute: () => 'written' } },
  })

  it.each([
    ['true', needing(true)],
    ['a function', needing(({ path }: { path: string }) => path === '/root/a.txt')],
    ['an async function', needing(async () => true)],
    ['a function that throws', needing(() => Promise.reject(new Error('down')))],
  ])('asks a person: %s', async (_name, rules) => {
    expect(await decide(rules)).toMatchObject(asked)
  })

  it.each([
    ['false', needing(false)],
    ['a function', needing(() => false)],
  ])('lets the call run: %s', async (_name, rules) => {
    expect(await decide(rules)).toMatchObject({ requestState: 'completed' })
  })

  it.each([
    ['a status', { write: 'not-applicable' as const }],
    ['a function per tool', { write: () => undefined }],
    ['one function for all', () => undefined],
  ])(
    'counts where toolApproval is configured and says nothing: %s',
    async (_name, toolApproval) => {
      expect(await decide({ ...needing(true), toolApproval })).toMatchObject(asked)
    },
  )

  it('counts where toolApproval is about other tools', async () => {
    expect(
      await decide({ ...needing(true), knownTools: ['read'], toolApproval: { read: 'approved' } }),
    ).toMatchObject(asked)
  })
})

describe('a call that rules decide', () => {
  it('records an approval natively, as automatic and with its reason', async () => {
    const { part, engine } = await decide({
      toolApproval: { write: { type: 'approved', reason: 'inside the folder' } },
    })
    expect(part).toMatchObject({
      state: 'output-available',
      approval: { approved: true, isAutomatic: true, reason: 'inside the folder' },
      toolMetadata: { assent: { decidedBy: 'rule' } },
    })
    expect(engine.getState().confirmations).toEqual([])
  })

  it('records nothing when no rule speaks about it', async () => {
    const { part } = await decide({})
    expect(part).not.toHaveProperty('approval')
  })

  it('is denied with a reason that reaches the model', async () => {
    const { sentCalls, transport } = await decide({
      toolApproval: { write: { type: 'denied', reason: 'read only' } },
    })
    expect(sentCalls(2)).toMatchObject([
      {
        state: 'output-denied',
        approval: { approved: false, isAutomatic: true, reason: 'read only' },
      },
    ])
    expect(transport.requests).toHaveLength(2)
  })
})

describe('shouldPauseToolCall', () => {
  it.each([
    ['asks', 'approved', true, asked],
    ['asks', undefined, true, asked],
    ['lets run', 'approved', false, ran],
    ['cannot lower an ask', 'user-approval', false, asked],
    ['agrees with an ask', 'user-approval', true, asked],
    ['cannot lower a denial', 'denied', true, denied],
  ] as const)('%s beside a toolApproval of %s', async (_name, status, isPaused, outcome) => {
    const rules = { toolApproval: { write: status } }
    expect(await decide({ ...rules, shouldPauseToolCall: () => isPaused })).toMatchObject(outcome)
    expect(await decide({ ...rules, shouldPauseToolCall: async () => isPaused })).toMatchObject(
      outcome,
    )
  })

  it('is not asked about a call that is denied', async () => {
    const calls: unknown[] = []
    await decide({
      toolApproval: { write: 'denied' },
      shouldPauseToolCall: (call) => calls.push(call) > 0,
    })
    expect(calls).toEqual([])
  })

  it('is given the call and the context', async () => {
    const given: unknown[] = []
    const { engine } = await decide({
      shouldPauseToolCall: (call, { turn, getState }) => {
        given.push(call, turn?.id, getState().messages.length)
        return false
      },
    })
    expect(given).toEqual([
      expect.objectContaining({ ...write, step: 1, input: { path: '/root/a.txt' } }),
      engine.getState().turn?.id,
      2,
    ])
  })

  it('that throws asks, and says the reason of toolApproval where that asks already', async () => {
    const shouldPauseToolCall = () => {
      throw new Error('down')
    }
    const failed = await decide({ toolApproval: { write: 'approved' }, shouldPauseToolCall })
    expect(failed).toMatchObject(asked)
    expect(failed.part?.approval).toMatchObject({ requestReason: expect.stringContaining('down') })
    for (const rule of [shouldPauseToolCall, () => true]) {
      const asking = await decide({
        toolApproval: { write: { type: 'user-approval', reason: 'big' } },
        shouldPauseToolCall: rule,
      })
      expect(asking.part?.approval).toMatchObject({ requestReason: 'big' })
    }
  })
})
