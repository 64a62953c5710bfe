import {
  auditParts,
  beforePart,
  callParts,
  createAuditLog,
  ENTRY_COLUMNS,
  entryParts,
  NO_HASH,
  patternOf,
  toStoredEntry,
  whereOf,
  withinJson,
  type AuditFilter,
  type AuditHead,
  type AuditLog,
  type AuditStore,
  type AuditTextOptions,
  type AuditTexts,
  type SqlPart,
} from '@assent/node/audit'
import { visibleJson } from '@assent/engine/reading'
import type { AssentPostgres, Row } from '../open-postgres.ts'
import { auditWrites } from './audit-writes.ts'
import { CALL_COLUMNS, toRow } from './call-rows.ts'
import { toCheckedEntry } from './entry-rows.ts'
import { numbered } from './numbered.ts'
import { readStoredCalls } from './stored-calls.ts'

/**
 * The audit in a database: one chain for all processes of all machines. What is written at the same time is
 * written together. Times are those of the database's clock.
 */
export function postgresAudit(database: AssentPostgres, options: AuditTextOptions = {}): AuditLog {
  return createAuditLog(postgresAuditStore(database), options)
}

/** What an audit makes of texts, if it is one of this database. */
export function auditTextsOf(audit: AuditLog, database: AssentPostgres): AuditTexts | undefined {
  const parts = auditParts(audit)
  return parts && parts.store.database === database ? parts.texts : undefined
}

function postgresAuditStore(database: AssentPostgres): AuditStore {
  const ask = (sql: string, values: readonly unknown[]) => database.query(numbered(sql), values)

  async function entriesWhere(parts: readonly SqlPart[], order: string, limit: number) {
    const { where, values } = whereOf(parts)
    const sql = `select ${ENTRY_COLUMNS} from assent.audit_entries ${where} order by ${order} limit ?`
    return (await ask(sql, [...values, limit])).map(toStoredEntry)
  }

  return {
    database,
    ...auditWrites(database),
    async head() {
      const [row] = await ask('select seq, hash from assent.audit_head', [])
      return toHead(row) ?? { seq: 0, hash: NO_HASH }
    },
    entries: (filter, { limit, before }) =>
      entriesWhere([...conditionsOf(filter), ...beforePart(before)], 'seq desc', limit),
    entriesAfter: (after, limit, filter) =>
      entriesWhere([...conditionsOf(filter), ['seq > ?', after]], 'seq', limit),
    async calls(filter, { limit, before }) {
      const { where, values } = whereOf([
        ...callParts(filter),
        ...textPart(filter.text && JSON.stringify(filter.text), [
          'arguments_json',
          'output_json',
          'error_json',
        ]),
        ...beforePart(before),
      ])
      const sql = `select ${CALL_COLUMNS} from assent.tool_calls ${where} order by seq desc limit ?`
      return (await ask(sql, [...values, limit])).map(toRow)
    },
    async chain(after, limit) {
      // One statement, so that nothing is added between what is read.
      const rows = await ask(
        `select head.seq as "headSeq", head.hash as "headHash", entry.* from (select) as one
         left join assent.audit_head as head on true left join
           (select ${ENTRY_COLUMNS}, owner, who from assent.audit_entries
            where seq > ? order by seq limit ?) as entry on true
         order by entry.seq`,
        [after, limit],
      )
      const [first] = rows
      return {
        entries: rows.filter(({ seq }) => seq !== null).map(toCheckedEntry),
        head: toHead(first && { seq: first['headSeq'], hash: first['headHash'] }),
      }
    },
    storedCalls: (after, limit) => readStoredCalls(database, after, limit),
  }
}

function toHead(row: Row | undefined): AuditHead | undefined {
  if (!row || row['seq'] === null) return undefined
  return { seq: Number(row['seq']), hash: String(row['hash']) }
}

function conditionsOf(filter: AuditFilter): SqlPart[] {
  const text = filter.text && visibleJson(filter.text)
  return [...entryParts(filter), ...textPart(text, ['payload', 'body'])]
}

/** That a text, which is given as JSON, is in one of some columns. */
function textPart(json: string | undefined, columns: readonly string[]): SqlPart[] {
  if (!json) return []
  const pattern = patternOf(withinJson(json))
  const sql = columns.map((column) => `${column} ilike ? escape '!'`).join(' or ')
  return [[`(${sql})`, ...columns.map(() => pattern)]]
}
