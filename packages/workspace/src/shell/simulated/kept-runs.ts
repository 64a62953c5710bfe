import type { OverlayOutcome } from './overlay-run.ts'

/** Runs whose changes, or whose output, wait for their call. */
export interface KeptRuns {
  get(key: string): OverlayOutcome | undefined
  put(key: string, outcome: OverlayOutcome): void
  /** Gives a run away: it is not kept any more. */
  take(key: string): OverlayOutcome | undefined
  clear(): void
}

/** What of them is kept; the oldest make room. */
export interface KeptRunsOptions {
  readonly most?: number
  readonly mostBytes?: number
  /** Milliseconds. */
  readonly maxAgeMs?: number
}

/** Keeps runs in bounded memory and for a bounded time. What is gone is run again. */
export function createKeptRuns({
  most = 100,
  mostBytes = 128_000_000,
  maxAgeMs = 600_000,
}: KeptRunsOptions = {}): KeptRuns {
  const runs = new Map<string, { outcome: OverlayOutcome; bytes: number; until: number }>()
  let bytes = 0
  let timer: NodeJS.Timeout | undefined

  function drop(key: string): void {
    bytes -= runs.get(key)?.bytes ?? 0
    runs.delete(key)
  }

  /** Drops what is too old or too much. They stand in the order in which they came. */
  function sweep(): void {
    for (const [key, { until }] of runs) {
      const isTooMuch = runs.size > most || bytes > mostBytes
      if (!isTooMuch && until > Date.now()) break
      drop(key)
    }
    clearTimeout(timer)
    const [oldest] = runs.values()
    if (oldest) timer = setTimeout(sweep, Math.max(1, oldest.until - Date.now())).unref()
  }

  function get(key: string): OverlayOutcome | undefined {
    sweep()
    return runs.get(key)?.outcome
  }

  return {
    get,
    put(key, outcome) {
      drop(key)
      const size = sizeOf(outcome)
      runs.set(key, { outcome, bytes: size, until: Date.now() + maxAgeMs })
      bytes += size
      sweep()
    },
    take(key) {
      const outcome = get(key)
      drop(key)
      return outcome
    },
    clear() {
      runs.clear()
      bytes = 0
      clearTimeout(timer)
    },
  }
}

function sizeOf({ output, changes }: OverlayOutcome): number {
  const sizes = changes.map((change) => {
    const before = 'before' in change ? (change.before?.text?.length ?? 0) : 0
    const after =
      change.kind === 'write' ? change.bytes.length + (change.after.text?.length ?? 0) : 0
    return 2 * before + 2 * after
  })
  return sizes.reduce((sum, size) => sum + size, 2 * output.length)
}
