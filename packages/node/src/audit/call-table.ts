import type { AssentDatabase } from '../sqlite/open-database.ts'
import { toCallRow, type CallRow } from './call-row.ts'

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
  erasedAt: 'erased_at',
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
