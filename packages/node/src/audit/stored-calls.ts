import { readFrom } from '../sqlite/database-error.ts'
import type { AssentDatabase } from '../sqlite/open-database.ts'
import type { StoredCalls } from './audit-store.ts'
import { toCallRow } from './call-row.ts'
import { CALL_COLUMNS } from './call-table.ts'
import { ENTRY_COLUMNS, toStoredEntry } from './entry-rows.ts'

/** What comes after every id. */
const END = '\u{10ffff}'

/** Some calls after one, by their ids, as entries and table have them at one moment. */
export function readStoredCalls(
  database: AssentDatabase,
  after: string,
  limit: number,
): StoredCalls {
  const { sqlite } = database
  const read = (): StoredCalls => {
    const last = sqlite
      .prepare(
        `SELECT DISTINCT call_id AS id FROM audit_entries INDEXED BY audit_entries_by_call
         WHERE kind = 'call' AND call_id > ? ORDER BY call_id LIMIT ?`,
      )
      .all(after, limit)
      .at(-1)?.['id']
    // What comes after the last call that the entries know belongs to it.
    const until = last === undefined ? END : String(last)
    const entries = sqlite
      .prepare(
        `SELECT call_id AS id, ${ENTRY_COLUMNS} FROM audit_entries INDEXED BY audit_entries_by_call
         WHERE kind = 'call' AND call_id > ? AND call_id <= ? ORDER BY call_id, seq`,
      )
      .all(after, until)
      .map((row) => ({ id: String(row['id']), ...toStoredEntry(row) }))
    const rows = sqlite
      .prepare(`SELECT ${CALL_COLUMNS} FROM tool_calls WHERE id > ? AND id <= ? ORDER BY id`)
      .all(after, until)
      .map(toCallRow)
    return { last: last === undefined ? undefined : String(last), entries, rows }
  }
  return readFrom(database, () => readAsOne(database, read))
}

/** Reads several things as they are at one moment, without keeping anybody from writing. */
function readAsOne<T>({ sqlite }: AssentDatabase, read: () => T): T {
  if (sqlite.isTransaction) return read()
  sqlite.exec('BEGIN')
  try {
    return read()
  } finally {
    sqlite.exec('COMMIT')
  }
}
