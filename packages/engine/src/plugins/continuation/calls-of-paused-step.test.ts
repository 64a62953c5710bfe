import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  createContinuingEngine,
  ended,
  final,
  found,
  paused,
  searching,
} from '../../../test/paused-steps.ts'
import { callOf, guardedTools, saved } from '../../../test/guarded-tools.ts'
import {
  approvalRequestChunks,
  textChunks,
  toolCallChunks,
  untilState,
} from '../../testing/index.ts'
import { continuationProgress } from './index.ts'

const own = (toolCallId: string, toolName?: string) => toolCallChunks(callOf(toolCallId, toolName))

describe('a call of a paused step that runs here', () => {
  it('is run first, and its result goes with the continuation, which is sent once', async () => {
    const { runs, options } = guardedTools()
    const { engine, transport, sentCalls } = createContinuingEngine(
      [paused(searching('s1'), own('1', 'read')), final('Done.', found('s1'))],
      { tools: options },
    )
    expect(await engine.sendMessage('go')).toMatchObject({ requestState: 'completed' })
    expect(runs).toEqual(['read 1.txt'])
    expect(transport.requests).toHaveLength(2)
    expect(sentCalls(2)).toMatchObject([
      { toolCallId: 's1', state: 'input-available', providerExecuted: true },
      { toolCallId: '1', state: 'output-available', output: 'read 1.txt: done' },
    ])
    expect(engine.getState().turn?.customContext).toEqual({ continuation: { count: 1, max: 10 } })
  })

  it('is waited for as long as it takes', async () => {
    const started = Promise.withResolvers<void>()
    const working = Promise.withResolvers<string>()
    const execute = () => {
      started.resolve()
      return working.promise
    }
    const { engine, transport } = createContinuingEngine(
      [paused(searching('s1'), own('1', 'work')), final('Done.', found('s1'))],
      { tools: { tools: { work: { inputSchema: z.object({}), execute } } } },
    )
    const sent = engine.sendMessage('go')
    await started.promise
    expect(engine.getState()).toMatchObject({ processingState: 'calling-tools' })
    expect(continuationProgress(engine.getState())).toEqual({
      count: 1,
      max: 10,
      reason: 'pause_turn',
    })
    expect(transport.requests).toHaveLength(1)
    working.resolve('worked')
    expect(await sent).toMatchObject({ requestState: 'completed' })
    expect(transport.requests).toHaveLength(2)
  })

  it('and that nobody here knows ends the turn with a valid history', async () => {
    const { engine, transport, calls } = createContinuingEngine(
      [paused(searching('s1'), own('1'))],
      { plugins: [{ name: 'tool' }] },
    )
    await engine.sendMessage('go')
    expect(transport.requests).toHaveLength(1)
    expect(calls().map(({ state }) => state)).toEqual(['output-error', 'output-error'])
  })

  it('of the server, which nobody here asks about, ends the turn with a valid history', async () => {
    const guarded = [
      ...toolCallChunks(callOf('1', 'deploy')),
      ...approvalRequestChunks({ toolCallId: '1' }),
    ]
    const { engine, transport, calls } = createContinuingEngine(
      [paused(searching('s1'), guarded)],
      { plugins: [{ name: 'tool' }] },
    )
    await engine.sendMessage('go')
    expect(transport.requests).toHaveLength(1)
    expect(calls().every(({ state }) => state.startsWith('output-'))).toBe(true)
  })

  it('has its results sent when the budget is used up: the model is owed those', async () => {
    const { options } = guardedTools()
    const { engine, transport } = createContinuingEngine(
      [paused(searching('s1'), own('1', 'read')), final('Done.', found('s1'))],
      { tools: options, continuation: { maxContinuations: 0 } },
    )
    await engine.sendMessage('go')
    expect(transport.requests).toHaveLength(2)
    expect(engine.getState().turn?.notice).toBeUndefined()
  })
})

describe('a call of a paused step that waits for a person', () => {
  it.each(['yes', 'no'] as const)(
    'is asked about first, and the continuation is sent after the answer: %s',
    async (outcome) => {
      const { runs, options } = guardedTools()
      const { engine, transport, resume, completed, calls, sentCalls } = createContinuingEngine(
        [paused(searching('s1'), own('1')), final('Done.', found('s1'))],
        { tools: options },
      )
      expect(await engine.sendMessage('go')).toMatchObject({ requestState: 'paused' })
      expect(calls()[0]).toMatchObject({ toolCallId: 's1', state: 'input-available' })
      expect(continuationProgress(engine.getState())).toMatchObject({ count: 1 })
      expect(transport.requests).toHaveLength(1)
      await resume({ toolCallId: '1', outcome })
      await completed()
      expect(transport.requests).toHaveLength(2)
      expect(runs).toEqual(outcome === 'yes' ? ['write 1.txt'] : [])
      expect(sentCalls(2).map(({ state }) => state)).toEqual([
        'input-available',
        outcome === 'yes' ? 'output-available' : 'output-denied',
      ])
      expect(calls()[0]).toMatchObject({ state: 'output-available' })
      expect(continuationProgress(engine.getState())).toBeUndefined()
    },
  )

  it('may be approved with another input', async () => {
    const { runs, options } = guardedTools()
    const { engine, resume, completed, errors } = createContinuingEngine(
      [paused(searching('s1'), own('1')), final('Done.', found('s1'))],
      { tools: options },
    )
    await engine.sendMessage('go')
    await resume({ toolCallId: '1', input: { path: 'other.txt' } })
    await completed()
    expect(runs).toEqual(['write other.txt'])
    expect(errors).toEqual([])
  })

  it('may be one that the server guards: its answer goes with the continuation', async () => {
    const guarded = [
      ...toolCallChunks(callOf('1', 'deploy')),
      ...approvalRequestChunks({ toolCallId: '1' }),
    ]
    const { engine, transport, resume, completed, sentCalls, errors } = createContinuingEngine([
      paused(searching('s1'), guarded),
      final('Done.', found('s1'), [
        { type: 'tool-output-available', toolCallId: '1', output: 'deployed' },
      ]),
    ])
    expect(await engine.sendMessage('go')).toMatchObject({ requestState: 'paused' })
    await resume({ toolCallId: '1' })
    await completed()
    expect(transport.requests).toHaveLength(2)
    expect(sentCalls(2).map(({ state }) => state)).toEqual([
      'input-available',
      'approval-responded',
    ])
    expect(errors).toEqual([])
  })

  it('may be one that the provider guards, which stays answered while the provider goes on', async () => {
    // What was approved is run by the provider under another id, and pauses then.
    const guarded = [
      ...toolCallChunks({ ...callOf('1', 'mcp.deploy'), providerExecuted: true }),
      ...approvalRequestChunks({ toolCallId: '1' }),
    ]
    const { engine, transport, resume, completed, sentCalls, errors } = createContinuingEngine([
      ended('end_turn', guarded),
      paused(searching('s1')),
      final('Done.', found('s1')),
    ])
    await engine.sendMessage('go')
    await resume({ toolCallId: '1' })
    await completed()
    expect(transport.requests).toHaveLength(3)
    expect(sentCalls(3)).toEqual([
      sentCalls(2)[0],
      expect.objectContaining({ toolCallId: 's1', state: 'input-available' }),
    ])
    expect(errors).toEqual([])
  })

  it('waits again after a reload from the messages alone, and the turn ends well', async () => {
    const { runs, options } = guardedTools()
    const first = createContinuingEngine([paused(searching('s1'), own('1'))], { tools: options })
    await first.engine.sendMessage('go')
    const { messages } = saved(first.engine.getState())

    const second = createContinuingEngine([final('Done.')], { tools: options, messages })
    expect(second.engine.getState().requestState).toBe('paused')
    await second.resume({ toolCallId: '1' })
    await second.completed()
    expect(runs).toEqual(['write 1.txt'])
    expect(second.transport.requests).toHaveLength(1)
    // Messages do not say that the provider had paused, so its call is one that was cut.
    expect(second.sentCalls(1).map(({ state }) => state)).toEqual([
      'output-error',
      'output-available',
    ])
  })
})

describe('progress of continuations', () => {
  it('says from the pause to the next finish which of how many it is', async () => {
    const { engine, transport } = createContinuingEngine([], {
      continuation: { maxContinuations: 3 },
    })
    const seen: unknown[] = []
    const note = () => {
      const state = engine.getState()
      const { count } = continuationProgress(state) ?? {}
      const line = `${state.processingState ?? state.requestState} ${count ?? '-'}`
      if (seen.at(-1) !== line) seen.push(line)
    }
    engine.subscribe(note)
    const streams = [1, 2, 3].map(() => transport.hold())
    const sent = engine.sendMessage('go')
    const responses = [
      paused(searching('s1')),
      paused(found('s1'), searching('s2')),
      final('Done.', found('s2')),
    ]
    for (const [index, response] of responses.entries()) {
      const held = streams[index]
      await transport.requested(index + 1)
      engine.flush()
      await held?.push(...response.slice(0, -1))
      await untilState(engine, ({ processingState }) => processingState === 'completing')
      engine.flush()
      await held?.push(...response.slice(-1))
      held?.end()
    }
    await sent
    expect(seen).toEqual([
      'requesting -',
      'completing -',
      'requesting 1',
      'completing 1',
      'requesting 2',
      'completing 2',
      'completed -',
    ])
  })

  it('is not said of a turn that has ended', async () => {
    const { engine, transport } = createContinuingEngine([paused(searching('s1'))], {})
    const held = transport.hold()
    const sent = engine.sendMessage('go')
    await transport.requested(2)
    await held.push({ type: 'start' })
    expect(continuationProgress(engine.getState())).toMatchObject({ count: 1 })
    await engine.abort()
    await sent
    expect(continuationProgress(engine.getState())).toBeUndefined()
  })

  it.each([
    undefined,
    'two',
    { count: '2', max: 10 },
    { count: 1, max: 10 },
    { count: 1, max: 10, unfinished: { step: 1, reason: 'whim', isContinued: true } },
    { count: 1, max: 10, unfinished: { step: 1, reason: 'pause_turn' } },
    { count: 1, max: 10, unfinished: { step: 4, reason: 'pause_turn', isContinued: true } },
    { count: 1, max: 10, unfinished: { step: 1, reason: 'pause_turn', isContinued: false } },
  ])('is not read out of facts that do not say so: %j', (continuation) => {
    const turn = { id: 't', step: 1, maxSteps: 9, unsent: [], customContext: { continuation } }
    expect(continuationProgress({ requestState: 'processing', turn })).toBeUndefined()
  })
})

it('text that streams on is closed before it is sent back', async () => {
  const open = textChunks('text', 'Let me').slice(0, -1)
  const { engine, transport } = createContinuingEngine([paused(open), final('Done.')])
  await engine.sendMessage('go')
  expect(transport.requests[1]?.messages.at(-1)?.parts.at(-1)).toMatchObject({ state: 'done' })
})
