/** Something that is done again and again: one run at a time; what fails runs again, a little later. */
export interface Flight {
  begin(ms: number): void
  /** Calls back when nothing is under way. */
  over(then: () => void): void
}

/** How long it rests after a failure, at first and at most. */
const FIRST_REST_MS = 20
const LONGEST_REST_MS = 1_000

export function createFlight(
  closed: AbortSignal,
  onError: (error: unknown) => void,
  run: () => Promise<void>,
): Flight {
  let timer: NodeJS.Timeout | undefined
  let isUnderWay = false
  let isAgain = false
  let failures = 0
  const waiting: (() => void)[] = []

  function begin(ms: number): void {
    if (closed.aborted) return
    if (isUnderWay) isAgain = true
    else timer ??= setTimeout(() => void fly(), ms)
  }

  async function fly(): Promise<void> {
    timer = undefined
    isUnderWay = true
    try {
      await run()
      failures = 0
    } catch (error) {
      // What lasts is told once.
      if (++failures === 3 && !closed.aborted) onError(error)
      isAgain = true
    }
    isUnderWay = false
    if (isAgain) {
      isAgain = false
      begin(failures === 0 ? 0 : Math.min(LONGEST_REST_MS, FIRST_REST_MS * 2 ** (failures - 1)))
    } else for (const then of waiting.splice(0)) then()
  }

  return {
    begin,
    over(then) {
      if (isUnderWay || timer) waiting.push(then)
      else then()
    },
  }
}
