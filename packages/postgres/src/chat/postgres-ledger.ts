import { decodeName, encodeName } from '@assent/engine/storage'
import type {
  ApprovalLedger,
  LedgerEntry,
  LedgerKey,
  LedgerScope,
  RunOutcome,
  UnaskedRun,
} from '@assent/node'
import { DatabaseError } from '../database-error.ts'
import type { AssentPostgres, Row } from '../open-postgres.ts'

const DAY_MS = 86_400_000

/** Options of {@link postgresLedger}. */
export interface PostgresLedgerOptions {
  /** How long decisions are kept, in milliseconds: longer than one can be used. Default 30 days. */
  readonly keepMs?: number
}

/**
 * A ledger in a database, so that neither a restart nor another machine runs a call again. That a call is
 * claimed is on disk before it runs. Leases go by the clock of the database.
 *
 * @throws DatabaseError `invalid_argument`
 */
export function postgresLedger(
  { query }: AssentPostgres,
  { keepMs = 30 * DAY_MS }: PostgresLedgerOptions = {},
): ApprovalLedger {
  if (!Number.isSafeInteger(keepMs) || keepMs < 1) {
    throw new DatabaseError('invalid_argument', 'keepMs is a whole number of milliseconds from 1.')
  }

  /** Reads a row of a table or a function, if it has one. */
  async function ask(call: string, values: readonly unknown[]): Promise<Row | undefined> {
    const [row] = await query(`select * from assent.${call}`, values)
    return row
  }

  return {
    isDurable: true,
    async identity() {
      const identity = (await ask('ledger_store', []))?.['identity']
      if (typeof identity === 'string') return identity
      throw new DatabaseError(
        'database_unreadable',
        'The table assent.ledger_store is empty: somebody has deleted its row. Put a backup in the place of the database.',
      )
    },
    async decide(key, approved, askedAt, by) {
      const call = 'decide_approval_v2($1, $2, $3, $4, $5, $6) as stands'
      const name = by === undefined ? null : encodeName(by)
      const values = [...nameOf(key), approved, timeOf(askedAt), keepMs, name]
      return (await ask(call, values))?.['stands'] === true
    },
    async decision(key) {
      const row = await ask(
        `approvals where approval_id = $1 and scope = $2 and state <> 'expired'`,
        nameOf(key),
      )
      if (!row) return undefined
      const { state, decided_by: by } = row
      return {
        approved: state !== 'denied',
        by: typeof by === 'string' ? decodeName(by) : undefined,
      }
    },
    look: async (key) => readEntry(await ask('look_approval_v1($1, $2)', nameOf(key))),
    async claim(key, { holder, leaseMs }, askedAt) {
      const row = await ask('claim_approval_v1($1, $2, $3, $4, $5, $6)', [
        ...nameOf(key),
        holder,
        Math.ceil(leaseMs),
        timeOf(askedAt),
        keepMs,
      ])
      return row?.['status'] === 'claimed' ? { status: 'claimed' } : knownOf(row)
    },
    async begin(scope, answerId) {
      const rows = await query('select assent.begin_answer_v1($1, $2, $3) as run', [
        conversationOf(scope),
        encodeName(answerId),
        keepMs,
      ])
      return rows.map(readRun)
    },
    async claimUnasked(run, { holder, leaseMs }) {
      const row = await ask('claim_unasked_v1($1, $2, $3, $4, $5, $6, $7, $8)', [
        conversationOf(run.key),
        encodeName(run.answerId),
        ...nameOf(run.key),
        JSON.stringify(run),
        holder,
        Math.ceil(leaseMs),
        keepMs,
      ])
      const status = row?.['status']
      return status === 'claimed' || status === 'superseded' ? { status } : knownOf(row)
    },
    async told(runs) {
      const names = runs.map(({ key }) => nameOf(key))
      await query(
        `delete from assent.untold_runs u using unnest($1::text[], $2::text[]) as t (id, scope)
         where u.approval_id = t.id and u.scope = t.scope`,
        [names.map(([id]) => id), names.map(([, scope]) => scope)],
      )
    },
    async renew(key, { holder, leaseMs }) {
      await ask('renew_approval_v1($1, $2, $3, $4)', [...nameOf(key), holder, Math.ceil(leaseMs)])
    },
    async end(key, holder, outcome) {
      await query(
        `update assent.approvals set state = $4, outcome = $5
         where approval_id = $1 and scope = $2 and holder = $3 and state = 'running'`,
        [
          ...nameOf(key),
          holder,
          outcome.status === 'unknown' ? 'unknown' : 'ended',
          JSON.stringify(outcome),
        ],
      )
    },
    async release(key, holder) {
      await query(
        `with freed as (
           update assent.approvals set state = 'approved', holder = null
             where approval_id = $1 and scope = $2 and holder = $3 and state = 'running'
             returning approval_id, scope
         )
         delete from assent.untold_runs u using freed f
           where u.approval_id = f.approval_id and u.scope = f.scope`,
        [...nameOf(key), holder],
      )
    },
    expire: async (key, askedAt) =>
      knownOf(
        await ask('expire_approval_v1($1, $2, $3, $4)', [...nameOf(key), timeOf(askedAt), keepMs]),
      ),
  }
}

function nameOf({
  approvalId,
  owner,
  conversationId,
  fingerprint,
}: LedgerKey): readonly [id: string, scope: string] {
  return [encodeName(approvalId), JSON.stringify([owner, conversationId, fingerprint])]
}

function conversationOf({ owner, conversationId }: LedgerScope): string {
  return JSON.stringify([owner, conversationId])
}

/** What was asked at no time was asked before everything: then nobody knows. */
function timeOf(ms: number): number {
  const time = Math.ceil(ms)
  return Number.isSafeInteger(time) ? time : 0
}

/** What `JSON.stringify` has made of a run, or of an outcome, here. */
function readRun(row: Row): UnaskedRun {
  return JSON.parse(String(row['run']))
}

function readEntry(row: Row | undefined): LedgerEntry | undefined {
  const status = row?.['status']
  switch (status) {
    case undefined:
    case 'approved':
      return undefined
    case 'denied':
    case 'expired':
    case 'running':
      return { status }
    case 'ended':
      return readOutcome(String(row?.['outcome']))
    default:
      return { status: 'unknown' }
  }
}

function readOutcome(json: string): RunOutcome {
  return JSON.parse(json)
}

/** What is known of a call that was not given; when nothing is, nobody knows. */
function knownOf(row: Row | undefined): LedgerEntry {
  return readEntry(row) ?? { status: 'unknown' }
}
