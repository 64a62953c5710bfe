import type { AssentDatabase } from '../sqlite/open-database.ts'
import { createRunsUnderWay, type ApprovalLedger, type EarlierRun } from './approval-ledger.ts'

/**
 * A ledger in a database, so that neither a restart nor another process runs a call again. That a run
 * begins is on disk before it does.
 *
 * @param keepMs how long entries are kept: longer than an approval can be used
 */
export function sqliteLedger(
  { sqlite, transaction }: AssentDatabase,
  keepMs: number,
  now: () => number = Date.now,
): ApprovalLedger {
  const underWay = createRunsUnderWay()
  const find = sqlite.prepare(
    'SELECT approved, run, output_json, error_text FROM chat_approvals WHERE approval_id = ?',
  )
  const insert = sqlite.prepare(
    'INSERT INTO chat_approvals (approval_id, approved, run, decided_at) VALUES (?, ?, ?, ?)',
  )
  const forget = sqlite.prepare('DELETE FROM chat_approvals WHERE decided_at < ?')
  const begun = sqlite.prepare("UPDATE chat_approvals SET run = 'begun' WHERE approval_id = ?")
  const ended = sqlite.prepare(
    'UPDATE chat_approvals SET run = ?, output_json = ?, error_text = ? WHERE approval_id = ?',
  )

  return {
    decide: (approvalId, approved) =>
      transaction(() => {
        const row = find.get(approvalId)
        if (row) return row['approved'] === 1
        forget.run(now() - keepMs)
        insert.run(approvalId, approved ? 1 : 0, null, now())
        return approved
      }),
    begin(approvalId) {
      const running = underWay.get(approvalId)
      if (running) return { status: 'running', ended: running }
      const earlier = transaction((): EarlierRun => {
        const row = find.get(approvalId)
        if (!row) insert.run(approvalId, 1, 'begun', now())
        else if (row['run'] === null) begun.run(approvalId)
        else return readRun(row)
        return { status: 'new' }
      })
      if (earlier.status === 'new') underWay.add(approvalId)
      return earlier
    },
    end(approvalId, outcome) {
      const isDone = outcome.status === 'done'
      const output = isDone ? (JSON.stringify(outcome.output) ?? null) : null
      const errorText = isDone ? null : outcome.errorText
      try {
        transaction(() => ended.run(outcome.status, output, errorText, approvalId))
      } finally {
        // Whoever waits for it here gets it, kept or not.
        underWay.end(approvalId, outcome)
      }
    },
  }
}

function readRun(row: Readonly<Record<string, unknown>>): EarlierRun {
  const { run, output_json: json, error_text: errorText } = row
  if (run === 'done') {
    const output: unknown = typeof json === 'string' ? JSON.parse(json) : undefined
    return { status: 'done', output }
  }
  if (run === 'failed') return { status: 'failed', errorText: String(errorText) }
  return { status: 'unknown' }
}
