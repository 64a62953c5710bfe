/** What the time until the next attempt depends on. */
export interface RetryDelayOptions {
  /** Attempts made so far, from 1. */
  readonly attempts: number
  /** The most that the first one waits, in milliseconds; doubled with each attempt. */
  readonly baseMs: number
  /** No attempt waits longer, unless it was asked to. Default 60,000. */
  readonly capMs?: number
  /** How long whoever refused asked to wait. */
  readonly retryAfterMs?: number | undefined
  /** From 0 to below 1. Default `Math.random`. */
  readonly random?: () => number
}

/**
 * Whole milliseconds until the next attempt: any time up to a bound that doubles with each one (full
 * jitter), so that those who failed together do not come back together. Who was asked to wait waits as
 * long as that, and then any time up to the first bound.
 */
export function retryDelayMs({
  attempts,
  baseMs,
  capMs = 60_000,
  retryAfterMs,
  random = Math.random,
}: RetryDelayOptions): number {
  if (retryAfterMs !== undefined)
    return Math.ceil(retryAfterMs + random() * Math.min(capMs, baseMs))
  const bound = Math.min(capMs, baseMs * 2 ** (attempts - 1))
  return Math.ceil(random() * bound)
}
