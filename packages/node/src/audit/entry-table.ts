import type { SQLOutputValue } from 'node:sqlite'
import { visibleJson } from '@assent/engine/reading'
import { readFrom } from '../sqlite/database-error.ts'
import type { AssentDatabase, TransactionOptions } from '../sqlite/open-database.ts'
import { entryAfter, type AuditHead, type AuditKind, type StoredEntry } from './audit-entry.ts'

/** What to select for {@link toStoredEntry}. */
export const ENTRY_COLUMNS = 'seq, at, kind, payload, prev_hash AS "prevHash", hash'

/** The table of entries, to which nothing but an entry can be added. */
export interface EntryTable {
  /** The last entry; of number 0 when there is none. */
  head(): AuditHead
  append(kind: AuditKind, payload: object, options?: TransactionOptions): StoredEntry
}

export function entryTable(database: AssentDatabase, now: () => number): EntryTable {
  const { sqlite } = database
  const leading = sqlite.prepare('SELECT seq, hash FROM audit_head')
  const adding = sqlite.prepare(
    'INSERT INTO audit_entries (seq, at, kind, payload, prev_hash, hash) VALUES (?, ?, ?, ?, ?, ?)',
  )

  function head(): AuditHead {
    const row = readFrom(database, () => leading.get())
    return { seq: Number(row?.['seq']), hash: String(row?.['hash']) }
  }

  return {
    head,
    append: (kind, payload, options) =>
      database.transaction(() => {
        const entry = entryAfter(head(), {
          at: Math.trunc(now()),
          kind,
          // One line for all that read lines, in which nothing is hidden from who looks at it.
          payload: visibleJson(payload),
        })
        const { seq, at, payload: text, prevHash, hash } = entry
        adding.run(seq, at, kind, text, prevHash, hash)
        return entry
      }, options),
  }
}

/** The entry that was selected, whatever somebody may have made of it. */
export function toStoredEntry(row: Record<string, SQLOutputValue>): StoredEntry {
  return {
    seq: Number(row['seq']),
    at: Number(row['at']),
    kind: String(row['kind']),
    payload: String(row['payload']),
    prevHash: String(row['prevHash']),
    hash: String(row['hash']),
  }
}
