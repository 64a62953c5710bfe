import { describe, expect, it } from 'vitest'
import { callOf, guardedTools } from '../../../test/guarded-tools.ts'
import {
  createContinuingEngine,
  final,
  found,
  paused,
  searching,
} from '../../../test/paused-steps.ts'
import { EngineError } from '../../errors.ts'
import { answer, textChunks, toolCallChunks, untilState } from '../../testing/index.ts'
import { continuationProgress } from './index.ts'

const own = (toolCallId: string) => toolCallChunks(callOf(toolCallId))
const failure = { type: 'error', errorText: 'The provider is overloaded.' } as const

describe('an abort', () => {
  it('in the continuation closes the call of the provider, like any other', async () => {
    const { engine, transport, calls, errors } = createContinuingEngine([paused(searching('s1'))])
    const held = transport.hold()
    const sent = engine.sendMessage('go')
    await transport.requested(2)
    await held.push({ type: 'start' }, ...textChunks('text', 'Half').slice(0, -1))
    await engine.abort()
    expect(await sent).toMatchObject({ requestState: 'aborted' })
    expect(calls()).toMatchObject([
      {
        state: 'output-error',
        errorText: 'Aborted before its result came; whether it ran is not known.',
        toolMetadata: { assent: { ended: 'cancelled' } },
      },
    ])
    expect(errors).toEqual([])
    expect(engine.getState().turn?.notice).toBeUndefined()
  })

  it('before the continuation lets a retry ask for the paused step anew, which costs nothing', async () => {
    const { options } = guardedTools()
    const { engine, transport, resume, completed, errors, sentCalls } = createContinuingEngine(
      [
        paused(searching('s1'), own('1')),
        paused(searching('s2'), own('2')),
        final('Done.', found('s2')),
      ],
      { tools: options, continuation: { maxContinuations: 1 } },
    )
    expect(await engine.sendMessage('go')).toMatchObject({ requestState: 'paused' })
    await engine.abort()
    expect(await engine.retry()).toMatchObject({ requestState: 'paused' })
    // What was not decided did not run and is dropped; of the provider's call that is not known.
    expect(sentCalls(2)).toMatchObject([{ toolCallId: 's1', state: 'output-error' }])
    await resume({ toolCallId: '2' })
    await completed()
    expect(transport.requests).toHaveLength(3)
    expect(engine.getState().turn).toMatchObject({
      step: 2,
      customContext: { continuation: { count: 1, max: 1 } },
    })
    expect(engine.getState().turn?.notice).toBeUndefined()
    expect(errors).toEqual([])
  })

  it('before the continuation of a later step does not let that count for a retry', async () => {
    const { options } = guardedTools()
    const { engine, transport, errors } = createContinuingEngine(
      [
        paused(searching('s1')),
        paused(found('s1'), searching('s2'), own('1')),
        paused(found('s1'), searching('s3')),
        final('Done.', found('s3')),
      ],
      { tools: options, continuation: { maxContinuations: 2 } },
    )
    expect(await engine.sendMessage('go')).toMatchObject({ requestState: 'paused' })
    await engine.abort()
    expect(await engine.retry()).toMatchObject({ requestState: 'completed' })
    expect(transport.requests).toHaveLength(4)
    expect(engine.getState().turn?.customContext).toEqual({ continuation: { count: 2, max: 2 } })
    expect(errors).toEqual([])
  })

  it.each([1, 2])('is not shown as a continuation when step %i is asked for anew', async (step) => {
    const { options } = guardedTools()
    const steps = [paused(searching('s1')), paused(searching('s2'), own('1'))].slice(-step)
    const { engine, transport } = createContinuingEngine(steps, { tools: options })
    expect(await engine.sendMessage('go')).toMatchObject({ requestState: 'paused' })
    expect(continuationProgress(engine.getState())).toMatchObject({ count: step })
    await engine.abort()
    const held = transport.hold()
    const retried = engine.retry()
    await transport.requested(step + 1)
    await held.push({ type: 'start' })
    expect(continuationProgress(engine.getState())).toBeUndefined()
    await engine.abort()
    await retried
  })

  it('before the continuation lets the stream of the paused step be taken up again', async () => {
    const { options } = guardedTools()
    const { engine, transport } = createContinuingEngine(
      [paused(searching('s1'), own('1')), final('Done.', found('s1'))],
      {
        tools: options,
        continuation: { maxContinuations: 1 },
        reconnects: [paused(searching('s1'))],
      },
    )
    expect(await engine.sendMessage('go')).toMatchObject({ requestState: 'paused' })
    await engine.abort()
    expect(await engine.reconnect()).toMatchObject({ requestState: 'completed' })
    expect(transport.requests).toHaveLength(2)
    expect(engine.getState().turn?.customContext).toEqual({ continuation: { count: 1, max: 1 } })
  })

  it('right before the request of the continuation lets a retry go on with what is known', async () => {
    let requests = 0
    const entered = Promise.withResolvers<void>()
    const { engine, transport, errors, sentCalls } = createContinuingEngine(
      [paused(searching('s1')), final('Done.')],
      {
        plugins: [
          {
            name: 'slow',
            onBeforeRequest: async ({ abortSignal }) => {
              if (++requests !== 2) return
              entered.resolve()
              await new Promise((resolve) => abortSignal.addEventListener('abort', resolve))
            },
          },
        ],
      },
    )
    const sent = engine.sendMessage('go')
    await entered.promise
    await engine.abort()
    expect(await sent).toMatchObject({ requestState: 'aborted' })
    expect(await engine.retry()).toMatchObject({ requestState: 'completed' })
    expect(transport.requests).toHaveLength(2)
    expect(sentCalls(2)).toMatchObject([{ state: 'output-error' }])
    expect(errors).toEqual([])
  })
})

describe('a continuation that fails', () => {
  it('closes the call of the provider; a retry asks with what is known, within the budget', async () => {
    const { engine, transport, calls, sentCalls, errors } = createContinuingEngine(
      [
        paused(searching('s1')),
        [{ type: 'start' }, ...textChunks('text', 'Half').slice(0, -1), failure],
        paused(searching('s2')),
        final('Done.', found('s2')),
      ],
      { continuation: { maxContinuations: 2 } },
    )
    expect(await engine.sendMessage('go')).toMatchObject({ requestState: 'error' })
    expect(calls()).toMatchObject([
      {
        state: 'output-error',
        errorText: 'Failed before its result came; whether it ran is not known.',
      },
    ])
    expect(await engine.retry()).toMatchObject({ requestState: 'completed' })
    expect(transport.requests).toHaveLength(4)
    expect(sentCalls(3)).toEqual(calls().slice(0, 1))
    expect(engine.getState().turn).toMatchObject({
      step: 3,
      customContext: { continuation: { count: 2, max: 2 } },
    })
    expect(errors).toMatchObject([{ code: 'stream_error' }])
  })

  it('that the server refused unread is sent again as it was', async () => {
    const refused = new EngineError('http_status', '529', { retryable: true })
    const { engine, transport, errors } = createContinuingEngine([
      paused(searching('s1')),
      refused,
      final('Done.', found('s1')),
    ])
    expect(await engine.sendMessage('go')).toMatchObject({ requestState: 'error' })
    expect(await engine.retry()).toMatchObject({ requestState: 'completed' })
    expect(transport.requests).toHaveLength(3)
    expect(transport.requests[2]?.messages).toEqual(transport.requests[1]?.messages)
    expect(engine.getState().turn?.customContext).toEqual({ continuation: { count: 1, max: 10 } })
    expect(errors).toEqual([refused])
  })

  it('that the server refused unread is closed when the user goes on instead', async () => {
    const { engine, sentCalls } = createContinuingEngine([
      paused(searching('s1')),
      new EngineError('http_status', '529'),
      answer('Hello.', { messageId: 'other' }),
    ])
    await engine.sendMessage('go')
    expect(await engine.sendMessage('never mind')).toMatchObject({ requestState: 'completed' })
    expect(sentCalls(3)).toMatchObject([
      {
        state: 'output-error',
        errorText: 'The conversation went on before its result came; whether it ran is not known.',
      },
    ])
    expect(engine.getState().turn?.customContext).toEqual({})
  })
})

it('a stream that is taken up again is continued when it ends paused', async () => {
  const { engine, transport } = createContinuingEngine([final('Done.', found('s1'))], {
    reconnects: [paused(searching('s1'))],
    messages: [{ id: 'u', role: 'user', parts: [{ type: 'text', text: 'go' }] }],
  })
  await engine.reconnect()
  await untilState(engine, ({ requestState }) => requestState === 'completed')
  expect(transport.requests).toHaveLength(1)
  expect(transport.requests[0]?.messages.at(-1)).toMatchObject({ id: 'answer' })
})
