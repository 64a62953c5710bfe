import type { StoredEntry } from './audit-entry.ts'

/** What to select for {@link toStoredEntry}. */
export const ENTRY_COLUMNS =
  'seq, at, kind, payload, body, erased_at AS "erasedAt", prev_hash AS "prevHash", hash'

/** The entry that was selected, whatever somebody may have made of it. */
export function toStoredEntry(row: Readonly<Record<string, unknown>>): StoredEntry {
  const textOrNull = (value: unknown) => (value === null ? null : String(value))
  const { seq, at, kind, payload, body, erasedAt, prevHash, hash } = row
  return {
    seq: Number(seq),
    at: Number(at),
    kind: String(kind),
    payload: String(payload),
    body: textOrNull(body),
    erasedAt: erasedAt === null ? null : Number(erasedAt),
    prevHash: String(prevHash),
    hash: String(hash),
  }
}
