import type { AssentDatabase } from '../sqlite/open-database.ts'
import type { StoredCalls } from './audit-store.ts'
import { toCallRow } from './call-row.ts'
import { CALL_COLUMNS } from './call-table.ts'
import { ENTRY_COLUMNS, toStoredEntry } from './entry-rows.ts'

/** The last of the calls that are read; what comes after the last one that the entries know belongs to it. */
const LAST = `
  SELECT max(id) FROM (
    SELECT DISTINCT call_id AS id FROM audit_entries INDEXED BY audit_entries_by_call
    WHERE kind = 'call' AND call_id > ? ORDER BY call_id LIMIT ?)`

/** Before what comes after every id. */
const UNTIL = `<= coalesce((${LAST}), '\u{10ffff}')`

const ENTRIES = `
  SELECT call_id AS id, ${ENTRY_COLUMNS} FROM audit_entries INDEXED BY audit_entries_by_call
  WHERE kind = 'call' AND call_id > ? AND call_id ${UNTIL} ORDER BY call_id, seq`

const ROWS = `SELECT ${CALL_COLUMNS} FROM tool_calls WHERE id > ? AND id ${UNTIL} ORDER BY id`

/** Some calls after one, by their ids, as entries and table have them at one moment. */
export async function readStoredCalls(
  database: AssentDatabase,
  after: string,
  limit: number,
): Promise<StoredCalls> {
  const values = [after, after, limit]
  const [entries = [], rows = []] = await database.query([
    { sql: ENTRIES, values },
    { sql: ROWS, values },
  ])
  const last = entries.at(-1)?.['id']
  return {
    last: last === undefined ? undefined : String(last),
    entries: entries.map((row) => ({ id: String(row['id']), ...toStoredEntry(row) })),
    rows: rows.map(toCallRow),
  }
}
