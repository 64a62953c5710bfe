import { encodeName } from '../sqlite/names.ts'
import type { AssentDatabase } from '../sqlite/open-database.ts'
import type { ApprovalLedger, LedgerEntry, LedgerKey } from './approval-ledger.ts'
import { checkedClock } from './checked-clock.ts'

const DAY_MS = 86_400_000

/** Options of {@link sqliteLedger}. */
export interface SqliteLedgerOptions {
  /** How long decisions are kept, in milliseconds: longer than one can be used. Default 30 days. */
  readonly keepMs?: number
  /** Milliseconds since the epoch, the same for all processes. */
  readonly now?: () => number
}

/**
 * A ledger in a database, so that neither a restart nor another process runs a call again. That a call
 * is claimed is on disk before it runs.
 */
export function sqliteLedger(
  { sqlite, transaction }: AssentDatabase,
  { keepMs = 30 * DAY_MS, now: readClock = Date.now }: SqliteLedgerOptions = {},
): ApprovalLedger {
  const now = checkedClock(readClock)
  // '' is the scope of what earlier versions noted.
  const isMeant = "approval_id = ? AND scope IN (?, '')"
  const find = sqlite.prepare(
    `SELECT state, lease_until, output_json, error_text FROM approval_ledger WHERE ${isMeant}`,
  )
  const insert = sqlite.prepare(
    'INSERT INTO approval_ledger (approval_id, scope, state, decided_at) VALUES (?, ?, ?, ?)',
  )
  const forget = sqlite.prepare('DELETE FROM approval_ledger WHERE decided_at < ?')
  const run = sqlite.prepare(
    `UPDATE approval_ledger SET state = 'running', holder = ?, lease_until = ? WHERE ${isMeant}`,
  )
  const extend = sqlite.prepare(
    `UPDATE approval_ledger SET lease_until = ?
     WHERE ${isMeant} AND holder = ? AND state = 'running'`,
  )
  const close = sqlite.prepare(
    `UPDATE approval_ledger SET state = ?, output_json = ?, error_text = ?
     WHERE ${isMeant} AND holder = ? AND state = 'running'`,
  )
  const deny = sqlite.prepare(
    `UPDATE approval_ledger SET state = 'denied'
     WHERE ${isMeant} AND state IN ('approved', 'expired')`,
  )
  const bury = sqlite.prepare(
    `UPDATE approval_ledger SET state = 'expired' WHERE ${isMeant} AND state = 'approved'`,
  )

  /** Notes the first thing that is known of a call. */
  function note(name: readonly [string, string], state: string): void {
    forget.run(Math.ceil(now() - keepMs))
    insert.run(...name, state, Math.floor(now()))
  }

  return {
    isDurable: true,
    decide: async (key, approved) =>
      transaction(() => {
        const name = nameOf(key)
        if (!find.get(...name)) note(name, approved ? 'approved' : 'denied')
        else if (!approved) deny.run(...name)
        return find.get(...name)?.['state'] !== 'denied'
      }),
    look: async (key) => readRow(find.get(...nameOf(key)), now()),
    claim: async (key, { holder, leaseMs }) =>
      transaction(() => {
        const row = find.get(...nameOf(key))
        const known = readRow(row, now())
        if (known) return known
        if (!row) note(nameOf(key), 'approved')
        run.run(holder, Math.ceil(now() + leaseMs), ...nameOf(key))
        return { status: 'claimed' }
      }),
    async renew(key, { holder, leaseMs }) {
      // What a loss of power takes back is a lease of a process that is gone.
      const until = Math.ceil(now() + leaseMs)
      transaction(() => extend.run(until, ...nameOf(key), holder), { durability: 'relaxed' })
    },
    async end(key, holder, outcome) {
      const json = outcome.status === 'done' ? (JSON.stringify(outcome.output) ?? null) : null
      const errorText = outcome.status === 'failed' ? outcome.errorText : null
      transaction(() => close.run(outcome.status, json, errorText, ...nameOf(key), holder))
    },
    expire: async (key, askedAt) =>
      transaction(() => {
        const row = find.get(...nameOf(key))
        const known = readRow(row, now())
        if (known) return known
        if (!row && askedAt < now() - keepMs) return { status: 'unknown' }
        if (row) bury.run(...nameOf(key))
        else note(nameOf(key), 'expired')
        return { status: 'expired' }
      }),
  }
}

function nameOf({ approvalId, owner, conversationId, fingerprint }: LedgerKey): [string, string] {
  return [encodeName(approvalId), JSON.stringify([owner, conversationId, fingerprint])]
}

function readRow(
  row: Readonly<Record<string, unknown>> | undefined,
  now: number,
): LedgerEntry | undefined {
  const { state, lease_until: until, output_json: json, error_text: errorText } = row ?? {}
  switch (state) {
    case undefined:
    case 'approved':
      return undefined
    case 'denied':
      return { status: 'denied' }
    case 'done':
      return { status: 'done', output: typeof json === 'string' ? JSON.parse(json) : undefined }
    case 'failed':
      return { status: 'failed', errorText: String(errorText) }
    case 'expired':
      return { status: 'expired' }
    case 'running':
      return { status: Number(until) > now ? 'running' : 'unknown' }
    default:
      return { status: 'unknown' }
  }
}
