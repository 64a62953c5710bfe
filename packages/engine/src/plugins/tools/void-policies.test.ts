import { tool, type FlexibleSchema } from 'ai'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { ToolCallConfirmation } from '../../confirmation.ts'
import { callOf, guardedTools, pausedIn, saved, waitingIds } from '../../../test/guarded-tools.ts'
import { createToolEngine } from '../../../test/tool-engine.ts'
import {
  answer,
  approvalRequestChunks,
  callTools,
  responseChunks,
  stepChunks,
  toolCallChunks,
  toolOutputChunks,
  untilState,
} from '../../testing/index.ts'
import type { ToolPluginOptions } from './options.ts'
import { deriveApprovalPolicies } from './policies.ts'

/** A tool whose call `1` ends as it is told to. */
function firstCallThat(end: (signal: AbortSignal) => unknown, more: ToolPluginOptions = {}) {
  const runs: string[] = []
  const started = Promise.withResolvers<void>()
  const tools: ToolPluginOptions = {
    tools: {
      write: tool({
        inputSchema: z.object({ path: z.string() }),
        execute: ({ path }, { toolCallId, abortSignal }) => {
          runs.push(path)
          if (toolCallId !== '1') return 'written'
          started.resolve()
          return end(abortSignal ?? new AbortController().signal)
        },
      }),
      remove: { inputSchema: z.object({ path: z.string() }), execute: () => 'removed' },
    },
    toolApproval: { write: 'user-approval', remove: 'user-approval' },
    ...more,
  }
  return { runs, started, tools }
}

const eventsOf = ({ engine }: ReturnType<typeof createToolEngine>) =>
  engine.getState().confirmations.flatMap((one) => ('event' in one ? [one.event] : []))

describe('an always on a call that failed', () => {
  const fails = () => {
    throw new Error('disk full')
  }

  it('is void: the calls that it had let wait for a place are asked about again', async () => {
    const { runs, tools } = firstCallThat(fails, { concurrency: 1 })
    const made = createToolEngine(
      [callTools([callOf('1'), callOf('2'), callOf('3')]), answer('ok')],
      tools,
    )
    const { engine, resume, completed, calls } = made
    await engine.sendMessage('go')
    expect(
      await resume({ toolCallId: '1', outcome: 'yes_always', scope: { covers: 'tool' } }),
    ).toMatchObject({
      result: { settled: [{ toolCallId: '2' }, { toolCallId: '3' }] },
    })
    await pausedIn(engine, 1)
    expect(runs).toEqual(['1.txt'])
    expect(waitingIds(engine)).toEqual(['2', '3'])
    expect(eventsOf(made)).toEqual(['used', 'used', 'call-failed'])
    expect(calls()[1]).toMatchObject({
      state: 'approval-requested',
      approval: { requestReason: expect.stringMatching(/no longer holds/) },
    })
    await resume({ toolCallId: '2' })
    await resume({ toolCallId: '3', outcome: 'no' })
    await completed()
    expect(runs).toEqual(['1.txt', '2.txt'])
  })

  it('is void for later steps and later turns, and the history says why', async () => {
    const { tools } = firstCallThat(fails)
    const made = createToolEngine(
      [callTools(callOf('1')), callTools(callOf('2')), answer('ok'), callTools(callOf('3'))],
      tools,
    )
    const { engine, resume, completed } = made
    await engine.sendMessage('go')
    await resume({ toolCallId: '1', outcome: 'yes_always', scope: { covers: 'tool' } })
    await pausedIn(engine, 2)
    expect(waitingIds(engine)).toEqual(['2'])
    await resume({ toolCallId: '2' })
    await completed()
    expect(await engine.sendMessage('again')).toMatchObject({ requestState: 'paused' })
    expect(eventsOf(made)).toEqual(['call-failed'])
    const { confirmations } = engine.getState()
    expect(deriveApprovalPolicies(confirmations, { now: 0 })).toMatchObject([{ status: 'void' }])
  })

  it('is void too when its time is up', async () => {
    const { tools } = firstCallThat(() => new Promise(() => undefined), { timeoutMs: 1 })
    const made = createToolEngine([callTools(callOf('1')), callTools(callOf('2'))], tools)
    await made.engine.sendMessage('go')
    await made.resume({ toolCallId: '1', outcome: 'yes_always', scope: { covers: 'tool' } })
    await pausedIn(made.engine, 2)
    expect(waitingIds(made.engine)).toEqual(['2'])
    expect(eventsOf(made)).toEqual(['call-failed'])
  })

  it('is void too when the step is asked for anew, and its namesake there fails: rather one question too many', async () => {
    const { tools } = firstCallThat(fails)
    const made = createToolEngine(
      [callTools(callOf('0', 'remove')), callTools([callOf('1'), callOf('2', 'remove')])],
      tools,
    )
    await made.engine.sendMessage('go')
    await made.resume({ toolCallId: '0' })
    await pausedIn(made.engine, 2)
    await made.resume({ toolCallId: '1', outcome: 'yes_always', scope: { covers: 'tool' } })
    await made.engine.abort()
    made.transport.add(callTools(callOf('1')), callTools(callOf('3')))
    expect(await made.engine.retry()).toMatchObject({ requestState: 'paused' })
    expect(waitingIds(made.engine)).toEqual(['3'])
    expect(eventsOf(made)).toEqual(['used', 'call-failed'])
  })

  it('stands when a person stopped the call: that is no failure of it', async () => {
    const { tools, runs, started } = firstCallThat(() => new Promise(() => undefined))
    const made = createToolEngine(
      [callTools(callOf('1')), callTools(callOf('2')), answer('ok')],
      tools,
    )
    await made.engine.sendMessage('go')
    await made.resume({ toolCallId: '1', outcome: 'yes_always', scope: { covers: 'tool' } })
    await started.promise
    await made.engine.runPluginCommand('tool', 'cancelToolCall', { toolCallId: '1' })
    await made.completed()
    expect(runs).toEqual(['1.txt', '2.txt'])
    expect(eventsOf(made)).toEqual(['used'])
  })

  it('stands when its turn was aborted while it ran', async () => {
    const { tools, runs, started } = firstCallThat(() => new Promise(() => undefined))
    const made = createToolEngine([callTools(callOf('1'))], tools)
    await made.engine.sendMessage('go')
    await made.resume({ toolCallId: '1', outcome: 'yes_always', scope: { covers: 'tool' } })
    await started.promise
    await made.engine.abort()
    made.transport.add(callTools(callOf('2')), answer('ok'))
    expect(await made.engine.sendMessage('again')).toMatchObject({ requestState: 'completed' })
    expect(runs).toEqual(['1.txt', '2.txt'])
    expect(eventsOf(made)).toEqual(['used'])
  })

  it('stands when a person answered for the call that there is nothing to give', async () => {
    const { tools, runs } = firstCallThat(fails)
    const made = createToolEngine(
      [callTools([callOf('1'), callOf('2', 'remove')]), callTools(callOf('3')), answer('ok')],
      tools,
    )
    await made.engine.sendMessage('go')
    await made.resume({ toolCallId: '1', outcome: 'yes_always', scope: { covers: 'tool' } })
    await made.engine.runPluginCommand('tool', 'submitToolOutput', {
      toolCallId: '1',
      errorText: 'I have done it by hand.',
    })
    await made.resume({ toolCallId: '2', outcome: 'no' })
    await made.completed()
    expect(runs).toEqual(['3.txt'])
    expect(eventsOf(made)).toEqual(['used'])
  })

  it('is void after a reload as well, from messages and history alone', async () => {
    const { tools } = firstCallThat(fails)
    const first = createToolEngine([callTools(callOf('1')), answer('ok')], tools)
    await first.engine.sendMessage('go')
    await first.resume({ toolCallId: '1', outcome: 'yes_always', scope: { covers: 'tool' } })
    await first.completed()
    const { messages, confirmations } = saved(first.engine.getState())
    const second = createToolEngine([callTools(callOf('2'))], tools, {
      messages,
      confirmations,
      id: first.engine.id,
    })
    expect(await second.engine.sendMessage('again')).toMatchObject({ requestState: 'paused' })
  })

  it('is void also when the turn failed with it and its answer is asked for anew', async () => {
    const guarded = (toolCallId: string) => [
      ...toolCallChunks(callOf(toolCallId, 'deploy')),
      ...approvalRequestChunks({ toolCallId, signature: `signed ${toolCallId}` }),
    ]
    const made = createToolEngine(
      [
        responseChunks({ messageId: 'a', finishReason: 'tool-calls' }, stepChunks(guarded('1'))),
        [
          { type: 'start' },
          { type: 'tool-output-error', toolCallId: '1', errorText: 'no disk' },
          { type: 'error', errorText: 'the server failed' },
        ],
        responseChunks({ messageId: 'b', finishReason: 'tool-calls' }, stepChunks(guarded('2'))),
      ],
      {},
    )
    const { engine, resume } = made
    await engine.sendMessage('go')
    await resume({ toolCallId: '1', outcome: 'yes_always', scope: { covers: 'tool' } })
    await untilState(engine, ({ requestState }) => requestState === 'error')
    // With the answer goes the call that shows why the policy is void.
    expect(await engine.regenerate()).toMatchObject({ requestState: 'paused' })
    expect(waitingIds(engine)).toEqual(['2'])
    expect(eventsOf(made)).toEqual(['call-failed'])
  })
})

describe('an always for a tool that takes another input now', () => {
  const withMode = { path: z.string(), mode: z.string().optional() }

  it('is void, says so in the history, and its calls are asked about', async () => {
    const { runs, options } = guardedTools()
    const first = createToolEngine([callTools(callOf('1')), answer('ok')], options)
    await first.engine.sendMessage('go')
    await first.resume({
      toolCallId: '1',
      outcome: 'yes_always',
      scope: { covers: 'tool', where: 'everywhere' },
    })
    await first.completed()
    const { confirmations } = saved(first.engine.getState())
    expect(confirmations[0]).toHaveProperty('schema')

    const same = guardedTools()
    const still = createToolEngine([callTools(callOf('2')), answer('ok')], same.options, {
      confirmations,
    })
    expect(await still.engine.sendMessage('go')).toMatchObject({ requestState: 'completed' })
    expect(same.runs).toEqual(['write 2.txt'])

    const changed = guardedTools({
      tools: { write: { inputSchema: z.object(withMode), execute: () => 'written' } },
    })
    const other = createToolEngine([callTools(callOf('2')), answer('ok')], changed.options, {
      confirmations,
    })
    expect(await other.engine.sendMessage('go')).toMatchObject({ requestState: 'paused' })
    expect(eventsOf(other)).toEqual(['schema-changed'])
    expect(runs).toEqual(['write 1.txt'])
  })
})

describe('an always for a tool that this engine does not have', () => {
  it('is not ended by it, and covers calls again where the tool is', async () => {
    const { options } = guardedTools()
    const page = createToolEngine([callTools(callOf('1')), answer('ok')], options)
    await page.engine.sendMessage('go')
    await page.resume({
      toolCallId: '1',
      outcome: 'yes_always',
      scope: { covers: 'tool', where: 'everywhere' },
    })
    await page.completed()
    const { confirmations } = saved(page.engine.getState())

    const elsewhere = { status: { inputSchema: z.object({}), execute: () => 'fine' } }
    const worker = createToolEngine(
      [callTools(callOf('2', 'status')), answer('ok')],
      { tools: elsewhere },
      { confirmations },
    )
    await worker.engine.sendMessage('go')
    expect(eventsOf(worker)).toEqual([])

    const again = guardedTools()
    const back = createToolEngine([callTools(callOf('3')), answer('ok')], again.options, {
      confirmations: worker.engine.getState().confirmations,
    })
    expect(await back.engine.sendMessage('go')).toMatchObject({ requestState: 'completed' })
    expect(again.runs).toEqual(['write 3.txt'])
  })

  it('lets no call run there, as nobody can tell whether it takes the same input', () => {
    const confirmation: ToolCallConfirmation = {
      id: 'p',
      conversationId: 'c',
      messageId: 'm',
      step: 0,
      toolCallId: '1',
      toolName: 'write',
      fingerprint: 'f',
      schema: 's',
      outcome: 'yes_always',
      scope: { covers: 'tool', where: 'everywhere' },
      at: 0,
    }
    const statusWith = (tools: ReadonlyMap<string, string | undefined>) =>
      deriveApprovalPolicies([confirmation], { now: 1, tools })[0]?.status
    expect(statusWith(new Map())).toBe('void')
    expect(statusWith(new Map([['write', 's']]))).toBe('standing')
  })

  it('ends where the tool has an input now that no JSON Schema can tell', async () => {
    const { options } = guardedTools()
    const before = createToolEngine([callTools(callOf('1')), answer('ok')], options)
    await before.engine.sendMessage('go')
    await before.resume({
      toolCallId: '1',
      outcome: 'yes_always',
      scope: { covers: 'tool', where: 'everywhere' },
    })
    await before.completed()
    const inputSchema: FlexibleSchema = {
      '~standard': { version: 1, vendor: 'own', validate: (value) => ({ value }) },
    }
    const untold = guardedTools({ tools: { write: { inputSchema, execute: () => 'written' } } })
    const { confirmations } = saved(before.engine.getState())
    const turns = [callTools(callOf('2')), answer('ok')]
    const after = createToolEngine(turns, untold.options, { confirmations })
    await after.engine.sendMessage('go')
    expect(eventsOf(after)).toEqual(['schema-changed'])
  })
})

describe('an always that ends before the answer that it gave for a server is sent', () => {
  it('does not answer any more: the person is asked, and nothing is sent meanwhile', async () => {
    let now = 1_000
    const guarded = (toolCallId: string, toolName = 'deploy') => [
      ...toolCallChunks(callOf(toolCallId, toolName)),
      ...approvalRequestChunks({ toolCallId, signature: `signed ${toolCallId}` }),
    ]
    const asking = (...chunks: ReturnType<typeof guarded>[]) =>
      responseChunks({ messageId: 'a', finishReason: 'tool-calls' }, stepChunks(...chunks))
    const { engine, resume, completed, transport, sentCalls } = createToolEngine(
      [
        asking(guarded('1')),
        [
          { type: 'start' },
          ...toolOutputChunks('1', 'deployed'),
          ...asking(guarded('2'), guarded('3', 'drop')).slice(1),
        ],
        [{ type: 'start' }, ...toolOutputChunks('3', 'dropped'), ...answer('ok').slice(1)],
      ],
      {},
      { now: () => now },
    )
    await engine.sendMessage('go')
    await resume({
      toolCallId: '1',
      outcome: 'yes_always',
      scope: { covers: 'tool', until: 2_000 },
    })
    await pausedIn(engine, 2)
    expect(waitingIds(engine)).toEqual(['3'])
    now = 2_000
    await resume({ toolCallId: '3' })
    await pausedIn(engine, 2)
    expect(transport.requests).toHaveLength(2)
    expect(waitingIds(engine)).toEqual(['2'])
    await resume({ toolCallId: '2', outcome: 'no' })
    await completed()
    expect(sentCalls(3).slice(1)).toMatchObject([
      { approval: { approved: false, signature: 'signed 2' } },
      { approval: { approved: true } },
    ])
  })
})
