import { ENTRY_COLUMNS, toStoredEntry, type StoredCalls } from '@assent/node/audit'
import type { AssentPostgres, Row } from '../open-postgres.ts'
import { CALL_COLUMNS, toRow } from './call-rows.ts'

/** Some calls after one, by their ids, as entries and table have them at one moment. */
export function readStoredCalls(
  { transaction }: AssentPostgres,
  after: string,
  limit: number,
): Promise<StoredCalls> {
  return transaction(async (client) => {
    await client.query('set transaction isolation level repeatable read read only')
    const ids = await client.query<Row>(
      `select distinct call_id as id from assent.audit_entries
       where kind = 'call' and call_id > $1 order by call_id limit $2`,
      [after, limit],
    )
    const last = ids.rows.at(-1)?.['id']
    // What comes after the last call that the entries know belongs to it.
    const within = [after, last ?? null]
    const entries = await client.query<Row>(
      `select call_id as id, ${ENTRY_COLUMNS} from assent.audit_entries
       where kind = 'call' and call_id > $1 and ($2::text is null or call_id <= $2)
       order by call_id, seq`,
      within,
    )
    const rows = await client.query<Row>(
      `select ${CALL_COLUMNS} from assent.tool_calls
       where id > $1 and ($2::text is null or id <= $2) order by id`,
      within,
    )
    return {
      last: last === undefined ? undefined : String(last),
      entries: entries.rows.map((row) => ({ id: String(row['id']), ...toStoredEntry(row) })),
      rows: rows.rows.map(toRow),
    }
  })
}
