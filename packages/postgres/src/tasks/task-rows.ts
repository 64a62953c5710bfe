import type { Task, TaskState } from '@assent/worker'
import type { JSONValue } from 'ai'
import { DatabaseError } from '../database-error.ts'
import type { Row } from '../open-postgres.ts'

/** All states of tasks: a compiler knows when one is missing. */
const STATES: Readonly<Record<TaskState, true>> = {
  queued: true,
  in_progress: true,
  model_round: true,
  tool_round: true,
  parked: true,
  reply_sent: true,
  done: true,
  dead: true,
  failed: true,
}

/** What is read of a task `t`. Numbers come as such, and JSON as its text: `pg` would parse it itself. */
export const TASK_COLUMNS = `
  t.id, t.conversation_id, t.input::text as input, t.reply_to::text as reply_to, t.state, t.attempts,
  t.max_attempts, t.due_at::float8 as due_at, t.created_at::float8 as created_at,
  t.updated_at::float8 as updated_at, t.wake_at::float8 as wake_at, t.worker, t.epoch::float8 as epoch,
  t.error_code, t.error_message, t.waiting_for::text as waiting_for`

/** The answers to a task `t`, as a column. */
export const ANSWERS_COLUMN = `
  (select coalesce(json_agg(a.answer order by a.number), '[]')::text
   from assent.task_answers a where a.task_id = t.id) as answers`

export function isTaskState(value: unknown): value is TaskState {
  return typeof value === 'string' && Object.hasOwn(STATES, value)
}

/** A task as its row says it, with the columns above. */
export function toTask(row: Row): Task {
  const id = String(row['id'])
  const state = row['state']
  if (!isTaskState(state)) {
    const text = `Task ${id} has the state ${JSON.stringify(state)}; update @assent/postgres.`
    throw new DatabaseError('database_newer', text)
  }
  const worker = textIn(row, 'worker')
  const code = textIn(row, 'error_code')
  return {
    id,
    conversationId: String(row['conversation_id']),
    input: jsonIn(row, 'input') ?? null,
    replyTo: jsonIn(row, 'reply_to'),
    state,
    attempts: Number(row['attempts']),
    maxAttempts: Number(row['max_attempts']),
    dueAt: Number(row['due_at']),
    createdAt: Number(row['created_at']),
    updatedAt: Number(row['updated_at']),
    lease:
      worker === undefined
        ? undefined
        : { worker, epoch: Number(row['epoch']), expiresAt: Number(row['wake_at']) },
    error: code === undefined ? undefined : { code, message: textIn(row, 'error_message') ?? code },
    waitingFor: jsonIn(row, 'waiting_for'),
    // It was made of JSON values.
    answers: JSON.parse(textIn(row, 'answers') ?? '[]'),
  }
}

function textIn(row: Row, column: string): string | undefined {
  const value = row[column]
  return typeof value === 'string' ? value : undefined
}

function jsonIn(row: Row, column: string): JSONValue | undefined {
  const text = textIn(row, column)
  return text === undefined ? undefined : JSON.parse(text)
}
