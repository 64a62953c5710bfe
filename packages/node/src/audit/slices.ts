/** How long one slice may take, in milliseconds. */
const SLICE_MS = 10

/** Cuts much work into slices that keep nobody else waiting. */
export interface Slices {
  /** Begins one; answers with how much to do in it. */
  begin(): number
  end(): void
}

/** Begins with little, and finds out by itself how much is done in the time of a slice. */
export function slices(most: number): Slices {
  let size = Math.min(100, most)
  let began = 0
  return {
    begin() {
      began = performance.now()
      return size
    },
    end() {
      const ms = Math.max(performance.now() - began, 0.1)
      // Twice as much at most: what comes next may be larger than what came before.
      size = Math.max(1, Math.min(most, size * 2, Math.floor((size * SLICE_MS) / ms)))
    },
  }
}
