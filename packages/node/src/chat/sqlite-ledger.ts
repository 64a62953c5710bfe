import { DatabaseError } from '../sqlite/database-error.ts'
import { decodeName, encodeName } from '../sqlite/names.ts'
import type { AssentDatabase } from '../sqlite/open-database.ts'
import type {
  ApprovalLedger,
  ClaimAnswer,
  LedgerEntry,
  LedgerKey,
  Runner,
  StandingDecision,
  UnaskedRun,
} from './approval-ledger.ts'
import { checkedClock } from './checked-clock.ts'
import { conversationName, scopeName } from './ledger-names.ts'
import { sqliteMark } from './sqlite-mark.ts'

const DAY_MS = 86_400_000
/** How far apart the clocks of two machines may be. */
const CLOCKS_APART_MS = 60_000

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
  const mark = sqliteMark(sqlite, keepMs, now)
  const getIdentity = sqlite.prepare('SELECT identity FROM ledger_store')
  // '' is the scope of what earlier versions noted.
  const isMeant = "approval_id = ? AND scope IN (?, '')"
  const find = sqlite.prepare(
    `SELECT state, lease_until, lease_ms, output_json, error_text, decided_by FROM approval_ledger
     WHERE ${isMeant}`,
  )
  const insert = sqlite.prepare(
    `INSERT INTO approval_ledger (approval_id, scope, state, asked_at, noted_at)
     VALUES (?, ?, ?, ?, ?)`,
  )
  const run = sqlite.prepare(
    `UPDATE approval_ledger SET state = 'running', holder = ?, lease_until = ?, lease_ms = ?
     WHERE ${isMeant}`,
  )
  const extend = sqlite.prepare(
    `UPDATE approval_ledger SET lease_until = ?, lease_ms = ?
     WHERE ${isMeant} AND holder = ? AND state = 'running'`,
  )
  const close = sqlite.prepare(
    `UPDATE approval_ledger SET state = ?, output_json = ?, error_text = ?
     WHERE ${isMeant} AND holder = ? AND state = 'running'`,
  )
  const free = sqlite.prepare(
    `UPDATE approval_ledger SET state = 'approved', holder = NULL
     WHERE ${isMeant} AND holder = ? AND state = 'running'`,
  )
  const deny = sqlite.prepare(
    `UPDATE approval_ledger SET state = 'denied', decided_by = NULL
     WHERE ${isMeant} AND state IN ('approved', 'expired')`,
  )
  const sign = sqlite.prepare(
    `UPDATE approval_ledger SET decided_by = ?
     WHERE ${isMeant} AND decided_by IS NULL AND state = ?`,
  )
  const bury = sqlite.prepare(
    `UPDATE approval_ledger SET state = 'expired' WHERE ${isMeant} AND state = 'approved'`,
  )
  const setLatest = sqlite.prepare(
    `INSERT INTO latest_answer (conversation, answer_id, noted_at) VALUES (?, ?, ?)
     ON CONFLICT (conversation) DO UPDATE
     SET answer_id = excluded.answer_id, noted_at = excluded.noted_at`,
  )
  const getLatest = sqlite.prepare('SELECT answer_id FROM latest_answer WHERE conversation = ?')
  const addUntold = sqlite.prepare(
    `INSERT INTO untold_run (conversation, approval_id, scope, run_json, noted_at)
     VALUES (?, ?, ?, ?, ?)`,
  )
  const listUntold = sqlite.prepare(
    'SELECT run_json FROM untold_run WHERE conversation = ? ORDER BY place',
  )
  const removeUntold = sqlite.prepare('DELETE FROM untold_run WHERE approval_id = ? AND scope = ?')

  /** Notes the first thing that is known of a call; nothing can be known of what may be forgotten. */
  function note(name: Name, state: string, askedAt: number | undefined): void {
    const { passedMs, forgottenBefore } = mark.tidy()
    // Where nobody was asked, nobody can come with it later.
    const isForgotten = askedAt !== undefined && askedAt < forgottenBefore
    insert.run(...name, isForgotten ? 'unknown' : state, Math.ceil(askedAt ?? 0), passedMs)
  }

  function claim(
    name: Name,
    { holder, leaseMs }: Runner,
    askedAt: number | undefined,
  ): ClaimAnswer {
    if (!find.get(...name)) note(name, 'approved', askedAt)
    const known = readRow(find.get(...name), now())
    if (known) return known
    run.run(holder, Math.ceil(now() + leaseMs), Math.ceil(leaseMs), ...name)
    return { status: 'claimed' }
  }

  return {
    isDurable: true,
    identity: async () => identityIn(getIdentity.get()),
    decide: async (key, approved, askedAt, by) =>
      transaction(() => {
        const name = nameOf(key)
        const state = approved ? 'approved' : 'denied'
        if (!find.get(...name)) note(name, state, askedAt)
        else if (!approved) deny.run(...name)
        if (by !== undefined) sign.run(encodeName(by), ...name, state)
        return find.get(...name)?.['state'] !== 'denied'
      }),
    decision: async (key) => readDecision(find.get(...nameOf(key))),
    look: async (key) => readRow(find.get(...nameOf(key)), now()),
    claim: async (key, runner, askedAt) => transaction(() => claim(nameOf(key), runner, askedAt)),
    begin: async (scope, answerId) =>
      // A loss of power ends the answer before as well.
      transaction(
        () => {
          const conversation = conversationName(scope)
          setLatest.run(conversation, answerId, mark.tidy().passedMs)
          return listUntold.all(conversation).map(readRun)
        },
        { durability: 'relaxed' },
      ),
    claimUnasked: async (unasked, runner) =>
      transaction(() => {
        const conversation = conversationName(unasked.key)
        const latest = getLatest.get(conversation)?.['answer_id']
        if (latest !== unasked.answerId) return { status: 'superseded' }
        const name = nameOf(unasked.key)
        const answer = claim(name, runner, undefined)
        if (answer.status !== 'claimed') return answer
        addUntold.run(conversation, ...name, JSON.stringify(unasked), mark.tidy().passedMs)
        return answer
      }),
    async told(runs) {
      await transaction(
        () => {
          for (const { key } of runs) removeUntold.run(...nameOf(key))
        },
        { durability: 'relaxed' },
      )
    },
    async renew(key, { holder, leaseMs }) {
      // What a loss of power takes back is a lease of a process that is gone.
      const until = Math.ceil(now() + leaseMs)
      const set = () => extend.run(until, Math.ceil(leaseMs), ...nameOf(key), holder)
      await transaction(set, { durability: 'relaxed' })
    },
    async end(key, holder, outcome) {
      const json = outcome.status === 'done' ? (JSON.stringify(outcome.output) ?? null) : null
      const errorText = outcome.status === 'failed' ? outcome.errorText : null
      await transaction(() => close.run(outcome.status, json, errorText, ...nameOf(key), holder))
    },
    release: async (key, holder) =>
      transaction(() => {
        const name = nameOf(key)
        if (free.run(...name, holder).changes > 0) removeUntold.run(...name)
      }),
    expire: async (key, askedAt) =>
      transaction(() => {
        const row = find.get(...nameOf(key))
        const known = readRow(row, now())
        if (known) return known
        if (!row && askedAt < now() - keepMs) return { status: 'unknown' }
        if (row) bury.run(...nameOf(key))
        else note(nameOf(key), 'expired', askedAt)
        return readRow(find.get(...nameOf(key)), now()) ?? { status: 'unknown' }
      }),
  }
}

type Name = readonly [approvalId: string, scope: string]

function nameOf(key: LedgerKey): Name {
  return [encodeName(key.approvalId), scopeName(key)]
}

function identityIn(row: Readonly<Record<string, unknown>> | undefined): string {
  const identity = row?.['identity']
  if (typeof identity === 'string') return identity
  throw new DatabaseError(
    'database_unreadable',
    'The table ledger_store is empty: somebody has deleted its row. Put a backup in the place of the database.',
  )
}

function readRun({ run_json: json }: Readonly<Record<string, unknown>>): UnaskedRun {
  return JSON.parse(String(json))
}

function readDecision(
  row: Readonly<Record<string, unknown>> | undefined,
): StandingDecision | undefined {
  if (!row || row['state'] === 'expired') return undefined
  const { state, decided_by: by } = row
  return { approved: state !== 'denied', by: typeof by === 'string' ? decodeName(by) : undefined }
}

function readRow(
  row: Readonly<Record<string, unknown>> | undefined,
  now: number,
): LedgerEntry | undefined {
  const { state, output_json: json, error_text: errorText } = row ?? {}
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
    case 'running': {
      const leftMs = Number(row?.['lease_until']) - now
      // A clock that went back would leave a run that is over under way for as long as it went.
      const mostMs = Number(row?.['lease_ms']) + CLOCKS_APART_MS
      return { status: leftMs > 0 && leftMs <= mostMs ? 'running' : 'unknown' }
    }
    default:
      return { status: 'unknown' }
  }
}
