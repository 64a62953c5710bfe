import type { SQLOutputValue } from 'node:sqlite'
import { visibleJson } from '@assent/engine/reading'
import type { JSONValue } from 'ai'
import { decodeName, encodeName } from '../sqlite/names.ts'
import { DatabaseError, readFrom } from '../sqlite/database-error.ts'
import type { AssentDatabase } from '../sqlite/open-database.ts'
import type { AuditEntry, AuditKind, AuditPayload, StoredEntry } from './audit-entry.ts'
import type { CallOutcome, CallPhase, CallRow } from './call-row.ts'
import { CALL_COLUMNS, toCallRow } from './call-table.ts'
import { ENTRY_COLUMNS, toStoredEntry } from './entry-table.ts'

/** Which entries, or which calls; every field that is given must hold. */
export interface AuditFilter {
  readonly conversationId?: string
  readonly taskId?: string
  readonly toolName?: string
  /** Of entries: those that tell that a call has come to this phase. Of calls: those that are there. */
  readonly status?: CallPhase
  /** Of entries only. */
  readonly kind?: AuditKind
  /** Milliseconds since the epoch, itself included; of calls, when they were queued. */
  readonly since?: number
  /** Milliseconds since the epoch, itself not included. */
  readonly until?: number
  /** Somewhere in what the entry says, or in arguments, output and error of the call; a-z in any case. */
  readonly text?: string
}

/** A page of what was asked for: newest first. */
export interface AuditPage {
  /** Default 100, at most 1,000. */
  readonly limit?: number
  /** Only what is older than the entry, or call, of this `seq`. */
  readonly before?: number
}

/** A call, and how far it has come. Times are milliseconds since the epoch. */
export interface AuditedCall {
  /** The id in the audit, of the call's conversation, message, step and own id. */
  readonly id: string
  /** Of the entry that tells that it was queued. */
  readonly seq: number
  readonly conversationId: string | undefined
  readonly taskId: string | undefined
  readonly messageId: string | undefined
  readonly step: number | undefined
  readonly toolCallId: string
  readonly toolName: string
  /** As it ran, or was to run; without secrets. */
  readonly arguments: JSONValue
  readonly status: CallPhase
  /** How it ended, once it has. */
  readonly outcome: CallOutcome | undefined
  readonly output: string | undefined
  readonly error: string | undefined
  /** How often it was started. */
  readonly attempts: number
  readonly queuedAt: number
  readonly startedAt: number | undefined
  readonly finishedAt: number | undefined
}

/** The conditions of a filter in SQL, and their values. */
interface Conditions {
  readonly sql: string
  readonly values: readonly (string | number)[]
}

type Part = readonly [sql: string, ...values: (string | number)[]]

/** A page of entries, newest first. */
export function readEntries(
  database: AssentDatabase,
  filter: AuditFilter & AuditPage,
): AuditEntry[] {
  const { sql, values } = whereOf([...entryConditions(filter), ...beforeOf(filter)])
  const select = `SELECT ${ENTRY_COLUMNS} FROM audit_entries ${sql} ORDER BY seq DESC LIMIT ?`
  return selectAll(database, select, [...values, limitOf(filter)]).map((row) =>
    toEntry(toStoredEntry(row)),
  )
}

/** The entries after one, oldest first. */
export function readEntriesAfter(
  database: AssentDatabase,
  filter: AuditFilter,
  { after, limit }: { readonly after: number; readonly limit: number },
): StoredEntry[] {
  const { sql, values } = whereOf([...entryConditions(filter), ['seq > ?', after]])
  const select = `SELECT ${ENTRY_COLUMNS} FROM audit_entries ${sql} ORDER BY seq LIMIT ?`
  return selectAll(database, select, [...values, limit]).map((row) => toStoredEntry(row))
}

/** A page of calls, the one that was queued last first. */
export function readCalls(
  database: AssentDatabase,
  filter: Omit<AuditFilter, 'kind'> & AuditPage,
): AuditedCall[] {
  const { status, since, until, text } = filter
  const parts: Part[] = [...nameConditions(filter), ...beforeOf(filter)]
  if (status !== undefined) parts.push(['status = ?', status])
  if (since !== undefined) parts.push(['queued_at >= ?', since])
  if (until !== undefined) parts.push(['queued_at < ?', until])
  if (text !== undefined) {
    const plain = likeOf(text)
    parts.push([
      `(arguments_json LIKE ? ESCAPE '!' OR output_text LIKE ? ESCAPE '!' OR error LIKE ? ESCAPE '!')`,
      likeOf(within(JSON.stringify(text))),
      plain,
      plain,
    ])
  }
  const { sql, values } = whereOf(parts)
  const select = `SELECT ${CALL_COLUMNS} FROM tool_calls ${sql} ORDER BY seq DESC LIMIT ?`
  return selectAll(database, select, [...values, limitOf(filter)]).map((row) =>
    toAuditedCall(toCallRow(row)),
  )
}

function selectAll(
  database: AssentDatabase,
  sql: string,
  values: readonly (string | number)[],
): Record<string, SQLOutputValue>[] {
  return readFrom(database, () => database.sqlite.prepare(sql).all(...values))
}

/** An entry whose payload has been read. */
export function toEntry({ payload, kind, ...entry }: StoredEntry): AuditEntry {
  return { ...entry, kind: toKind(kind), payload: toPayload(payload) }
}

/** What a payload says; nothing, when somebody has spoilt it. */
export function toPayload(text: string): AuditPayload {
  try {
    const value: unknown = JSON.parse(text)
    return isPayload(value) ? value : {}
  } catch {
    return {}
  }
}

function isPayload(value: unknown): value is AuditPayload {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const KINDS: readonly AuditKind[] = ['call', 'decision', 'policy', 'refusal', 'task']

function toKind(text: string): AuditKind {
  const kind = KINDS.find((one) => one === text)
  if (kind) return kind
  throw new DatabaseError(
    'database_unreadable',
    `The audit has an entry of the kind ${JSON.stringify(text)}, which nobody writes; verify it.`,
  )
}

const OUTCOMES: readonly CallOutcome[] = [
  'success',
  'error',
  'timeout',
  'denied',
  'cancelled',
  'interrupted',
  'dropped',
]

function toAuditedCall(row: CallRow): AuditedCall {
  const nameOf = (name: string | null) => (name === null ? undefined : decodeName(name))
  return {
    id: row.id,
    seq: row.seq,
    conversationId: nameOf(row.conversationId),
    taskId: nameOf(row.taskId),
    messageId: nameOf(row.messageId),
    step: row.step ?? undefined,
    toolCallId: decodeName(row.toolCallId),
    toolName: decodeName(row.toolName),
    arguments: parseJson(row.argumentsJson),
    status: row.status,
    outcome: OUTCOMES.find((outcome) => outcome === row.outcome),
    output: row.outputText ?? undefined,
    error: row.error ?? undefined,
    attempts: row.attempts,
    queuedAt: row.queuedAt,
    startedAt: row.startedAt ?? undefined,
    finishedAt: row.finishedAt ?? undefined,
  }
}

function parseJson(text: string): JSONValue {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function nameConditions({ conversationId, taskId, toolName }: AuditFilter): Part[] {
  const parts: Part[] = []
  if (conversationId !== undefined) parts.push(['conversation_id = ?', encodeName(conversationId)])
  if (taskId !== undefined) parts.push(['task_id = ?', encodeName(taskId)])
  if (toolName !== undefined) parts.push(['tool_name = ?', encodeName(toolName)])
  return parts
}

function entryConditions(filter: AuditFilter): Part[] {
  const { status, kind, since, until, text } = filter
  const parts = nameConditions(filter)
  // A name says more than a kind: with the sign the index of kinds is not taken in its place.
  const kindColumn = (filter.conversationId ?? filter.toolName) === undefined ? 'kind' : '+kind'
  if (kind !== undefined) parts.push([`${kindColumn} = ?`, kind])
  if (status !== undefined) parts.push([`${kindColumn} = 'call' AND phase = ?`, status])
  if (since !== undefined) parts.push(['at >= ?', since])
  if (until !== undefined) parts.push(['at < ?', until])
  if (text !== undefined)
    parts.push([`payload LIKE ? ESCAPE '!'`, likeOf(within(visibleJson(text)))])
  return parts
}

function beforeOf({ before }: AuditPage): Part[] {
  return before === undefined ? [] : [['seq < ?', before]]
}

function limitOf({ limit = 100 }: AuditPage): number {
  if (!Number.isInteger(limit) || limit < 1) {
    throw new DatabaseError('invalid_argument', 'limit is a whole number from 1.')
  }
  return Math.min(limit, 1_000)
}

function whereOf(parts: readonly Part[]): Conditions {
  const sql = parts.map(([part]) => part).join(' AND ')
  return { sql: sql && `WHERE ${sql}`, values: parts.flatMap(([, ...values]) => values) }
}

/** A text as it stands within a text of JSON. */
function within(json: string): string {
  return json.slice(1, -1)
}

/** A pattern that finds a text anywhere. */
function likeOf(text: string): string {
  return `%${text.replaceAll(/[!%_]/g, (sign) => `!${sign}`)}%`
}
