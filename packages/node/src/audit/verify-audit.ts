import { setImmediate } from 'node:timers/promises'
import {
  followChain,
  type AuditChain,
  type AuditVerification,
  type InvalidAudit,
} from './audit-chain.ts'
import { NO_HASH, type AuditHead, type StoredEntry } from './audit-entry.ts'
import type { AuditStore } from './audit-store.ts'
import { slices } from './slices.ts'
import { verifyCalls } from './verify-calls.ts'

/** Options of `verify`. */
export interface VerifyOptions {
  /** What `head()` said at some time before, kept where who may write the database may not. */
  readonly head?: AuditHead
}

/** Follows the chain of entries from the first to the last, and then compares the table of calls. */
export async function verifyAudit(
  store: AuditStore,
  { head: noted }: VerifyOptions,
): Promise<AuditVerification> {
  const chain = followChain({ seq: 0, hash: NO_HASH }, noted)
  const slice = slices(2_000)
  let after = Number.MIN_SAFE_INTEGER
  for (;;) {
    const limit = slice.size
    const { entries, head } = await store.chain(after, limit)
    const wrong = slice.take(() => firstFault(chain, entries))
    if (wrong) return wrong
    after = entries.at(-1)?.seq ?? after
    if (entries.length < limit) {
      const fault = chain.end(head) ?? (await verifyCalls(store))
      return fault ?? { valid: true, entries: chain.head().seq, head: chain.head() }
    }
    await setImmediate()
  }
}

function firstFault(chain: AuditChain, entries: readonly StoredEntry[]): InvalidAudit | undefined {
  for (const entry of entries) {
    const fault = chain.next(entry)
    if (fault) return fault
  }
  return undefined
}
