import { toCallRow, type CallRow } from '@assent/node/audit'
import type { PoolClient } from 'pg'
import type { Row } from '../open-postgres.ts'

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

/** Writes rows, in a transaction of the caller. */
export async function putRows(client: PoolClient, rows: readonly CallRow[]): Promise<void> {
  if (rows.length === 0) return
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
  const given = COLUMNS.map(([, type], index) => `$${index + 1}::${type}[]`).join(', ')
  const changed = NAMES.map((name) => `${name} = excluded.${name}`).join(', ')
  await client.query(
    `insert into assent.tool_calls (${NAMES.join(', ')}) select * from unnest(${given})
     on conflict (id) do update set ${changed}`,
    COLUMNS.map((_, index) => values.map((row) => row[index])),
  )
}
