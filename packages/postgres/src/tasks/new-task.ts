import { randomUUID } from 'node:crypto'
import type { NewTask } from '@assent/worker'
import type { JSONValue } from 'ai'
import { DatabaseError } from '../database-error.ts'

/** The values of `add_task_v1`. */
export type NewTaskValues = readonly [
  id: string,
  conversationId: string,
  input: string,
  replyTo: string | null,
  dueAt: number | null,
  maxAttempts: number,
]

/** Checks a new task. Throws `invalid_argument`, which says what is wrong. */
export function toNewTask(task: NewTask, mostAttempts: number): NewTaskValues {
  const id = task.id ?? randomUUID()
  assertName('id', id)
  assertName('conversationId', task.conversationId)
  const attempts = task.maxAttempts ?? mostAttempts
  assertAttempts(attempts)
  return [
    id,
    task.conversationId,
    toJson('input', task.input),
    task.replyTo === undefined ? null : toJson('replyTo', task.replyTo),
    task.dueAt === undefined ? null : toTime('dueAt', task.dueAt),
    attempts,
  ]
}

/** A text by which something is found again, as PostgreSQL can keep it. */
function assertName(field: string, name: unknown): void {
  if (typeof name === 'string' && name !== '' && name.isWellFormed() && !name.includes('\0')) return
  throw invalid(`The ${field} of a task is a text of whole characters, and not empty.`)
}

export function assertAttempts(attempts: number): void {
  if (Number.isInteger(attempts) && attempts >= 1 && attempts <= 1_000_000_000) return
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

function invalid(message: string, cause?: unknown): DatabaseError {
  return new DatabaseError('invalid_argument', message, { cause })
}
