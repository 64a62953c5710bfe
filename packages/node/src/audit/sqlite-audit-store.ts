import { encodeName } from '@assent/engine/storage'
import { readFrom } from '../sqlite/database-error.ts'
import type { AssentDatabase } from '../sqlite/open-database.ts'
import type { AuditHead } from './audit-entry.ts'
import type { AuditFilter } from './audit-filter.ts'
import {
  beforePart,
  callParts,
  entryParts,
  patternOf,
  whereOf,
  withinJson,
  type SqlPart,
} from './audit-sql.ts'
import type { AuditDraft, AuditStore, AuditWrite } from './audit-store.ts'
import { toCallRow, type CallRow } from './call-row.ts'
import { CALL_COLUMNS, callTable } from './call-table.ts'
import { planWrite } from './planned-write.ts'
import { ENTRY_COLUMNS, toStoredEntry } from './entry-rows.ts'
import { sqliteErasing } from './sqlite-erasing.ts'
import { readStoredCalls } from './stored-calls.ts'
import { searchOf } from './text-search.ts'

/**
 * The audit in a file. What is written inside of a transaction belongs to that.
 */
export function sqliteAuditStore(database: AssentDatabase, now: () => number): AuditStore {
  const { sqlite } = database
  const table = callTable(database)
  const leading = sqlite.prepare('SELECT seq, hash FROM audit_head')
  const known = sqlite.prepare('SELECT 1 FROM audit_entries WHERE decision_id = ?')
  const adding = sqlite.prepare(
    `INSERT INTO audit_entries (seq, at, kind, payload, body, prev_hash, hash)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
  )
  const running = sqlite.prepare(
    `SELECT ${CALL_COLUMNS} FROM tool_calls WHERE status = 'running'
       AND (:conversationId IS NULL OR conversation_id = :conversationId)
       AND (:taskId IS NULL OR task_id = :taskId)
       AND (:toolName IS NULL OR tool_name = :toolName)
       AND (:until IS NULL OR started_at < :until)
     ORDER BY seq`,
  )

  function headNow(): AuditHead | undefined {
    const row = leading.get()
    return row && { seq: Number(row['seq']), hash: String(row['hash']) }
  }

  function add(drafts: readonly AuditDraft[], row: CallRow | undefined): number {
    if (drafts.length === 0) return 0
    const head = headNow() ?? { seq: Number.NaN, hash: '' }
    const planned = planWrite(drafts, { head, row, at: Math.trunc(now()) })
    for (const { seq, at, kind, payload, body, prevHash, hash } of planned.entries) {
      adding.run(seq, at, kind, payload, body, prevHash, hash)
    }
    if (planned.row) table.put(planned.row)
    return drafts.length
  }

  const erasing = sqliteErasing(database, { add: (draft) => add([draft], undefined), now })

  async function select(sql: string, values: readonly (string | number)[]) {
    const [rows = []] = await database.query([{ sql, values }])
    return rows
  }

  function write({ decisionId, callId, plan }: AuditWrite): number {
    if (decisionId !== undefined && known.get(decisionId)) return 0
    const row = callId === undefined ? undefined : table.find(callId)
    return add(plan(row), row)
  }

  const store: AuditStore = {
    database,
    write: ({ durability = 'strict', ...given }) =>
      database.transaction(() => write(given), { durability }),
    async interrupt({ conversationId, taskId, toolName, until = null }, plan) {
      const name = (text: string | undefined) => (text === undefined ? null : encodeName(text))
      return database.transaction(() => {
        const which = {
          conversationId: name(conversationId),
          taskId: name(taskId),
          toolName: name(toolName),
          until,
        }
        const rows = running.all(which).map(toCallRow)
        for (const row of rows) add([plan(row)], row)
        return rows.length
      })
    },
    async erase(subject, limit, plan) {
      return erasing(subject, limit, plan)
    },
    async head() {
      const head = readFrom(database, headNow)
      return { seq: Number(head?.seq), hash: String(head?.hash) }
    },
    async entries(filter, { limit, before }) {
      const { from, order, where, values } = queryOf(filter, beforePart(before))
      const sql = `SELECT ${ENTRY_COLUMNS} FROM ${from} ${where} ORDER BY ${order} DESC LIMIT ?`
      return (await select(sql, [...values, limit])).map(toStoredEntry)
    },
    async entriesAfter(after, limit, filter) {
      const { from, order, where, values } = queryOf(filter, [['seq > ?', after]])
      const sql = `SELECT ${ENTRY_COLUMNS} FROM ${from} ${where} ORDER BY ${order} LIMIT ?`
      return (await select(sql, [...values, limit])).map(toStoredEntry)
    },
    async calls(filter, { limit, before }) {
      const parts = [...callParts(filter), ...textInCall(filter), ...beforePart(before)]
      const { where, values } = whereOf(parts)
      const sql = `SELECT ${CALL_COLUMNS} FROM tool_calls ${where} ORDER BY seq DESC LIMIT ?`
      return (await select(sql, [...values, limit])).map(toCallRow)
    },
    async chain(after, limit) {
      // One statement, so that nothing is added between what is read.
      const sql = `SELECT head.seq AS "headSeq", head.hash AS "headHash", entry.*
        FROM (SELECT 1) LEFT JOIN audit_head AS head LEFT JOIN
          (SELECT ${ENTRY_COLUMNS} FROM audit_entries WHERE seq > ? ORDER BY seq LIMIT ?) AS entry
        ORDER BY entry.seq`
      const rows = await select(sql, [after, limit])
      const { headSeq, headHash } = rows[0] ?? {}
      return {
        entries: rows.filter((row) => row['seq'] !== null).map(toStoredEntry),
        head: headSeq === null ? undefined : { seq: Number(headSeq), hash: String(headHash) },
      }
    },
    async storedCalls(after, limit) {
      return readStoredCalls(database, after, limit)
    },
  }
  writers.set(store, { database, write })
  return store
}

interface Writer {
  readonly database: AssentDatabase
  /** In a transaction of the caller: what is thrown undoes that. */
  readonly write: (write: AuditWrite) => number
}

const writers = new WeakMap<AuditStore, Writer>()

/** How the store of an audit writes within a transaction of its database; `undefined` for one of another database. */
export function auditWriter(
  store: AuditStore | undefined,
  database: AssentDatabase,
): Writer['write'] | undefined {
  const writer = store && writers.get(store)
  return writer?.database === database ? writer.write : undefined
}

/** From which tables, and by which conditions, entries are read. */
function queryOf(filter: AuditFilter, range: readonly SqlPart[]) {
  const { conversationId, toolName } = filter
  const { match, parts } = searchOf(filter)
  // A name says more than a kind: with the sign the index of kinds is not taken in its place.
  const isNamed = (conversationId ?? toolName ?? match) !== undefined
  const conditions = [...entryParts(filter, isNamed ? '+kind' : 'kind'), ...range, ...parts]
  const { where, values } = whereOf(conditions)
  if (match === undefined) return { from: 'audit_entries', order: 'seq', where, values }
  // In the order of the index, so that a page is found without the rest of what it finds.
  const found = '(SELECT rowid AS found FROM audit_text WHERE audit_text MATCH ?)'
  const from = `${found} CROSS JOIN audit_entries ON seq = found`
  return { from, order: 'found', where, values: [match, ...values] }
}

function textInCall(filter: AuditFilter): SqlPart[] {
  const { text } = filter
  if (text === undefined) return []
  const plain = patternOf(text)
  const { match } = searchOf(filter)
  const found: SqlPart[] =
    match === undefined
      ? []
      : [
          [
            `id IN (SELECT call_id FROM audit_entries WHERE kind = 'call' AND seq IN
              (SELECT rowid FROM audit_text WHERE audit_text MATCH ?))`,
            match,
          ],
        ]
  return [
    ...found,
    [
      `(arguments_json LIKE ? ESCAPE '!' OR output_text LIKE ? ESCAPE '!' OR error LIKE ? ESCAPE '!')`,
      patternOf(withinJson(JSON.stringify(text))),
      plain,
      plain,
    ],
  ]
}
