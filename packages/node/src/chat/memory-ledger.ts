import type {
  ApprovalLedger,
  ClaimAnswer,
  LedgerEntry,
  LedgerKey,
  Runner,
  UnaskedRun,
} from './approval-ledger.ts'
import { checkedClock } from './checked-clock.ts'
import { advanceMark, FIRST_MARK } from './ledger-mark.ts'
import { conversationName, scopeName } from './ledger-names.ts'

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
  readonly askedAt: number
  /** When it was noted, by the time that has passed for the ledger. */
  readonly notedAt: number
  approved: boolean
  by: string | undefined
  run: 'none' | 'expired' | 'ended' | { readonly holder: string; leaseUntil: number }
}

/** The latest answer of a conversation, and the runs that its page has not been told of. */
interface Conversation {
  answerId: string
  notedAt: number
  readonly untold: Map<string, UnaskedRun>
}

/**
 * A ledger in the memory of this process. A restart forgets it: approvals that were asked for before hold no
 * more, and are asked for anew.
 */
export function memoryLedger({
  keepMs = 2 * DAY_MS,
  maxOutcomes = 10_000,
  now: readClock = Date.now,
}: MemoryLedgerOptions = {}): ApprovalLedger {
  const now = checkedClock(readClock)
  const identity: string = crypto.randomUUID()
  let mark = advanceMark(FIRST_MARK, now())
  /** Both with what was noted first in front. */
  const entries = new Map<string, Entry>()
  const conversations = new Map<string, Conversation>()
  /** As JSON, and apart from the rest, as they are large. */
  const outcomes = new Map<string, string>()

  function tidy(): void {
    mark = advanceMark(mark, now())
    for (const [name, { notedAt, askedAt }] of entries) {
      if (notedAt >= mark.passedMs - keepMs) break
      if (askedAt >= now() - keepMs) continue
      mark = { ...mark, forgottenBefore: Math.max(mark.forgottenBefore, askedAt + 1) }
      entries.delete(name)
      outcomes.delete(name)
    }
    for (const [name, { notedAt }] of conversations) {
      if (notedAt >= mark.passedMs - keepMs) break
      conversations.delete(name)
    }
  }

  /** @param askedAt `undefined` where nobody was asked, so that nobody can come with it later */
  function entryOf(name: string, approved: boolean, askedAt: number | undefined): Entry {
    const known = entries.get(name)
    if (known) return known
    tidy()
    const isForgotten = askedAt !== undefined && askedAt < mark.forgottenBefore
    const entry: Entry = {
      askedAt: askedAt ?? 0,
      notedAt: mark.passedMs,
      approved: approved || isForgotten,
      by: undefined,
      // Without an outcome: nobody knows it.
      run: isForgotten ? 'ended' : 'none',
    }
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

  function claim(
    name: string,
    { holder, leaseMs }: Runner,
    askedAt: number | undefined,
  ): ClaimAnswer {
    const entry = entryOf(name, true, askedAt)
    const known = read(name)
    if (known) return known
    entry.run = { holder, leaseUntil: now() + leaseMs }
    return { status: 'claimed' }
  }

  return {
    isDurable: false,
    identity: async () => identity,
    async decide(key, approved, askedAt, by) {
      const entry = entryOf(nameOf(key), approved, askedAt)
      const isClaimed = entry.run !== 'none' && entry.run !== 'expired'
      if (!approved && !isClaimed) {
        if (entry.approved) entry.by = undefined
        entry.approved = false
      }
      const isNew = !isClaimed && entry.approved === approved
      if (isNew && (!approved || entry.run === 'none')) entry.by ??= by
      return entry.approved
    },
    async decision(key) {
      const { approved, by, run } = entries.get(nameOf(key)) ?? {}
      if (approved === undefined || (approved && run === 'expired')) return undefined
      return { approved, by }
    },
    look: async (key) => read(nameOf(key)),
    claim: async (key, runner, askedAt) => claim(nameOf(key), runner, askedAt),
    async begin(scope, answerId) {
      tidy()
      const name = conversationName(scope)
      const untold = conversations.get(name)?.untold ?? new Map<string, UnaskedRun>()
      conversations.delete(name)
      conversations.set(name, { answerId, notedAt: mark.passedMs, untold })
      return [...untold.values()]
    },
    async claimUnasked(run, runner) {
      const conversation = conversations.get(conversationName(run.key))
      if (conversation?.answerId !== run.answerId) return { status: 'superseded' }
      const name = nameOf(run.key)
      const answer = claim(name, runner, undefined)
      if (answer.status === 'claimed') conversation.untold.set(name, structuredClone(run))
      return answer
    },
    async told(runs) {
      for (const { key } of runs) {
        conversations.get(conversationName(key))?.untold.delete(nameOf(key))
      }
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
    async release(key, holder) {
      const name = nameOf(key)
      const entry = entries.get(name)
      if (typeof entry?.run !== 'object' || entry.run.holder !== holder) return
      entry.run = 'none'
      conversations.get(conversationName(key))?.untold.delete(name)
    },
    async expire(key, askedAt) {
      const name = nameOf(key)
      const known = read(name)
      if (known) return known
      if (!entries.has(name) && askedAt < now() - keepMs) return { status: 'unknown' }
      const entry = entryOf(name, true, askedAt)
      if (entry.run === 'none') entry.run = 'expired'
      return read(name) ?? { status: 'unknown' }
    },
  }
}

function nameOf(key: LedgerKey): string {
  return JSON.stringify([key.approvalId, scopeName(key)])
}
