import type { AssentDatabase } from '@assent/node'

/** Milliseconds between two looks at whether something was written. */
const LOOK_MS = 500
/** What is between the two takes a connection for dead on which nothing comes. */
const ALIVE_MS = 15_000

/**
 * Server-sent events: a `change` soon after anything was written into the database, by this process or
 * another one. What changed is not said: ask for what is shown.
 */
export function changeStream(database: AssentDatabase, reader: AbortSignal): Response {
  const encoder = new TextEncoder()
  const { sqlite, closed } = database
  // The one tells of others, the other of this connection; neither touches the file.
  const others = sqlite.prepare('PRAGMA data_version')
  const own = sqlite.prepare('SELECT total_changes() AS changes')
  const version = () => `${others.get()?.['data_version']} ${own.get()?.['changes']}`
  let timer: NodeJS.Timeout | undefined

  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      const send = (text: string) => controller.enqueue(encoder.encode(text))
      let seen = version()
      let silent = 0
      const look = () => {
        const now = version()
        silent += LOOK_MS
        if (now !== seen) send('event: change\ndata: {}\n\n')
        else if (silent >= ALIVE_MS) send(': alive\n\n')
        else return
        seen = now
        silent = 0
      }
      const end = () => {
        if (timer === undefined) return
        clearInterval(timer)
        timer = undefined
        controller.close()
      }
      send('retry: 2000\nevent: change\ndata: {}\n\n')
      timer = setInterval(look, LOOK_MS)
      timer.unref()
      for (const signal of [reader, closed]) signal.addEventListener('abort', end, { once: true })
      if (reader.aborted || closed.aborted) end()
    },
    cancel() {
      clearInterval(timer)
      timer = undefined
    },
  })
  return new Response(body, {
    headers: {
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
    },
  })
}
