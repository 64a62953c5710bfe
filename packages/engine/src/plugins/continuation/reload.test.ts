import { describe, expect, it } from 'vitest'
import { callOf, guardedTools } from '../../../test/guarded-tools.ts'
import {
  createContinuingEngine,
  final,
  found,
  paused,
  searching,
} from '../../../test/paused-steps.ts'
import { defineStorage } from '../../storage/define-storage.ts'
import { memoryStorage } from '../../storage/memory-storage.ts'
import { textChunks, toolCallChunks, untilState } from '../../testing/index.ts'
import { continuationProgress } from './index.ts'

const own = (toolCallId: string) => toolCallChunks(callOf(toolCallId))

/** A store that outlives the engines that use it. */
const keepingStorage = () => defineStorage(memoryStorage())

describe('a reload', () => {
  it('while a person decides loses neither the continuation nor its count', async () => {
    const { options } = guardedTools()
    const kept = {
      id: 'c',
      storage: keepingStorage(),
      tools: options,
      continuation: { maxContinuations: 3 },
    }
    const first = createContinuingEngine(
      [paused(searching('s1')), paused(found('s1'), searching('s2'), own('1'))],
      kept,
    )
    await first.engine.sendMessage('go')
    const before = first.engine.getState()
    first.engine.dispose()

    const { engine, transport, resume, completed, sentCalls, errors } = createContinuingEngine(
      [paused(found('s2'), searching('s3')), paused(searching('s4'))],
      kept,
    )
    await untilState(engine, ({ requestState }) => requestState === 'paused')
    expect(engine.getState()).toEqual(before)
    expect(continuationProgress(engine.getState())).toEqual({
      count: 2,
      max: 3,
      reason: 'pause_turn',
    })
    await resume({ toolCallId: '1' })
    await completed()
    expect(sentCalls(1).map(({ state }) => state)).toEqual([
      'output-available',
      'input-available',
      'output-available',
    ])
    expect(transport.requests[0]?.messages.map(({ id }) => id)).toEqual(before.messageIds)
    expect(transport.requests).toHaveLength(2)
    expect(engine.getState().turn).toMatchObject({
      id: before.turn?.id,
      step: 4,
      notice: 'max-continuations',
    })
    expect(errors).toEqual([])
  })

  it('right before the continuation sends it, unchanged and once', async () => {
    const kept = { id: 'c', storage: keepingStorage() }
    const saved = Promise.withResolvers<void>()
    const first = createContinuingEngine([paused(textChunks('text', 'Look.'), searching('s1'))], {
      ...kept,
      plugins: [
        {
          async onBeforeRequest({ turn, save }) {
            if (turn?.step !== 1) return
            await save()
            saved.resolve()
            await new Promise(() => {})
          },
        },
      ],
    })
    void first.engine.sendMessage('go')
    await saved.promise
    const { messages } = first.engine.getState()
    first.engine.dispose()
    expect(first.transport.requests).toHaveLength(1)

    const second = createContinuingEngine([final('Done.', found('s1'))], kept)
    await second.engine.ready
    await second.completed()
    expect(second.transport.requests).toHaveLength(1)
    expect(second.transport.requests[0]?.messages).toEqual(messages)
    expect(second.calls()).toMatchObject([{ state: 'output-available' }])
    expect(second.engine.getState().turn?.customContext).toEqual({
      continuation: { count: 1, max: 10 },
    })
  })

  it('in the middle of the continuation closes it as a cut answer, to be retried', async () => {
    const kept = { id: 'c', storage: keepingStorage(), continuation: { maxContinuations: 2 } }
    const first = createContinuingEngine([paused(searching('s1'))], kept)
    first.transport.hold()
    void first.engine.sendMessage('go')
    await first.transport.requested(2)
    first.engine.dispose()

    const { engine, calls, transport, errors } = createContinuingEngine(
      [paused(searching('s2')), final('Done.', found('s2'))],
      kept,
    )
    await engine.ready
    expect(engine.getState()).toMatchObject({
      requestState: 'error',
      error: { code: 'interrupted' },
    })
    expect(calls()).toMatchObject([{ state: 'output-error' }])
    expect(await engine.retry()).toMatchObject({ requestState: 'completed' })
    expect(transport.requests).toHaveLength(2)
    expect(engine.getState().turn).toMatchObject({
      customContext: { continuation: { count: 2, max: 2 } },
    })
    expect(errors).toMatchObject([{ code: 'interrupted' }])
  })

  it('does not hide that a hook changes the conversation afterwards', async () => {
    const { options } = guardedTools()
    const kept = { id: 'c', storage: keepingStorage(), tools: options }
    const first = createContinuingEngine([paused(searching('s1'), own('1'))], kept)
    await first.engine.sendMessage('go')
    first.engine.dispose()

    const { engine, resume, completed, errors } = createContinuingEngine([final('Done.')], {
      ...kept,
      plugins: [
        {
          onBeforeRequest({ turn, getState, updateMessage }) {
            if (turn?.step !== 1) return
            updateMessage(getState().messages[0]?.id ?? '', (message) => ({
              ...message,
              parts: [{ type: 'text', text: 'Summary' }],
            }))
          },
        },
      ],
    })
    await engine.ready
    await resume({ toolCallId: '1' })
    await completed()
    expect(errors).toMatchObject([{ code: 'conversation_changed' }])
  })
})
