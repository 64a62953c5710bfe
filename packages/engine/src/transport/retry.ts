import { isEngineError } from '../errors.ts'
import type { EngineError } from '../errors.ts'
import type { ResponseSigns } from './transport.ts'

/** How a request is tried again before its answer began. */
export interface RetryOptions {
  /** Tries in all. Default 3. */
  attempts?: number
  /** The longest wait before the second try; doubled for each further one. Default 500 ms. */
  baseMs?: number
  /**
   * No wait is longer. A `Retry-After` of the server that asks for more fails at once, with the value
   * in `details.retryAfterMs`. Default 60,000 ms.
   */
  maxMs?: number
  /**
   * Whether to try again. The bounds above still hold.
   *
   * Default: after an answer of 408, 425, 429, 500, 502, 503 or 504 (only the first three for a request
   * that carries an approval, and 503 of a server that says it is `draining`), and, when there was no
   * answer, if the request cannot have reached the server (`details.unsent`: offline, refused, no such host; a browser tells none of these but
   * offline). Otherwise the server may be at work on it: a message
   * would be answered twice, an approved tool run twice. This is the rule of RFC 9110 §9.2.2 for
   * methods that are not idempotent. A reconnect only reads, so it is repeated in either case.
   *
   * `({ retryable }) => retryable` is for servers that recognise a repeated request.
   */
  shouldRetry?: (error: EngineError, context: RetryContext) => boolean
  /** Waits; an abort of `signal` should end it. Default: a timer. */
  sleep?: (ms: number, signal: AbortSignal) => Promise<void>
}

/** Given to `shouldRetry`. */
export interface RetryContext {
  /** The try that failed, from 1. */
  readonly attempt: number
  readonly method: 'GET' | 'POST'
  /** It carries a person's yes, for a tool that the server runs when it reads the request. */
  readonly carriesApproval: boolean
}

/**
 * Runs `attempt` until it succeeds, may not be repeated, or the tries are used up. Waits grow
 * exponentially with full jitter, and are no shorter than the server asks for.
 */
export async function withRetries<T>(
  options: RetryOptions | false | undefined,
  { onActivity, ...sent }: Omit<RetryContext, 'attempt'> & ResponseSigns,
  signal: AbortSignal,
  attempt: (count: number) => Promise<T>,
): Promise<T> {
  const {
    attempts = 3,
    baseMs = 500,
    maxMs = 60_000,
    shouldRetry = isWorthRepeating,
    sleep = sleepUntilAborted,
  } = options === false ? { attempts: 1 } : (options ?? {})
  for (let count = 1; ; count += 1) {
    signal.throwIfAborted()
    onActivity?.()
    try {
      return await attempt(count)
    } catch (error) {
      signal.throwIfAborted()
      if (count >= attempts || !isEngineError(error)) throw error
      const askedMs = Number(error.details['retryAfterMs'] ?? 0)
      if (askedMs > maxMs || !shouldRetry(error, { ...sent, attempt: count })) throw error
      const longestMs = Math.min(maxMs, baseMs * 2 ** (count - 1))
      const ms = Math.max(askedMs, Math.random() * longestMs)
      onActivity?.(ms)
      await sleep(ms, signal)
    }
  }
}

function isWorthRepeating(
  { code, retryable, details }: EngineError,
  { method, carriesApproval }: RetryContext,
): boolean {
  if (!retryable) return false
  if (method === 'GET' || details['unsent'] === true) return true
  // A gateway may say 500 and above of a server that was at work already.
  return code === 'http_status' && !(carriesApproval && Number(details['status']) >= 500)
}

function sleepUntilAborted(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      reject(signal.reason)
    })
  })
}
