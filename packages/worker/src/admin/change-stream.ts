import type { Changes } from './changes.ts'

/** What is between the two takes a connection for dead on which nothing comes. */
const ALIVE_MS = 15_000

/**
 * Server-sent events: a `change` soon after anything was written into the stores, by this process or
 * another one. What changed is not said: ask for what is shown.
 */
export function changeStream(changes: Changes, reader: AbortSignal): Response {
  const encoder = new TextEncoder()
  const over = new AbortController()

  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      const send = (text: string) => controller.enqueue(encoder.encode(text))
      const alive = setInterval(() => send(': alive\n\n'), ALIVE_MS)
      alive.unref()
      const unsubscribe = changes.subscribe(() => {
        send('event: change\ndata: {}\n\n')
        alive.refresh()
      })
      over.signal.addEventListener('abort', () => {
        clearInterval(alive)
        unsubscribe()
      })
      const end = () => {
        over.abort()
        controller.close()
      }
      send('retry: 2000\nevent: change\ndata: {}\n\n')
      const ended = AbortSignal.any([reader, changes.closed])
      ended.addEventListener('abort', end, { once: true, signal: over.signal })
      if (ended.aborted) end()
    },
    cancel: () => over.abort(),
  })
  return new Response(body, {
    headers: {
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
    },
  })
}
