/** Runs something once, in some milliseconds; returns how to cancel that. */
export type Schedule = (run: () => void, ms: number) => () => void

/** What `setTimeout` can count to; a longer one fires at once. */
const LONGEST_MS = 2 ** 31 - 1

export const scheduleTimeout: Schedule = (run, ms) => {
  const timer = setTimeout(run, Math.min(ms, LONGEST_MS))
  return () => clearTimeout(timer)
}
