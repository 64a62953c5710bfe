import type { TurnNotice } from '@assent/engine'
import type { AssentDatabase, TransactionOptions } from '@assent/node'
import type { FoundReply, RecordedReply, Replies, ReplyClaim } from './replies.ts'
import { sqliteDeliveries } from './sqlite-deliveries.ts'
import { numberOf, optionalTextOf, unreadable, type Row } from './task-rows.ts'

/** Options of {@link sqliteReplies}. */
export interface SqliteRepliesOptions {
  /** Milliseconds since the epoch. Default `Date.now`. */
  readonly now?: () => number
}

/** What a loss of power may take back: the conversation has it, or it counts as on its way. */
const RELAXED: TransactionOptions = { durability: 'relaxed' }

const NOTICES: readonly TurnNotice[] = [
  'max-steps',
  'max-continuations',
  'repeated-calls',
  'length',
  'content-filter',
  'refusal',
  'empty',
]

/** Keeps what became of replies in a database, for any number of processes. */
export function sqliteReplies(
  database: AssentDatabase,
  { now = Date.now }: SqliteRepliesOptions = {},
): Replies {
  const { sqlite, transaction } = database
  // As bytes: Node 22 ends a text at U+0000.
  const find = sqlite.prepare(
    `SELECT task_id AS id, state, CAST(text AS BLOB) AS bytes, message_json, notice, epoch FROM task_replies
     WHERE task_id = ?`,
  )
  const record = sqlite.prepare(
    `INSERT INTO task_replies (task_id, state, text, message_json, notice, updated_at, epoch)
     VALUES (?, 'pending', ?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET epoch = excluded.epoch WHERE epoch <= excluded.epoch`,
  )
  const move = sqlite.prepare(
    'UPDATE task_replies SET state = ?, epoch = ?, updated_at = ? WHERE task_id = ?',
  )
  const forget = sqlite.prepare(
    "UPDATE task_replies SET text = '', message_json = NULL WHERE task_id = ?",
  )
  const time = () => Math.floor(now())
  const deliveries = sqliteDeliveries(database, time)

  /** The row of a reply, unless a later claim has changed it. */
  function rowFor({ task, epoch }: ReplyClaim): Row | undefined {
    const row = find.get(task.id)
    return row && numberOf(row, 'epoch') <= epoch ? row : undefined
  }

  function set(state: 'pending' | 'sending' | 'sent', { task, epoch }: ReplyClaim): void {
    move.run(state, epoch, time(), task.id)
  }

  function toFound(row: Row): FoundReply {
    if (row['state'] === 'sent') return 'sent'
    return deliveries.has(String(row['id'])) ? 'waiting' : toReply(row)
  }

  return {
    async find(taskId) {
      const row = find.get(taskId)
      return row && toFound(row)
    },
    async record(claim, { text, message, notice }) {
      const json = message ? JSON.stringify(message) : null
      return transaction(() => {
        record.run(claim.task.id, text, json, notice ?? null, time(), claim.epoch)
        const row = rowFor(claim)
        return row && toFound(row)
      }, RELAXED)
    },
    async begin(claim) {
      return transaction(() => {
        const state = rowFor(claim)?.['state']
        if (state === undefined || state === 'sent') return undefined
        const { task } = claim
        if (deliveries.has(task.id) || deliveries.isWaiting(task.conversationId)) {
          deliveries.add(task)
          return 'later'
        }
        set('sending', claim)
        return state === 'sending' ? 'again' : 'first'
      })
    },
    async undo(claim) {
      return transaction(() => {
        if (rowFor(claim)?.['state'] !== 'sending') return false
        set('pending', claim)
        return true
      })
    },
    async sent(claim) {
      return transaction(() => {
        if (!rowFor(claim)) return false
        set('sent', claim)
        forget.run(claim.task.id)
        deliveries.remove(claim.task.id)
        return true
      }, RELAXED)
    },
    async fail(claim, failure, delayMs) {
      return transaction(() => {
        const row = rowFor(claim)
        if (!row || row['state'] === 'sent') return false
        set(failure.isUnsent ? 'pending' : 'sending', claim)
        deliveries.fail(claim.task, failure, delayMs)
        return true
      })
    },
    async next(leaseMs) {
      return transaction(() => {
        const taken = deliveries.take(leaseMs)
        const row = taken && find.get(taken.task.id)
        if (!taken || !row) return undefined
        const claim = { task: taken.task, epoch: numberOf(row, 'epoch') + 1 }
        set('sending', claim)
        const mayBeRepeated = row['state'] === 'sending'
        return { ...taken, ...claim, reply: toReply(row), mayBeRepeated }
      })
    },
    async extend(claim, leaseMs) {
      return transaction(() => {
        const row = rowFor(claim)
        if (!row || row['state'] !== 'sending') return false
        deliveries.lease(claim.task.id, leaseMs)
        return true
      }, RELAXED)
    },
    undelivered: async (limit = 100) => deliveries.list(limit),
  }
}

function toReply(row: Row): RecordedReply {
  const json = optionalTextOf(row, 'message_json')
  const { bytes } = row
  if (!(bytes instanceof Uint8Array)) throw unreadable(String(row['id']), 'its reply is no text')
  return {
    text: new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes),
    // It was written by `record`.
    message: json === undefined ? undefined : JSON.parse(json),
    notice: NOTICES.find((notice) => notice === row['notice']),
  }
}
