import { encodeName } from '@assent/engine/storage'
import {
  ENTRY_COLUMNS,
  fullPayload,
  planWrite,
  subjectPart,
  toStoredEntry,
  withEntry,
  type AuditDraft,
  type AuditHead,
  type AuditStore,
  type AuditWrite,
  type CallRow,
  type StoredEntry,
} from '@assent/node/audit'
import type { PoolClient } from 'pg'
import type { AssentPostgres, Row } from '../open-postgres.ts'
import { CALL_COLUMNS, putRows, toRow } from './call-rows.ts'
import { addEntries } from './entry-rows.ts'
import { numbered } from './numbered.ts'
import { writeQueue } from './write-queue.ts'

/** Adds to the chain; nobody else does while a transaction holds the row of its head. */
export function auditWrites({
  transaction,
  flush,
}: AssentPostgres): Pick<AuditStore, 'write' | 'interrupt' | 'erase'> {
  const queue = writeQueue((writes: readonly AuditWrite[]) =>
    transaction((client) => writeAll(client, writes), true),
  )
  return {
    async write(write) {
      const added = await queue.add(write)
      // Others write meanwhile: nobody has the chain while a disk is waited for.
      if (write.durability !== 'relaxed') await flush()
      return added
    },
    interrupt: ({ conversationId, taskId, toolName, until = null }, plan) =>
      queue.alone(() =>
        transaction(async (client) => {
          const chain = await openChain(client)
          const name = (text: string | undefined) => (text === undefined ? null : encodeName(text))
          const { rows } = await client.query<Row>(
            `select ${CALL_COLUMNS} from assent.tool_calls where status = 'running'
               and ($1::text is null or conversation_id = $1) and ($2::text is null or task_id = $2)
               and ($3::text is null or tool_name = $3) and ($4::bigint is null or started_at < $4)
             order by seq`,
            [name(conversationId), name(taskId), name(toolName), until],
          )
          const running = rows.map(toRow)
          for (const row of running) chain.add([plan(row)], row)
          await chain.end()
          return running.length
        }),
      ),
    erase: (subject, limit, plan) =>
      queue.alone(() =>
        transaction(async (client) => {
          const chain = await openChain(client)
          const [where, ...values] = subjectPart(subject, 'assent.audit_entries')
          // What says whose a conversation is goes last: by that the rest is found.
          const { rows: found } = await client.query<Row>(
            numbered(
              `select seq, call_id as "callId" from assent.audit_entries
               where body is not null and ${where} order by owner is not null, seq limit ?`,
            ),
            [...values, limit],
          )
          if (found.length === 0) return 0
          const seqs = found.map(({ seq }) => Number(seq))
          await client.query(
            `update assent.audit_entries set body = null, owner = null, who = null, erased_at = $2
             where seq = any($1::bigint[])`,
            [seqs, chain.at],
          )
          const ids = found.flatMap(({ callId }) => (typeof callId === 'string' ? [callId] : []))
          chain.add([plan(seqs)], undefined)
          await chain.end(await readCallsAnew(client, ids))
          return found.length
        }),
      ),
  }
}

interface Chain {
  /** The database's time, in milliseconds since the epoch. */
  readonly at: number
  add(drafts: readonly AuditDraft[], row: CallRow | undefined): CallRow | undefined
  /** Calls by their ids, as they are now. */
  readonly rows: ReadonlyMap<string, CallRow>
  /** Ids of decisions that are noted already. */
  readonly decisions: ReadonlySet<unknown>
  /** Writes all that was added, and rows that became others. */
  end(rowsAnew?: readonly CallRow[]): Promise<void>
}

/** What is looked up while nobody else writes. */
interface Wanted {
  readonly calls?: readonly string[]
  readonly decisions?: readonly string[]
}

const OPEN = `
  select head_seq as "headSeq", head_hash as "headHash", at, decisions, ${CALL_COLUMNS} from (
    select o.head_seq, o.head_hash, o.at, o.decisions, (o.call).* from assent.open_audit_v1($1, $2) as o
  ) as opened`

async function openChain(
  client: PoolClient,
  { calls = [], decisions = [] }: Wanted = {},
): Promise<Chain> {
  // Everything that is read under the lock, by one statement: all others wait for it.
  const { rows } = await client.query<Row>(OPEN, [calls, decisions])
  const [first = {}] = rows
  const at = Number(first['at'])
  const known = first['decisions']
  const found = rows.filter(({ id }) => id !== null).map(toRow)
  let head: AuditHead = { seq: Number(first['headSeq']), hash: String(first['headHash']) }
  const entries: StoredEntry[] = []
  const changed = new Map<string, CallRow>()
  return {
    at,
    rows: new Map(found.map((row) => [row.id, row])),
    decisions: new Set<unknown>(Array.isArray(known) ? known : []),
    add(drafts, row) {
      const planned = planWrite(drafts, { head, row, at })
      entries.push(...planned.entries)
      ;({ head } = planned)
      if (planned.row) changed.set(planned.row.id, planned.row)
      return planned.row
    },
    async end(rowsAnew = []) {
      for (const row of rowsAnew) if (!changed.has(row.id)) changed.set(row.id, row)
      if (entries.length === 0) return
      // By one statement: all others wait for this row.
      const added = addEntries(entries, 2)
      const put = putRows([...changed.values()], 2 + added.values.length)
      await client.query(
        `with added as (${added.sql}), put as (${put.sql})
         update assent.audit_head set seq = $1::bigint, hash = $2::text`,
        [head.seq, head.hash, ...added.values, ...put.values],
      )
    },
  }
}

/** Adds to the chain in a transaction of the caller, which has the chain to itself until it is over. */
export async function writeAll(
  client: PoolClient,
  writes: readonly AuditWrite[],
): Promise<readonly number[]> {
  const chain = await openChain(client, {
    calls: writes.flatMap(({ callId }) => callId ?? []),
    decisions: writes.flatMap(({ decisionId }) => decisionId ?? []),
  })
  const rows = new Map(chain.rows)
  const known = new Set(chain.decisions)
  const counts = writes.map(({ decisionId, callId, plan }) => {
    if (decisionId !== undefined && known.has(decisionId)) return 0
    if (decisionId !== undefined) known.add(decisionId)
    const row = callId === undefined ? undefined : rows.get(callId)
    const drafts = plan(row)
    const next = chain.add(drafts, row)
    if (next) rows.set(next.id, next)
    return drafts.length
  })
  await chain.end()
  return counts
}

/** The rows of calls as their entries make them now. */
async function readCallsAnew(
  client: PoolClient,
  ids: readonly string[],
): Promise<readonly CallRow[]> {
  const { rows: entries } = await client.query<Row>(
    `select call_id as id, ${ENTRY_COLUMNS} from assent.audit_entries
     where kind = 'call' and call_id = any($1::text[]) order by seq`,
    [ids],
  )
  const rows = new Map<string, CallRow>()
  for (const one of entries) {
    const entry = toStoredEntry(one)
    const id = String(one['id'])
    rows.set(id, withEntry(rows.get(id), { ...entry, payload: fullPayload(entry) }))
  }
  return [...rows.values()]
}
