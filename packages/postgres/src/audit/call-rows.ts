import { toCallRow, type CallRow } from '@assent/node/audit'
import type { Row } from '../open-postgres.ts'
import { unnested, type SqlValues } from './unnested.ts'

const COLUMNS = [
  ['seq', 'bigint'],
  ['id', 'text'],
  ['conversation_id', 'text'],
  ['task_id', 'text'],
  ['message_id', 'text'],
  ['step', 'integer'],
  ['tool_call_id', 'text'],
  ['tool_name', 'text'],
  ['arguments_json', 'text'],
  ['status', 'text'],
  ['outcome', 'text'],
  ['output_json', 'text'],
  ['error_json', 'text'],
  ['attempts', 'integer'],
  ['queued_at', 'bigint'],
  ['started_at', 'bigint'],
  ['finished_at', 'bigint'],
  ['erased_at', 'bigint'],
] as const

const NAMES = COLUMNS.map(([name]) => name)

/** What to select for {@link toRow}. */
export const CALL_COLUMNS = `
  seq, id, conversation_id as "conversationId", task_id as "taskId", message_id as "messageId", step,
  tool_call_id as "toolCallId", tool_name as "toolName", arguments_json as "argumentsJson", status, outcome,
  output_json as "outputText", error_json as "error", attempts, queued_at as "queuedAt",
  started_at as "startedAt", finished_at as "finishedAt", erased_at as "erasedAt"`

/** The row that was selected. */
export function toRow(row: Row): CallRow {
  const read = toCallRow(row)
  return { ...read, outputText: textOf(read.outputText), error: textOf(read.error) }
}

/** A text cannot have every character in PostgreSQL; its JSON can. */
function textOf(json: string | null): string | null {
  if (json === null) return null
  try {
    const text: unknown = JSON.parse(json)
    return typeof text === 'string' ? text : json
  } catch {
    return json
  }
}

/** What writes rows, as a part of a statement whose values before it are `before` many. */
export function putRows(rows: readonly CallRow[], before: number): SqlValues {
  const json = (text: string | null) => (text === null ? null : JSON.stringify(text))
  const values = rows.map((row) => [
    row.seq,
    row.id,
    row.conversationId,
    row.taskId,
    row.messageId,
    row.step,
    row.toolCallId,
    row.toolName,
    row.argumentsJson,
    row.status,
    row.outcome,
    json(row.outputText),
    json(row.error),
    row.attempts,
    row.queuedAt,
    row.startedAt,
    row.finishedAt,
    row.erasedAt,
  ])
  const changed = NAMES.map((name) => `${name} = excluded.${name}`).join(', ')
  return {
    sql: `insert into assent.tool_calls (${NAMES.join(', ')}) select * from ${unnested(COLUMNS, before)}
      on conflict (id) do update set ${changed}`,
    values: COLUMNS.map((_, index) => values.map((row) => row[index])),
  }
}
