import { RequestError } from './request-error.ts'

/** How a handler is brought to its end. */
export interface DrainOptions {
  /**
   * How long the answers that are under way may take, in milliseconds. Default 20,000: many platforms kill a
   * process 30 seconds after they told it to go.
   */
  readonly timeoutMs?: number
}

/** The work of one handler, and whether more of it is taken. */
export interface OpenWork {
  /** Aborts when what is still under way is to be cut off; the reason is what its readers get. */
  readonly cut: AbortSignal
  /** Aborts when the handler drains: what waits for a better time is to be done now. */
  readonly ending: AbortSignal
  /**
   * Notes that something has begun.
   *
   * @returns says that it is over
   */
  begin(): () => void
  /** @throws RequestError 503 once the handler drains */
  assertOpen(): void
  /** Takes nothing new, and resolves when all has ended, or was cut off as it took too long. */
  drain(options?: DrainOptions): Promise<void>
}

/** How long what was cut off may take to say how it ended, in milliseconds. */
const AFTERMATH_MS = 1_000
/** When a page is to come again, in seconds: the next server may be there by then. */
const RETRY_AFTER_S = 1

export function createOpenWork(): OpenWork {
  const cut = new AbortController()
  const ending = new AbortController()
  const open = new Set<symbol>()
  const ended = new Set<() => void>()
  let drained: Promise<void> | undefined

  /** Resolves when nothing is open, or the time is up. */
  const idle = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      const settle = () => {
        clearTimeout(timer)
        ended.delete(look)
        resolve()
      }
      const look = () => {
        if (open.size === 0) settle()
      }
      const timer = setTimeout(settle, ms)
      ended.add(look)
      look()
    })

  return {
    cut: cut.signal,
    ending: ending.signal,
    begin() {
      const work = Symbol('work')
      open.add(work)
      return () => {
        if (open.delete(work)) for (const look of ended) look()
      }
    },
    assertOpen() {
      if (drained) throw draining()
    },
    drain({ timeoutMs = 20_000 } = {}) {
      drained ??= (async () => {
        ending.abort()
        await idle(timeoutMs)
        if (open.size === 0) return
        const why = draining(
          'The answer was cut off, as this server stops. Take it up on the next one.',
        )
        // Some servers print what a response breaks off with: in a line, as it is no fault.
        why.stack = `${why.name}: ${why.message}`
        cut.abort(why)
        await idle(AFTERMATH_MS)
      })()
      return drained
    },
  }
}

function draining(
  message = 'This server is about to stop and has done nothing with the request. Send it again.',
): RequestError {
  return new RequestError(503, 'draining', message, { 'retry-after': String(RETRY_AFTER_S) })
}
