/** How long one slice may take, in milliseconds. */
const SLICE_MS = 5

/** Cuts much work into slices that keep nobody else waiting. */
export interface Slices {
  /** How much to do in the next one. */
  readonly size: number
  /** Does one. What it waited for before does not count: others have gone on meanwhile. */
  take<T>(work: () => T): T
}

/** Begins with little, and finds out by itself how much is done in the time of a slice. */
export function slices(most: number): Slices {
  let size = Math.min(100, most)
  return {
    get size() {
      return size
    },
    take(work) {
      const began = performance.now()
      const result = work()
      const ms = Math.max(performance.now() - began, 0.1)
      // Twice as much at most: what comes next may be larger than what came before.
      size = Math.max(1, Math.min(most, size * 2, Math.floor((size * SLICE_MS) / ms)))
      return result
    },
  }
}
