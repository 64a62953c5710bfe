const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/**
 * What a ledger has seen of time, kept beside its entries. A clock can jump, forward and back; so how long
 * an entry is kept is counted by this, and what was forgotten stays known as forgotten.
 */
export interface LedgerMark {
  /** The latest that any clock has said, in milliseconds since the epoch. */
  readonly latestAt: number
  /** How much time has passed for the ledger, in milliseconds: no jump adds more than an hour. */
  readonly passedMs: number
  /** What was asked before this may have been forgotten, so that it is never claimed. */
  readonly forgottenBefore: number
}

export const FIRST_MARK: LedgerMark = { latestAt: 0, passedMs: 0, forgottenBefore: 0 }

/** The mark once a clock was read. */
export function advanceMark(mark: LedgerMark, now: number): LedgerMark {
  const passed = Math.min(Math.max(now - mark.latestAt, 0), HOUR_MS)
  // A clock a little behind is another machine's. One a day behind was wrong before, or time would stand still.
  const isBack = now < mark.latestAt - DAY_MS
  const latestAt = isBack ? now : Math.max(mark.latestAt, now)
  return { ...mark, latestAt: Math.floor(latestAt), passedMs: Math.floor(mark.passedMs + passed) }
}
