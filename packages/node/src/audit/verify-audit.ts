import { setImmediate } from 'node:timers/promises'
import { readFrom } from '../sqlite/database-error.ts'
import type { AssentDatabase } from '../sqlite/open-database.ts'
import { followChain, type AuditVerification } from './audit-chain.ts'
import { NO_HASH, type AuditHead } from './audit-entry.ts'
import { readEntriesAfter } from './audit-query.ts'
import { verifyCalls } from './verify-calls.ts'

/** Options of `verify`. */
export interface VerifyOptions {
  /** What `head()` said at some time before, kept where who may write the file may not. */
  readonly head?: AuditHead
}

/** Entries that are looked at before others may go on. */
const CHUNK = 1_000

/** Follows the chain of entries from the first to the last, and then compares the table of calls. */
export async function verifyAudit(
  database: AssentDatabase,
  { head: noted }: VerifyOptions,
): Promise<AuditVerification> {
  const chain = followChain({ seq: 0, hash: NO_HASH }, noted)
  const leading = readFrom(database, () =>
    database.sqlite.prepare('SELECT seq, hash FROM audit_head'),
  )
  let after = Number.MIN_SAFE_INTEGER
  for (;;) {
    // As one, so that nothing is added between what is read.
    const { entries, head } = database.transaction(() => ({
      entries: readEntriesAfter(database, {}, { after, limit: CHUNK }),
      head: leading.get(),
    }))
    for (const entry of entries) {
      const fault = chain.next(entry)
      if (fault) return fault
      after = entry.seq
    }
    if (entries.length < CHUNK) {
      const last = head && { seq: Number(head['seq']), hash: String(head['hash']) }
      const fault = chain.end(last) ?? (await verifyCalls(database))
      return fault ?? { valid: true, entries: chain.head().seq, head: chain.head() }
    }
    await setImmediate()
  }
}
