import type { AssentDatabase } from '@assent/node'
import type { FailedReply, ReplyClaim, UndeliveredReply } from './replies.ts'
import { numberOf, optionalTextOf, textOf, type Row } from './task-rows.ts'

/** The replies that did not go out at once, in their order. Each change is part of a transaction of the caller. */
export interface SqliteDeliveries {
  /** Whether this one waits or was given up. */
  has(taskId: string): boolean
  /** Whether a conversation has one that waits. */
  isWaiting(conversationId: string): boolean
  /** Has one wait behind all others; one that does already stays where it is. */
  add(task: ReplyClaim['task']): void
  fail(task: ReplyClaim['task'], failure: FailedReply, delayMs: number | undefined): void
  /** The first that is due, which is then due again after the lease. */
  take(leaseMs: number): TakenDelivery | undefined
  /** Is due again after so long. */
  lease(taskId: string, leaseMs: number): void
  remove(taskId: string): void
  list(limit: number): UndeliveredReply[]
}

export interface TakenDelivery {
  readonly task: ReplyClaim['task']
  readonly failures: number
  readonly waitedMs: number
}

export function sqliteDeliveries(
  { sqlite }: Pick<AssentDatabase, 'sqlite'>,
  time: () => number,
): SqliteDeliveries {
  const has = sqlite.prepare('SELECT 1 FROM task_deliveries WHERE task_id = ?')
  const isWaiting = sqlite.prepare(
    'SELECT 1 FROM task_deliveries WHERE conversation_id = ? AND due_at IS NOT NULL LIMIT 1',
  )
  const add = sqlite.prepare(
    `INSERT OR IGNORE INTO task_deliveries (task_id, conversation_id, waiting_since, due_at, failures)
     VALUES (?, ?, ?, ?, 0)`,
  )
  const fail = sqlite.prepare(
    `UPDATE task_deliveries SET due_at = ?, failures = failures + 1, error_code = ?, error_message = ?
     WHERE task_id = ?`,
  )
  const due = sqlite.prepare(
    `SELECT task_id, conversation_id, failures, waiting_since FROM task_deliveries AS one
     WHERE due_at <= ? AND NOT EXISTS (
       SELECT 1 FROM task_deliveries AS other WHERE other.conversation_id = one.conversation_id
         AND other.place < one.place AND other.due_at IS NOT NULL)
     ORDER BY due_at, place LIMIT 1`,
  )
  const lease = sqlite.prepare('UPDATE task_deliveries SET due_at = ? WHERE task_id = ?')
  const remove = sqlite.prepare('DELETE FROM task_deliveries WHERE task_id = ?')
  const list = sqlite.prepare('SELECT * FROM task_deliveries ORDER BY place LIMIT ?')

  const append = ({ id, conversationId }: ReplyClaim['task']): void => {
    add.run(id, conversationId, time(), time())
  }

  const leaseFor = (taskId: string, leaseMs: number): void =>
    void lease.run(time() + Math.ceil(leaseMs), taskId)

  return {
    has: (taskId) => has.get(taskId) !== undefined,
    isWaiting: (conversationId) => isWaiting.get(conversationId) !== undefined,
    add: append,
    fail(task, { error: { code, message } }, delayMs) {
      append(task)
      fail.run(delayMs === undefined ? null : time() + Math.ceil(delayMs), code, message, task.id)
    },
    take(leaseMs) {
      const row = due.get(time())
      if (!row) return undefined
      const id = textOf(row, 'task_id')
      leaseFor(id, leaseMs)
      return {
        task: { id, conversationId: textOf(row, 'conversation_id') },
        failures: numberOf(row, 'failures'),
        waitedMs: Math.max(0, time() - numberOf(row, 'waiting_since')),
      }
    },
    lease: leaseFor,
    remove: (taskId) => void remove.run(taskId),
    list: (limit) => list.all(limit).map(toUndelivered),
  }
}

function toUndelivered(row: Row): UndeliveredReply {
  const code = optionalTextOf(row, 'error_code')
  return {
    taskId: textOf(row, 'task_id'),
    conversationId: textOf(row, 'conversation_id'),
    waitingSince: numberOf(row, 'waiting_since'),
    dueAt: row['due_at'] === null ? undefined : numberOf(row, 'due_at'),
    failures: numberOf(row, 'failures'),
    error:
      code === undefined
        ? undefined
        : { code, message: optionalTextOf(row, 'error_message') ?? '' },
  }
}
