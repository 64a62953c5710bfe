import type { SQLOutputValue } from 'node:sqlite'
import type { AssentDatabase } from '../sqlite/open-database.ts'
import type { CallRow } from './call-row.ts'

/** The columns of `tool_calls`, by the fields of a row. */
const COLUMNS = {
  seq: 'seq',
  id: 'id',
  conversationId: 'conversation_id',
  taskId: 'task_id',
  messageId: 'message_id',
  step: 'step',
  toolCallId: 'tool_call_id',
  toolName: 'tool_name',
  argumentsJson: 'arguments_json',
  status: 'status',
  outcome: 'outcome',
  outputText: 'output_text',
  error: 'error',
  attempts: 'attempts',
  queuedAt: 'queued_at',
  startedAt: 'started_at',
  finishedAt: 'finished_at',
} as const satisfies Record<keyof CallRow, string>

const FIELDS = Object.keys(COLUMNS)
const NAMES = Object.values(COLUMNS)

/** What to select for {@link toCallRow}. */
export const CALL_COLUMNS = Object.entries(COLUMNS)
  .map(([field, name]) => `tool_calls.${name} AS "${field}"`)
  .join(', ')

/** The table of calls. What changes it is to be called in a transaction. */
export interface CallTable {
  find(id: string): CallRow | undefined
  put(row: CallRow): void
}

export function callTable({ sqlite }: AssentDatabase): CallTable {
  const finding = sqlite.prepare(`SELECT ${CALL_COLUMNS} FROM tool_calls WHERE id = ?`)
  const putting = sqlite.prepare(
    `INSERT INTO tool_calls (${NAMES.join(', ')}) VALUES (${FIELDS.map((field) => `:${field}`).join(', ')})
     ON CONFLICT (id) DO UPDATE SET ${NAMES.map((name) => `${name} = excluded.${name}`).join(', ')}`,
  )
  return {
    find(id) {
      const row = finding.get(id)
      return row && toCallRow(row)
    },
    put: (row) => void putting.run({ ...row }),
  }
}

/** The row that was selected: the table takes no other values. */
export function toCallRow(row: Record<string, SQLOutputValue>): CallRow {
  const text = (field: keyof CallRow) => String(row[field])
  const textOrNull = (field: keyof CallRow) => (row[field] === null ? null : text(field))
  const numberOrNull = (field: keyof CallRow) => (row[field] === null ? null : Number(row[field]))
  const status = text('status')
  return {
    seq: Number(row['seq']),
    id: text('id'),
    conversationId: textOrNull('conversationId'),
    taskId: textOrNull('taskId'),
    messageId: textOrNull('messageId'),
    step: numberOrNull('step'),
    toolCallId: text('toolCallId'),
    toolName: text('toolName'),
    argumentsJson: text('argumentsJson'),
    status: status === 'running' || status === 'done' || status === 'failed' ? status : 'queued',
    outcome: textOrNull('outcome'),
    outputText: textOrNull('outputText'),
    error: textOrNull('error'),
    attempts: Number(row['attempts']),
    queuedAt: Number(row['queuedAt']),
    startedAt: numberOrNull('startedAt'),
    finishedAt: numberOrNull('finishedAt'),
  }
}
