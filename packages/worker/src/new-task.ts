import { randomUUID } from 'node:crypto'
import type { JSONValue } from 'ai'
import type { NewTask } from './inbox.ts'
import { WorkerError } from './worker-error.ts'

/** A new task as it is stored. */
export interface NewTaskRow {
  readonly id: string
  readonly conversationId: string
  readonly inputJson: string
  readonly replyToJson: string | null
  readonly dueAt: number
  readonly maxAttempts: number
}

/** Checks a new task. Throws `invalid_argument`, which says what is wrong. */
export function toNewTaskRow(
  task: NewTask,
  { now, maxAttempts }: { now: number; maxAttempts: number },
): NewTaskRow {
  const id = task.id ?? randomUUID()
  assertName('id', id)
  assertName('conversationId', task.conversationId)
  const attempts = task.maxAttempts ?? maxAttempts
  assertAttempts(attempts)
  return {
    id,
    conversationId: task.conversationId,
    inputJson: toJson('input', task.input),
    replyToJson: task.replyTo === undefined ? null : toJson('replyTo', task.replyTo),
    dueAt: toTime('dueAt', task.dueAt ?? now),
    maxAttempts: attempts,
  }
}

/** A text by which something is found again: SQLite would not tell two halves of characters apart. */
function assertName(field: string, name: unknown): void {
  if (typeof name === 'string' && name !== '' && name.isWellFormed() && !name.includes('\0')) return
  throw invalid(`The ${field} of a task is a text of whole characters, and not empty.`)
}

export function assertAttempts(attempts: number): void {
  if (Number.isInteger(attempts) && attempts >= 1) return
  throw invalid('maxAttempts is a whole number of at least 1.')
}

/** Whole milliseconds, never earlier than what was said. */
export function toTime(field: string, ms: number): number {
  const time = Math.ceil(ms)
  if (Number.isSafeInteger(time)) return time
  throw invalid(`${field} is a number of milliseconds.`)
}

/** JSON of a value that comes from anywhere. */
export function toJson(field: string, value: JSONValue): string {
  let json: string | undefined
  try {
    json = JSON.stringify(value)
  } catch (cause) {
    throw invalid(`The ${field} is no JSON.`, cause)
  }
  if (json === undefined) throw invalid(`The ${field} is missing.`)
  return json
}

function invalid(message: string, cause?: unknown): WorkerError {
  return new WorkerError('invalid_argument', message, { cause })
}
