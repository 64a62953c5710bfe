import { entryAfter, fullPayload, type AuditHead, type StoredEntry } from './audit-entry.ts'
import type { AuditDraft } from './audit-store.ts'
import { withEntry, type CallRow } from './call-row.ts'

/** What a write comes to. */
export interface PlannedWrite {
  readonly entries: readonly StoredEntry[]
  readonly head: AuditHead
  /** The row of its call, when it has become another one. */
  readonly row: CallRow | undefined
}

/** Drafts as entries that follow the last one, and the row of the call that they are about. */
export function planWrite(
  drafts: readonly AuditDraft[],
  {
    head: start,
    row: before,
    at,
  }: { readonly head: AuditHead; readonly row: CallRow | undefined; readonly at: number },
): PlannedWrite {
  let head = start
  let row = before
  const entries = drafts.map(({ kind, payload: given }) => {
    const entry = entryAfter(head, { at, kind, payload: given })
    head = { seq: entry.seq, hash: entry.hash }
    // Made of what was written, so that verifying comes to the same row.
    if (kind === 'call') row = withEntry(row, { ...entry, payload: fullPayload(entry) })
    return entry
  })
  return { entries, head, row: row === before ? undefined : row }
}
