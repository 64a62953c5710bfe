import type { JSONValue } from 'ai'
import type { ClaimedState, Task, TaskState } from './inbox.ts'
import { TASK_STATES } from './task-states.ts'
import { WorkerError } from './worker-error.ts'

/** A row as the database gives it. */
export type Row = Readonly<Record<string, unknown>>

/** That a task is not over, as the index `tasks_open` says it. */
export const IS_OPEN = "state NOT IN ('done', 'dead', 'failed')"

const STATES: ReadonlySet<string> = new Set(TASK_STATES)

const CLAIMED_STATES: ReadonlySet<string> = new Set<ClaimedState>([
  'in_progress',
  'model_round',
  'tool_round',
  'reply_sent',
])

export function isTaskState(value: unknown): value is TaskState {
  return typeof value === 'string' && STATES.has(value)
}

export function isClaimedState(value: unknown): value is ClaimedState {
  return typeof value === 'string' && CLAIMED_STATES.has(value)
}

/** A task as its row and its answers say it. Throws `task_unreadable`. */
export function toTask(row: Row, answers: readonly JSONValue[]): Task {
  const id = textOf(row, 'id')
  const state = row['state']
  if (!isTaskState(state)) throw unreadable(id, `its state is ${JSON.stringify(state)}`)
  const worker = optionalTextOf(row, 'worker')
  const code = optionalTextOf(row, 'error_code')
  return {
    id,
    conversationId: textOf(row, 'conversation_id'),
    input: jsonOf(id, textOf(row, 'input_json')),
    replyTo: optionalJsonOf(row, id, 'reply_to_json'),
    state,
    attempts: numberOf(row, 'attempts'),
    maxAttempts: numberOf(row, 'max_attempts'),
    dueAt: numberOf(row, 'due_at'),
    createdAt: numberOf(row, 'created_at'),
    updatedAt: numberOf(row, 'updated_at'),
    lease:
      worker === undefined
        ? undefined
        : { worker, epoch: numberOf(row, 'epoch'), expiresAt: numberOf(row, 'claimable_at') },
    error:
      code === undefined
        ? undefined
        : { code, message: optionalTextOf(row, 'error_message') ?? code },
    waitingFor: optionalJsonOf(row, id, 'waiting_for_json'),
    answers,
  }
}

export function textOf(row: Row, column: string): string {
  const value = row[column]
  if (typeof value === 'string') return value
  throw unreadable(String(row['id']), `${column} is no text`)
}

export function numberOf(row: Row, column: string): number {
  const value = row[column]
  if (typeof value === 'number') return value
  throw unreadable(String(row['id']), `${column} is no number`)
}

export function optionalTextOf(row: Row, column: string): string | undefined {
  const value = row[column]
  return typeof value === 'string' ? value : undefined
}

export function jsonOf(taskId: string, text: string): JSONValue {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw unreadable(taskId, 'a part of it is no JSON', cause)
  }
}

function optionalJsonOf(row: Row, taskId: string, column: string): JSONValue | undefined {
  const text = optionalTextOf(row, column)
  return text === undefined ? undefined : jsonOf(taskId, text)
}

/** What is stored of a task makes no sense. */
export function unreadable(taskId: string, why: string, cause?: unknown): WorkerError {
  const text = `Task ${taskId} cannot be read, since ${why}; discard it, and add it anew.`
  return new WorkerError('task_unreadable', text, { cause })
}
