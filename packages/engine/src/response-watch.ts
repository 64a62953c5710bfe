import type { UIMessage } from 'ai'
import { EngineError } from './errors.ts'
import type { ResponseSigns } from './transport/transport.ts'
import type { TurnHost } from './turn-host.ts'

/** How often a stream is asked whether anything came, in milliseconds: a chunk itself costs no clock. */
const TICK_MS = 1_000
/** Ticks without a sign of life after which the clock is believed. */
const GRACE_TICKS = 3
/** The longest time that a timer takes. */
const LONGEST_MS = 2 ** 31 - 1

/** Sees that a response comes, and goes on coming: nothing waits for it for ever, or unseen. */
export interface ResponseWatch extends Required<ResponseSigns> {
  /** What a transport answers with, or the error that it did not in time. */
  answered<ANSWER>(answer: PromiseLike<ANSWER>): Promise<ANSWER>
  /** From here on it is the stream that must not fall silent; `onSilent` is called if it does. */
  streams(onSilent: () => void): void
  /** A chunk came. */
  chunk(): void
  /** Why the stream was ended. */
  error(): EngineError | undefined
  end(): void
}

/** Watches the response to a request that is made now. */
export function watchResponse<MESSAGE extends UIMessage>({
  waits,
  now,
  responseTimeoutMs,
  silenceTimeoutMs,
}: Pick<
  TurnHost<MESSAGE>,
  'waits' | 'now' | 'responseTimeoutMs' | 'silenceTimeoutMs'
>): ResponseWatch {
  const late = Promise.withResolvers<never>()
  // Nobody may be waiting for it.
  late.promise.catch(() => undefined)
  let endWait: (() => void) | undefined = waits.begin({ type: 'response' })
  let onSilent: (() => void) | undefined
  let deadline: ReturnType<typeof setTimeout> | undefined
  let ticks: ReturnType<typeof setInterval> | undefined
  let error: EngineError | undefined
  /** Since the last tick. */
  let isAlive = true
  let isMoving = true
  let silentTicks = 0
  let silentSince = 0

  function expire(what: 'response' | 'stream', timeoutMs: number): void {
    clearInterval(ticks)
    error = timeoutError(what, timeoutMs)
    late.reject(error)
    onSilent?.()
  }

  function arm(ms: number): void {
    clearTimeout(deadline)
    if (ms > LONGEST_MS) return
    deadline = setTimeout(() => expire('response', responseTimeoutMs), ms)
  }

  /** No timer of its own for the deadline: a chunk would have to move it. */
  function tick(): void {
    silentTicks = isAlive ? 0 : silentTicks + 1
    if (isAlive) silentSince = now()
    if (!isMoving) endWait ??= waits.begin({ type: 'stream' }, now() - TICK_MS)
    isAlive = false
    isMoving = false
    // A page in the background is given fewer ticks, and after a sleep life takes some to show.
    const byClock = silentTicks >= GRACE_TICKS ? now() - silentSince : 0
    if (Math.max(silentTicks * TICK_MS, byClock) >= silenceTimeoutMs) {
      expire('stream', silenceTimeoutMs)
    }
  }

  arm(responseTimeoutMs)
  return {
    answered: (answer) => Promise.race([answer, late.promise]),
    onActivity(pauseMs = 0) {
      isAlive = true
      if (deadline !== undefined && !onSilent) arm(responseTimeoutMs + pauseMs)
    },
    streams(fallenSilent) {
      onSilent = fallenSilent
      clearTimeout(deadline)
      ticks = setInterval(tick, TICK_MS)
    },
    chunk() {
      isAlive = true
      isMoving = true
      if (!endWait) return
      endWait()
      endWait = undefined
    },
    error: () => error,
    end() {
      clearTimeout(deadline)
      deadline = undefined
      clearInterval(ticks)
      endWait?.()
    },
  }
}

function timeoutError(what: 'response' | 'stream', timeoutMs: number): EngineError {
  const seconds = timeoutMs / 1_000
  const message =
    what === 'response'
      ? `The server did not respond within ${seconds} s. Try again.`
      : `The answer stopped arriving: nothing came for ${seconds} s. Try again.`
  return new EngineError(`${what}_timeout`, message, { retryable: true, details: { timeoutMs } })
}
