import { setImmediate } from 'node:timers/promises'
import { invalid, type InvalidAudit } from './audit-chain.ts'
import { fullPayload } from './audit-entry.ts'
import type { AuditStore, StoredCalls } from './audit-store.ts'
import { withEntry, type CallRow } from './call-row.ts'
import { slices } from './slices.ts'

/** Compares every row of the table of calls with what the entries make of it. */
export async function verifyCalls(store: AuditStore): Promise<InvalidAudit | undefined> {
  const slice = slices(1_000)
  for (let after = ''; ;) {
    const stored = await store.storedCalls(after, slice.size)
    const fault = slice.take(() => compare(stored))
    if (fault || stored.last === undefined) return fault
    after = stored.last
    await setImmediate()
  }
}

function compare({ entries, rows }: StoredCalls): InvalidAudit | undefined {
  const expected = new Map<string, { row: CallRow; seq: number }>()
  for (const { id, ...entry } of entries) {
    const row = withEntry(expected.get(id)?.row, { ...entry, payload: fullPayload(entry) })
    expected.set(id, { row, seq: entry.seq })
  }
  for (const row of rows) {
    const wanted = expected.get(row.id)
    expected.delete(row.id)
    if (!wanted || !isSame(row, wanted.row)) return wrong(row.id, wanted?.seq ?? row.seq)
  }
  for (const [id, { seq }] of expected) return wrong(id, seq)
  return undefined
}

function isSame(one: CallRow, other: CallRow): boolean {
  return Object.entries(one).every(([field, value]) => Reflect.get(other, field) === value)
}

function wrong(id: string, seq: number): InvalidAudit {
  return invalid(seq, 'tool_calls', `tool_calls says of the call ${id} what no entry says.`)
}
