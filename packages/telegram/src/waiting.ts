import { setTimeout as wait } from 'node:timers/promises'

/** The time, and how to let it pass; a test has its own. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number
  /** Resolves after so many milliseconds; rejects at once when the signal aborts. */
  wait(ms: number, signal: AbortSignal): Promise<void>
  /** A signal that aborts after so many milliseconds. Default `AbortSignal.timeout`. */
  timeout?(ms: number): AbortSignal
}

/** The longest time that a timer of Node can be set to. */
const MAX_DELAY = 2 ** 31 - 1

export const systemClock: Clock = {
  now: () => Date.now(),
  wait: (ms, signal) => wait(Math.min(ms, MAX_DELAY), undefined, { signal }),
}

/** The wait before attempt `attempt + 1`: grows from one second, up to 30, by chance in between. */
export function backoffMs(attempt: number, random: () => number = Math.random): number {
  return Math.ceil(random() * Math.min(30_000, 1_000 * 2 ** (attempt - 1)))
}
