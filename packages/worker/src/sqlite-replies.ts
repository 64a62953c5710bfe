import type { TurnNotice } from '@assent/engine'
import type { AssentDatabase, TransactionOptions } from '@assent/node'
import type { RecordedReply, Replies, ReplyClaim } from './replies.ts'
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
  { sqlite, transaction }: AssentDatabase,
  { now = Date.now }: SqliteRepliesOptions = {},
): Replies {
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

  /** The row of a reply, unless a later claim has changed it. */
  function rowFor({ task, epoch }: ReplyClaim): Row | undefined {
    const row = find.get(task.id)
    return row && numberOf(row, 'epoch') <= epoch ? row : undefined
  }

  function set(state: 'pending' | 'sending' | 'sent', { task, epoch }: ReplyClaim): void {
    move.run(state, epoch, time(), task.id)
  }

  return {
    async find(taskId) {
      const row = find.get(taskId)
      return row && toReply(row)
    },
    async record(claim, { text, message, notice }) {
      const json = message ? JSON.stringify(message) : null
      return transaction(() => {
        record.run(claim.task.id, text, json, notice ?? null, time(), claim.epoch)
        const row = rowFor(claim)
        return row && toReply(row)
      }, RELAXED)
    },
    async begin(claim) {
      return transaction(() => {
        const state = rowFor(claim)?.['state']
        if (state === undefined || state === 'sent') return undefined
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
        return true
      }, RELAXED)
    },
  }
}

function toReply(row: Row): RecordedReply | 'sent' {
  if (row['state'] === 'sent') return 'sent'
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
