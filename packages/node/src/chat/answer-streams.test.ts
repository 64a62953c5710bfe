import type { UIMessageChunk } from 'ai'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import {
  createAnswerStreams,
  type AnswerStreamsOptions,
  type MadeAnswer,
} from './answer-streams.ts'
import { memoryStreams } from './memory-streams.ts'
import { createOpenWork } from './open-work.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

const times = { unreadMs: 1000, takeOverMs: 1000, keepAliveMs: 60_000, onError: () => {} }

const request = { key: 'k', requestId: undefined, isNamed: false, supersedes: [] }

const answerOf = (chunks: ReadableStream<UIMessageChunk>): MadeAnswer => ({
  chunks,
  isLastWord: () => true,
})

/** The streams of one handler, with one answer that goes on until it is stopped. */
async function start(more: Partial<AnswerStreamsOptions> = {}) {
  const streams = createAnswerStreams({
    store: memoryStreams(),
    onDisconnect: 'continue',
    work: createOpenWork(),
    ...times,
    ...more,
  })
  const visit = () => {
    const page = new AbortController()
    return { request: { ...request, reader: page.signal }, page }
  }
  const first = visit()
  let stopped: AbortSignal | undefined
  const response = await streams.start(first.request, (signals) => {
    stopped = signals.stopped
    return answerOf(new ReadableStream<UIMessageChunk>())
  })
  return { streams, visit, first, response, isStopped: () => stopped?.aborted }
}

test('an answer without readers is stopped when its time is over, and not before', async () => {
  const { first, isStopped } = await start()
  await vi.advanceTimersByTimeAsync(10_000)
  expect(isStopped()).toBe(false)
  first.page.abort()
  await vi.advanceTimersByTimeAsync(999)
  expect(isStopped()).toBe(false)
  await vi.advanceTimersByTimeAsync(1)
  expect(isStopped()).toBe(true)
})

test('a reader who comes back in time lets it go on', async () => {
  const { streams, visit, first, isStopped } = await start()
  first.page.abort()
  await vi.advanceTimersByTimeAsync(900)
  const second = visit()
  await streams.resume(second.request)
  await vi.advanceTimersByTimeAsync(10_000)
  expect(isStopped()).toBe(false)
  second.page.abort()
  await vi.advanceTimersByTimeAsync(1000)
  expect(isStopped()).toBe(true)
})

test('nothing is left to wait for when it has ended', async () => {
  const { streams, first } = await start()
  first.page.abort()
  await vi.advanceTimersByTimeAsync(500)
  await streams.stop({ key: 'k', requestId: undefined })
  await vi.waitFor(() => expect(vi.getTimerCount()).toBe(0))
})

test('a page that had gone before its answer began counts as gone', async () => {
  const { streams, visit } = await start()
  const { request, page } = visit()
  page.abort()
  let stopped: AbortSignal | undefined
  await streams.start({ ...request, key: 'other' }, (signals) => {
    stopped = signals.stopped
    return answerOf(new ReadableStream<UIMessageChunk>())
  })
  await vi.advanceTimersByTimeAsync(1000)
  expect(stopped?.aborted).toBe(true)
})
