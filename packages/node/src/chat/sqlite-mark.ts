import type { DatabaseSync } from 'node:sqlite'
import { advanceMark, type LedgerMark } from './ledger-mark.ts'

/** What a ledger in a database has seen of time. */
export interface SqliteMark {
  /** Takes note of the clock, and forgets what is over. Within a transaction that writes. */
  tidy(): LedgerMark
}

/**
 * @param keepMs what has been there for longer, and was asked about longer ago, is forgotten
 */
export function sqliteMark(sqlite: DatabaseSync, keepMs: number, now: () => number): SqliteMark {
  const get = sqlite.prepare('SELECT latest_at, passed_ms, forgotten_before FROM ledger_mark')
  const set = sqlite.prepare(
    'UPDATE ledger_mark SET latest_at = ?, passed_ms = ?, forgotten_before = ?',
  )
  const isOver = 'noted_at < ? AND asked_at < ?'
  const lastAsked = sqlite.prepare(
    `SELECT max(asked_at) AS asked_at FROM approval_ledger WHERE ${isOver}`,
  )
  const forget = sqlite.prepare(`DELETE FROM approval_ledger WHERE ${isOver}`)
  const forgetUntold = sqlite.prepare('DELETE FROM untold_run WHERE noted_at < ?')
  const forgetLatest = sqlite.prepare('DELETE FROM latest_answer WHERE noted_at < ?')

  return {
    tidy() {
      const row = get.get() ?? {}
      const [latestAt, passedMs, forgottenBefore] = [
        Number(row['latest_at']),
        Number(row['passed_ms']),
        Number(row['forgotten_before']),
      ]
      const at = now()
      const mark = advanceMark({ latestAt, passedMs, forgottenBefore }, at)
      const over = [Math.floor(mark.passedMs - keepMs), Math.floor(at - keepMs)] as const
      const asked = lastAsked.get(...over)?.['asked_at']
      const isForgetting = typeof asked === 'number'
      const before = isForgetting ? Math.max(forgottenBefore, asked + 1) : forgottenBefore
      if (isForgetting) forget.run(...over)
      forgetUntold.run(over[0])
      forgetLatest.run(over[0])
      set.run(mark.latestAt, mark.passedMs, before)
      return { ...mark, forgottenBefore: before }
    },
  }
}
