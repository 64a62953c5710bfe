import type { AssentDatabase } from '../sqlite/open-database.ts'
import { fullPayload } from './audit-entry.ts'
import { subjectPart } from './audit-sql.ts'
import type { AuditDraft, AuditStore } from './audit-store.ts'
import { withEntry, type CallRow } from './call-row.ts'
import { callTable } from './call-table.ts'
import { ENTRY_COLUMNS, toStoredEntry } from './entry-rows.ts'

/** Erases bodies in a file, and makes the rows of their calls anew; the pages they were on are overwritten. */
export function sqliteErasing(
  database: AssentDatabase,
  { add, now }: { readonly add: (draft: AuditDraft) => number; readonly now: () => number },
): (...given: Parameters<AuditStore['erase']>) => Promise<number> {
  const { sqlite } = database
  const table = callTable(database)
  const erasing = sqlite.prepare(
    'UPDATE audit_entries SET body = NULL, erased_at = ? WHERE seq = ? AND body IS NOT NULL',
  )
  const ofCall = sqlite.prepare(
    `SELECT ${ENTRY_COLUMNS} FROM audit_entries WHERE kind = 'call' AND call_id = ? ORDER BY seq`,
  )

  return (subject, limit, plan) => {
    return database.transaction(() => {
      const [where, ...values] = subjectPart(subject)
      // What says whose a conversation is goes last: by that the rest is found.
      const found = sqlite
        .prepare(
          `SELECT seq, call_id AS "callId" FROM audit_entries
           WHERE body IS NOT NULL AND ${where} ORDER BY owner IS NOT NULL, seq LIMIT ?`,
        )
        .all(...values, limit)
      if (found.length === 0) return 0
      const at = Math.trunc(now())
      for (const { seq } of found) erasing.run(at, Number(seq))
      for (const callId of new Set(found.map(({ callId: id }) => id))) {
        if (typeof callId !== 'string') continue
        let row: CallRow | undefined
        for (const one of ofCall.all(callId)) {
          const entry = toStoredEntry(one)
          row = withEntry(row, { ...entry, payload: fullPayload(entry) })
        }
        if (row) table.put(row)
      }
      return add(plan(found.map(({ seq }) => Number(seq)))) && found.length
    })
  }
}
