import { isEngineError } from '../errors.ts'
import type { EngineError } from '../errors.ts'
import { abortError } from './abort.ts'

/** How a request is tried again before its answer began. */
export interface RetryOptions {
  /** Tries in all. Default 3. */
  attempts?: number
  /** The longest wait before the second try; doubled for each further one. Default 500 ms. */
  baseMs?: number
  /** The longest wait that this doubling leads to. Default 30,000 ms. */
  maxMs?: number
  /**
   * A `Retry-After` of the server is waited for up to this; one that asks for more fails at once,
   * with the value in `details.retryAfterMs`. Default 60,000 ms.
   */
  maxRetryAfterMs?: number
  /**
   * What to do when there was no response at all.
   *
   * - `'when-unsent'` (default): try again only when the request cannot have reached the server
   *   (offline, refused, no such host; a browser tells none of these but offline). Otherwise the
   *   server may be at work on it: a message would be answered twice, an approved tool run twice. This
   *   is the rule of RFC 9110 §9.2.2 for methods that are not idempotent.
   * - `'always'`: for servers that recognise a repeated request.
   * - `'never'`.
   *
   * A reconnect only reads, so it is always tried again.
   */
  networkErrors?: 'when-unsent' | 'always' | 'never'
  /** From 0 to 1; a wait is that share of its longest. Default `Math.random`. */
  random?: () => number
  /** Decides in place of the rules of status and network errors. The bounds above still hold. */
  shouldRetry?: (error: EngineError, context: RetryContext) => boolean
  /** Waits, and rejects when `signal` aborts. Default: a timer. */
  sleep?: (ms: number, signal: AbortSignal) => Promise<void>
}

/** Given to `shouldRetry`. */
export interface RetryContext {
  /** The try that failed, from 1. */
  readonly attempt: number
  readonly method: 'GET' | 'POST'
}

/** Runs `attempt` until it succeeds, may not be repeated, or the tries are used up. */
export async function withRetries<T>(
  options: RetryOptions | false,
  method: RetryContext['method'],
  signal: AbortSignal,
  attempt: (count: number) => Promise<T>,
): Promise<T> {
  const { attempts = 3, sleep = sleepUnlessAborted } = options === false ? { attempts: 1 } : options
  for (let count = 1; ; count += 1) {
    if (signal.aborted) throw abortError(signal)
    try {
      return await attempt(count)
    } catch (error) {
      if (signal.aborted) throw abortError(signal)
      if (options === false || count >= attempts || !isEngineError(error)) throw error
      if (!isWorthRepeating(error, { attempt: count, method }, options)) throw error
      await sleep(waitBefore(count, error, options), signal)
    }
  }
}

function isWorthRepeating(
  error: EngineError,
  context: RetryContext,
  options: RetryOptions,
): boolean {
  const { maxRetryAfterMs = 60_000, networkErrors = 'when-unsent', shouldRetry } = options
  if (retryAfterOf(error) > maxRetryAfterMs) return false
  if (shouldRetry !== undefined) return shouldRetry(error, context)
  if (error.code === 'http_status') return error.retryable
  if (error.code !== 'http_network') return false
  if (context.method === 'GET' || networkErrors === 'always') return true
  return networkErrors === 'when-unsent' && error.details['unsent'] === true
}

/** Exponential backoff with full jitter, and no less than the server asks for. */
function waitBefore(count: number, error: EngineError, options: RetryOptions): number {
  const { baseMs = 500, maxMs = 30_000, random = Math.random } = options
  const longest = Math.min(maxMs, baseMs * 2 ** (count - 1))
  return Math.max(retryAfterOf(error), random() * longest)
}

function retryAfterOf(error: EngineError): number {
  const { retryAfterMs } = error.details
  return typeof retryAfterMs === 'number' ? retryAfterMs : 0
}

function sleepUnlessAborted(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(abortError(signal))
      return
    }
    const abort = (): void => {
      clearTimeout(timer)
      reject(abortError(signal))
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', abort)
      resolve()
    }, ms)
    signal.addEventListener('abort', abort, { once: true })
  })
}
