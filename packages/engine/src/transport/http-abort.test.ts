import { getEventListeners } from 'node:events'
import type { UIMessageChunk } from 'ai'
import { expect, onTestFinished, test, vi } from 'vitest'
import { events, startEvents, startServer } from '../../test/loopback-server.ts'
import { httpTransport } from './http-transport.ts'
import type { HttpTransportOptions } from './http-transport.ts'

const ABORTED = { name: 'AbortError' }

function send(
  options: HttpTransportOptions,
  abortSignal: AbortSignal,
): Promise<ReadableStream<UIMessageChunk>> {
  return httpTransport(options).sendMessages({
    trigger: 'submit-message',
    chatId: 'chat',
    messageId: undefined,
    messages: [],
    abortSignal,
  })
}

const never = <T>(): Promise<T> => new Promise<T>(() => {})
const listeners = (signal: AbortSignal): number => getEventListeners(signal, 'abort').length

test('an abort before the request sends nothing', async () => {
  const fetch = vi.fn()
  await expect(send({ fetch }, AbortSignal.abort())).rejects.toMatchObject(ABORTED)
  expect(fetch).not.toHaveBeenCalled()
})

test('an abort while an option is asked for sends nothing', async () => {
  const fetch = vi.fn()
  const { promise: token, resolve } = Promise.withResolvers<Record<string, string>>()
  const controller = new AbortController()
  const sending = send({ fetch, headers: () => token }, controller.signal)
  controller.abort()
  await expect(sending).rejects.toMatchObject(ABORTED)
  resolve({})
  await new Promise((settled) => setImmediate(settled))
  expect(fetch).not.toHaveBeenCalled()
  expect(listeners(controller.signal)).toBe(0)
})

test('an abort while waiting for the response closes the connection', async () => {
  await using server = await startServer(() => {})
  const controller = new AbortController()
  const sending = send({ api: server.origin }, controller.signal)
  await server.request(1)
  controller.abort()
  await expect(sending).rejects.toMatchObject(ABORTED)
  await server.idle()
  expect(server.received).toHaveLength(1)
  expect(listeners(controller.signal)).toBe(0)
})

test('an abort while waiting for the next try ends the waiting', async () => {
  await using server = await startServer((response) => {
    response.writeHead(503, { 'retry-after': '50' }).end()
  })
  const controller = new AbortController()
  const sending = send(
    {
      api: server.origin,
      retry: {
        shouldRetry: () => {
          // What follows synchronously is the wait of 50 s.
          queueMicrotask(() => controller.abort())
          return true
        },
      },
    },
    controller.signal,
  )
  await expect(sending).rejects.toMatchObject(ABORTED)
  expect(server.received).toHaveLength(1)
  expect(listeners(controller.signal)).toBe(0)
})

test('an abort inside a custom sleep that ignores it starts no other try', async () => {
  await using server = await startServer((response) => response.writeHead(503).end())
  const controller = new AbortController()
  const { promise: slept, resolve: wake } = Promise.withResolvers<void>()
  const sleep = (): Promise<void> => {
    controller.abort()
    return slept
  }
  const sending = send({ api: server.origin, retry: { sleep } }, controller.signal)
  await expect(sending).rejects.toMatchObject(ABORTED)
  wake()
  await new Promise((settled) => setImmediate(settled))
  expect(server.received).toHaveLength(1)
})

test('an abort while the body of an error is read closes the connection', async () => {
  const started = Promise.withResolvers<void>()
  await using server = await startServer((response) => {
    response.writeHead(500, { 'content-type': 'text/plain' })
    response.write('it goes on', () => started.resolve())
  })
  const controller = new AbortController()
  const sending = send({ api: server.origin }, controller.signal)
  await started.promise
  controller.abort()
  await expect(sending).rejects.toMatchObject(ABORTED)
  await server.idle()
  expect(listeners(controller.signal)).toBe(0)
})

test('an abort in the middle of the stream fails it and closes the connection', async () => {
  await using server = await startServer((response) => {
    startEvents(response).write(events({ type: 'start' }))
  })
  const controller = new AbortController()
  const reader = (await send({ api: server.origin }, controller.signal)).getReader()
  expect(await reader.read()).toEqual({ done: false, value: { type: 'start' } })
  const next = reader.read()
  controller.abort()
  await expect(next).rejects.toMatchObject(ABORTED)
  await server.idle()
  expect(listeners(controller.signal)).toBe(0)
})

test('a reader that cancels closes the connection', async () => {
  await using server = await startServer((response) => {
    startEvents(response).write(events({ type: 'start' }))
  })
  const controller = new AbortController()
  const reader = (await send({ api: server.origin }, controller.signal)).getReader()
  await reader.read()
  await reader.cancel()
  await server.idle()
  expect(listeners(controller.signal)).toBe(0)
})

test('an answer that was read to its end leaves no listener', async () => {
  await using server = await startServer((response) => {
    startEvents(response).end(events({ type: 'finish' }, '[DONE]'))
  })
  const controller = new AbortController()
  const stream = await send({ api: server.origin }, controller.signal)
  for await (const _ of stream);
  expect(listeners(controller.signal)).toBe(0)
})

test('a fetch that ignores its signal does not hold up an abort, and its late body is cancelled', async () => {
  const cancel = vi.fn()
  const { promise, resolve } = Promise.withResolvers<Response>()
  const controller = new AbortController()
  const sending = send({ fetch: () => promise }, controller.signal)
  await new Promise((called) => setImmediate(called))
  controller.abort('because')
  await expect(sending).rejects.toMatchObject({ ...ABORTED, cause: 'because' })
  resolve(new Response(new ReadableStream({ cancel })))
  await vi.waitFor(() => expect(cancel).toHaveBeenCalledOnce())
})

test('an abort of a reconnect closes the connection', async () => {
  await using server = await startServer(() => {})
  const controller = new AbortController()
  const connecting = httpTransport({ api: server.origin }).reconnectToStream({
    chatId: 'chat',
    abortSignal: controller.signal,
  })
  await server.request(1)
  controller.abort()
  await expect(connecting).rejects.toMatchObject(ABORTED)
  await server.idle()
})

test('an abort waits neither for an option that never answers nor for any time', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const controller = new AbortController()
  const sending = send({ api: () => never() }, controller.signal)
  controller.abort()
  await expect(sending).rejects.toMatchObject(ABORTED)
  expect(vi.getTimerCount()).toBe(0)
})
