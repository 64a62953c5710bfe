import type { ApprovalLedger, LedgerEntry, LedgerKey } from './approval-ledger.ts'
import { checkedClock } from './checked-clock.ts'

const DAY_MS = 86_400_000

/** Options of {@link memoryLedger}. */
export interface MemoryLedgerOptions {
  /** How long decisions are kept, in milliseconds: longer than one can be used. Default 2 days. */
  readonly keepMs?: number
  /** How many outcomes are kept; of a call whose outcome is not, nobody knows it. Default 10,000. */
  readonly maxOutcomes?: number
  /** Milliseconds since the epoch. */
  readonly now?: () => number
}

interface Entry {
  readonly decidedAt: number
  approved: boolean
  run: 'none' | 'expired' | 'ended' | { readonly holder: string; leaseUntil: number }
}

/**
 * A ledger in the memory of this process. A restart forgets it: then only their age keeps approvals from
 * being used again.
 */
export function memoryLedger({
  keepMs = 2 * DAY_MS,
  maxOutcomes = 10_000,
  now: readClock = Date.now,
}: MemoryLedgerOptions = {}): ApprovalLedger {
  const now = checkedClock(readClock)
  const since = now()
  const entries = new Map<string, Entry>()
  /** As JSON, and apart from the rest, as they are large. */
  const outcomes = new Map<string, string>()

  function forgetOld(): void {
    for (const [name, { decidedAt }] of entries) {
      if (decidedAt >= now() - keepMs) break
      entries.delete(name)
      outcomes.delete(name)
    }
  }

  function entryOf(name: string, approved = true): Entry {
    const known = entries.get(name)
    if (known) return known
    forgetOld()
    const entry: Entry = { decidedAt: now(), approved, run: 'none' }
    entries.set(name, entry)
    return entry
  }

  function read(name: string): LedgerEntry | undefined {
    const { run = 'none', approved = true } = entries.get(name) ?? {}
    if (!approved) return { status: 'denied' }
    if (run === 'none') return undefined
    if (run === 'expired') return { status: 'expired' }
    if (run === 'ended') return JSON.parse(outcomes.get(name) ?? '{"status":"unknown"}')
    return { status: run.leaseUntil > now() ? 'running' : 'unknown' }
  }

  return {
    isDurable: false,
    async decide(key, approved) {
      const entry = entryOf(nameOf(key), approved)
      const isClaimed = entry.run !== 'none' && entry.run !== 'expired'
      if (!approved && !isClaimed) entry.approved = false
      return entry.approved
    },
    look: async (key) => read(nameOf(key)),
    async claim(key, { holder, leaseMs }) {
      const name = nameOf(key)
      const entry = entryOf(name)
      const known = read(name)
      if (known) return known
      entry.run = { holder, leaseUntil: now() + leaseMs }
      return { status: 'claimed' }
    },
    async renew(key, { holder, leaseMs }) {
      const { run } = entries.get(nameOf(key)) ?? {}
      if (typeof run === 'object' && run.holder === holder) run.leaseUntil = now() + leaseMs
    },
    async end(key, holder, outcome) {
      const name = nameOf(key)
      const entry = entries.get(name)
      if (typeof entry?.run !== 'object' || entry.run.holder !== holder) return
      const text = JSON.stringify(outcome)
      entry.run = 'ended'
      outcomes.set(name, text)
      const [oldest] = outcomes.keys()
      if (outcomes.size > maxOutcomes && oldest !== undefined) outcomes.delete(oldest)
    },
    async expire(key, askedAt) {
      const name = nameOf(key)
      const known = read(name)
      if (known) return known
      if (!entries.has(name) && askedAt < Math.max(since, now() - keepMs)) {
        return { status: 'unknown' }
      }
      entryOf(name).run = 'expired'
      return { status: 'expired' }
    },
  }
}

function nameOf({ owner, conversationId, approvalId, fingerprint }: LedgerKey): string {
  return JSON.stringify([owner, conversationId, approvalId, fingerprint])
}
