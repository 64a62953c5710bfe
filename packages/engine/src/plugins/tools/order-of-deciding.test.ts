import { tool, type ToolApprovalStatus } from 'ai'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { callOf, guardedTools, pausedIn, waitingIds } from '../../../test/guarded-tools.ts'
import { createToolEngine } from '../../../test/tool-engine.ts'
import { answer, callTools, untilState } from '../../testing/index.ts'
import type { ToolPluginOptions } from './options.ts'

type Rule = () => ToolApprovalStatus

/** A yes or an always on call 1, then call 2 under a rule of its own. */
async function decideSecond(rule: Rule, outcome: 'yes' | 'yes_always' = 'yes') {
  const rules = new Map([['2', rule]])
  const { runs, options } = guardedTools({
    toolApproval: {
      write: (_input: unknown, { toolCallId }: { toolCallId: string }) =>
        rules.get(toolCallId)?.() ?? 'user-approval',
    },
  })
  const made = createToolEngine(
    [callTools(callOf('1')), callTools(callOf('2')), answer('ok')],
    options,
  )
  await made.engine.sendMessage('go')
  const scope = { covers: 'tool' } as const
  await made.resume({ toolCallId: '1', outcome, ...(outcome === 'yes_always' && { scope }) })
  const { requestState } = await untilState(made.engine, ({ requestState, turn }) => {
    return requestState === 'completed' || (requestState === 'paused' && turn?.step === 2)
  })
  return { ...made, runs, requestState, rules }
}

const failing: Rule = () => {
  throw new Error('policy down')
}

describe('what decides a call, the strongest first', () => {
  it.each([
    ['a deny, whatever stands', 'denied', 'yes_always', 'output-denied'],
    ['a check that fails, which no always lowers', 'fails', 'yes_always', 'approval-requested'],
    ['an always, which lowers an ask', 'user-approval', 'yes_always', 'output-available'],
    ['an ask, where nothing lowers it', 'user-approval', 'yes', 'approval-requested'],
    ['nothing: it runs', 'not-applicable', 'yes', 'output-available'],
  ] as const)('is %s', async (_name, says, outcome, state) => {
    const rule: Rule = says === 'fails' ? failing : () => says
    const { engine, calls, runs, requestState } = await decideSecond(rule, outcome)
    expect(calls()[1]).toMatchObject({ state })
    const isAsked = state === 'approval-requested'
    expect(requestState).toBe(isAsked ? 'paused' : 'completed')
    expect(waitingIds(engine)).toEqual(isAsked ? ['2'] : [])
    const isRun = state === 'output-available'
    expect(runs).toEqual(['write 1.txt', ...(isRun ? ['write 2.txt'] : [])])
  })

  it('is an explicit yes above a check that asks, though not above a deny that comes later', async () => {
    for (const [status, isRun] of [
      ['user-approval', true],
      ['denied', false],
    ] as const) {
      const { resume, completed, rules, runs } = await decideSecond(() => 'user-approval')
      rules.set('2', () => status)
      await resume({ toolCallId: '2' })
      await completed()
      expect(runs).toEqual(['write 1.txt', ...(isRun ? ['write 2.txt'] : [])])
    }
  })

  it('is a person once a check has failed: the card says why, and no new always settles it', async () => {
    let isDown = true
    const { options, runs } = guardedTools({
      toolApproval: {
        write: (_input: unknown, { toolCallId }: { toolCallId: string }) => {
          if (toolCallId === '2' && isDown) throw new Error('policy down')
          return 'user-approval' as const
        },
      },
    })
    const { engine, resume, completed, calls } = createToolEngine(
      [callTools([callOf('1'), callOf('2'), callOf('3')]), answer('ok')],
      options,
    )
    await engine.sendMessage('go')
    expect(calls()[1]).toMatchObject({
      approval: { requestReason: expect.stringContaining('policy down') },
      toolMetadata: { assent: { checkFailed: true } },
    })
    expect(
      await resume({ toolCallId: '1', outcome: 'yes_always', scope: { covers: 'tool' } }),
    ).toMatchObject({
      result: { settled: [{ toolCallId: '3' }] },
    })
    expect(waitingIds(engine)).toEqual(['2'])
    isDown = false
    await resume({ toolCallId: '2' })
    await completed()
    expect(runs).toEqual(['write 1.txt', 'write 2.txt', 'write 3.txt'])
    expect(calls()[1]?.toolMetadata?.['assent']).not.toHaveProperty('checkFailed')
  })
})

describe('the check right before a call runs', () => {
  /** Three calls that were decided, of which one may run at a time. */
  function behindOnePlace(gate: 'step' | 'call') {
    const rules = new Map<string, Rule>()
    const runs: string[] = []
    const started = Promise.withResolvers<void>()
    const first = Promise.withResolvers<string>()
    const options: ToolPluginOptions = {
      gate,
      concurrency: 1,
      tools: {
        write: tool({
          inputSchema: z.object({ path: z.string() }),
          execute: (_input, { toolCallId }) => {
            runs.push(toolCallId)
            if (toolCallId !== '1') return 'written'
            started.resolve()
            return first.promise
          },
        }),
      },
      toolApproval: {
        write: (_input, { toolCallId }) => rules.get(toolCallId)?.() ?? 'user-approval',
      },
    }
    const made = createToolEngine(
      [callTools([callOf('1'), callOf('2'), callOf('3')]), answer('ok')],
      options,
    )
    return { ...made, rules, runs, started: started.promise, first }
  }

  it.each(['step', 'call'] as const)(
    "finds a deny that came while it waited for a place, with gate '%s'",
    async (gate) => {
      const { engine, resume, completed, rules, runs, started, first, calls } = behindOnePlace(gate)
      await engine.sendMessage('go')
      for (const toolCallId of ['1', '2', '3']) await resume({ toolCallId })
      await started
      rules.set('2', () => ({ type: 'denied', reason: 'Locked meanwhile.' }))
      first.resolve('written')
      await completed()
      expect(runs).toEqual(['1', '3'])
      expect(calls()[1]).toMatchObject({
        state: 'output-denied',
        approval: { reason: 'Locked meanwhile.' },
      })
    },
  )

  it.each(['step', 'call'] as const)(
    "asks the person again when it fails behind a place, with gate '%s'",
    async (gate) => {
      const { engine, resume, completed, rules, runs, started, first } = behindOnePlace(gate)
      await engine.sendMessage('go')
      for (const toolCallId of ['1', '2', '3']) await resume({ toolCallId })
      await started
      rules.set('2', failing)
      first.resolve('written')
      await pausedIn(engine, 1)
      expect(waitingIds(engine)).toEqual(['2'])
      expect(runs).not.toContain('2')
      rules.delete('2')
      await resume({ toolCallId: '2' })
      await completed()
      expect(runs.toSorted()).toEqual(['1', '2', '3'])
    },
  )

  it('finds an input that is not the one which was decided, and asks about that', async () => {
    const { options, runs } = guardedTools()
    const { engine, resume, completed, calls } = createToolEngine(
      [callTools([callOf('1', 'write', 'seen.txt'), callOf('2')]), answer('ok')],
      options,
      {
        plugins: [
          {
            name: 'meddler',
            commands: {
              meddle: (_payload, { getState, updateMessage }) => {
                const { id } = getState().messages.at(-1)!
                updateMessage(id, (message) => ({
                  ...message,
                  parts: message.parts.map((part) =>
                    'toolCallId' in part && part.toolCallId === '1'
                      ? Object.assign({}, part, { input: { path: 'hidden.txt' } })
                      : part,
                  ),
                }))
              },
            },
          },
        ],
      },
    )
    await engine.sendMessage('go')
    await resume({ toolCallId: '1' })
    await engine.runPluginCommand('meddler', 'meddle')
    await resume({ toolCallId: '2' })
    await pausedIn(engine, 1)
    expect(waitingIds(engine)).toEqual(['1'])
    expect(calls()[0]).toMatchObject({
      state: 'approval-requested',
      input: { path: 'hidden.txt' },
      approval: { requestReason: expect.stringMatching(/changed after it was approved/) },
    })
    expect(runs).toEqual([])
    await resume({ toolCallId: '1', outcome: 'no' })
    await completed()
    expect(runs).toEqual(['write 2.txt'])
  })
})
