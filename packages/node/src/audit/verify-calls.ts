import { setImmediate } from 'node:timers/promises'
import { assertOpen } from '../sqlite/database-error.ts'
import type { AssentDatabase } from '../sqlite/open-database.ts'
import { invalid, type InvalidAudit } from './audit-chain.ts'
import { toPayload } from './audit-query.ts'
import { withEntry, type CallRow } from './call-row.ts'
import { CALL_COLUMNS, toCallRow } from './call-table.ts'

/** Calls that are compared before others may go on. */
const CHUNK = 300

/** Compares every row of `tool_calls` with what the entries make of it. */
export async function verifyCalls(database: AssentDatabase): Promise<InvalidAudit | undefined> {
  assertOpen(database)
  const { sqlite } = database
  const ids = sqlite.prepare(
    `SELECT DISTINCT call_id AS id FROM audit_entries INDEXED BY audit_entries_by_call
     WHERE kind = 'call' AND call_id > ? ORDER BY call_id LIMIT ?`,
  )
  const entries = sqlite.prepare(
    `SELECT call_id AS id, seq, at, payload FROM audit_entries INDEXED BY audit_entries_by_call
     WHERE kind = 'call' AND call_id > ? AND call_id <= ? ORDER BY call_id, seq`,
  )
  const rows = sqlite.prepare(
    `SELECT ${CALL_COLUMNS} FROM tool_calls WHERE id > ? AND id <= ? ORDER BY id`,
  )
  /** Says what is wrong with the calls after one, and which one was the last. */
  function compare(after: string) {
    const last = ids.all(after, CHUNK).at(-1)?.['id']
    // What comes after the last call that the entries know belongs to it.
    const until = last === undefined ? '\u{10ffff}' : String(last)
    const expected = new Map<string, { row: CallRow; seq: number }>()
    for (const { id, seq, at, payload } of entries.iterate(after, until)) {
      const entry = { seq: Number(seq), at: Number(at), payload: toPayload(String(payload)) }
      const row = withEntry(expected.get(String(id))?.row, entry)
      expected.set(String(id), { row, seq: entry.seq })
    }
    for (const found of rows.iterate(after, until)) {
      const row = toCallRow(found)
      const wanted = expected.get(row.id)
      expected.delete(row.id)
      if (wanted && isSame(row, wanted.row)) continue
      return { fault: wrong(row.id, wanted?.seq ?? row.seq) }
    }
    for (const [id, { seq }] of expected) return { fault: wrong(id, seq) }
    return { last }
  }

  for (let after = ''; ;) {
    const { fault, last } = database.transaction(() => compare(after))
    if (fault) return fault
    if (last === undefined) return undefined
    after = String(last)
    await setImmediate()
  }
}

function isSame(one: CallRow, other: CallRow): boolean {
  return Object.entries(one).every(([field, value]) => Reflect.get(other, field) === value)
}

function wrong(id: string, seq: number) {
  return invalid(seq, 'tool_calls', `tool_calls says of the call ${id} what no entry says.`)
}
