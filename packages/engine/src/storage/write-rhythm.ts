/** When a write is made: soon after a change, seldom while an answer streams, later after failures. */
export interface WriteRhythm {
  /** Writes in so many milliseconds, unless that is due before. */
  schedule(ms: number): void
  /** Writes again after a failure; each time later, until `succeeded`. */
  retry(): void
  succeeded(): void
  /** Whether the last write failed. */
  isFailing(): boolean
  /** What is scheduled is done now. */
  clear(): void
  /** Nothing is scheduled any more. */
  close(): void
}

const LONGEST_RETRY_MS = 30_000

/** @param write makes a write now */
export function writeRhythm(write: () => void, retryMs: number): WriteRhythm {
  let timer: ReturnType<typeof setTimeout> | undefined
  let timerMs = 0
  let failures = 0
  let isClosed = false

  /** A page that is hidden may never be seen again. */
  const page = 'document' in globalThis ? globalThis.document : undefined
  const isHidden = () => page?.visibilityState === 'hidden'
  const onHidden = () => {
    if (isHidden()) write()
  }
  page?.addEventListener('visibilitychange', onHidden)

  function clear(): void {
    clearTimeout(timer)
    timer = undefined
  }

  function schedule(ms: number): void {
    if (isClosed) return
    // Its timers may stand still.
    if (ms === 0 && failures === 0 && isHidden()) return write()
    if (timer !== undefined) {
      // What need not wait overtakes what may, but not a store that is given time to recover.
      if (ms >= timerMs || failures > 0) return
      clear()
    }
    timerMs = ms
    timer = setTimeout(write, ms)
  }

  return {
    schedule,
    clear,
    retry() {
      failures++
      schedule(Math.min(retryMs * 2 ** (failures - 1), LONGEST_RETRY_MS))
    },
    succeeded() {
      failures = 0
    },
    isFailing: () => failures > 0,
    close() {
      page?.removeEventListener('visibilitychange', onHidden)
      isClosed = true
    },
  }
}
