import type { ErasureSubject } from '../erasing/subject.ts'
import type { AuditHead, AuditKind, AuditPayload, StoredEntry } from './audit-entry.ts'
import type { AuditFilter, RunningCalls } from './audit-filter.ts'
import type { CallRow } from './call-row.ts'

/** An entry that is to be added. */
export interface AuditDraft {
  readonly kind: AuditKind
  readonly payload: AuditPayload
}

/** What is added as one: all of it or nothing. */
export interface AuditWrite {
  /** Nothing is added when there is an entry of this decision. */
  readonly decisionId?: string
  /** The call that the entries are about: its row is read before, and follows them. */
  readonly callId?: string
  /** `relaxed`: a loss of power may undo it, as long as nothing strict came after it. Default `strict`. */
  readonly durability?: 'strict' | 'relaxed'
  /** What to add. It is asked in the transaction, maybe more than once, and must do nothing else. */
  readonly plan: (row: CallRow | undefined) => readonly AuditDraft[]
}

/** Which part of what was found. */
export interface AuditRange {
  readonly limit: number
  /** Only what is older than the entry, or the call, of this `seq`. */
  readonly before?: number | undefined
}

/** Some calls as the entries tell them, and as the table has them, at one moment. */
export interface StoredCalls {
  /** The last call of these that the entries know; `undefined` when there are none any more. */
  readonly last: string | undefined
  /** By their call, and then by `seq`. */
  readonly entries: readonly (Pick<StoredEntry, 'seq' | 'at' | 'payload' | 'body' | 'erasedAt'> & {
    readonly id: string
  })[]
  readonly rows: readonly CallRow[]
}

/**
 * Where the entries of an audit are, and the table of its calls: what a database does for
 * `createAuditLog`. Entries are written in the order in which `write` and `interrupt` were called.
 */
export interface AuditStore {
  /** What is the same for all audits of a database in a process. Default: the store is alone in it. */
  readonly database?: object
  /** Answers with how many entries were added. */
  write(write: AuditWrite): Promise<number>
  /** Adds an entry to each call that runs and is meant; answers with how many there were. */
  interrupt(which: RunningCalls, plan: (row: CallRow) => AuditDraft): Promise<number>
  /**
   * Erases the bodies of some entries of a subject, and notes that behind them, as one; answers with how many
   * there were, 0 when there are none any more.
   *
   * @param plan the note of it, by what was erased
   */
  erase(
    subject: ErasureSubject,
    limit: number,
    plan: (seqs: readonly number[]) => AuditDraft,
  ): Promise<number>
  head(): Promise<AuditHead>
  /** Newest first. */
  entries(filter: AuditFilter, range: AuditRange): Promise<readonly StoredEntry[]>
  /** Oldest first, after the entry of a `seq`. */
  entriesAfter(after: number, limit: number, filter: AuditFilter): Promise<readonly StoredEntry[]>
  /** The one that was queued last first. */
  calls(filter: AuditFilter, range: AuditRange): Promise<readonly CallRow[]>
  /** Entries after one, oldest first, and what is noted as the last of all, at one moment. */
  chain(
    after: number,
    limit: number,
  ): Promise<{
    readonly entries: readonly StoredEntry[]
    readonly head: AuditHead | undefined
  }>
  /** The calls after one, by their ids. */
  storedCalls(after: string, limit: number): Promise<StoredCalls>
}
