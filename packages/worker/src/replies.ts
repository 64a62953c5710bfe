import type { TurnNotice } from '@assent/engine'
import type { AssentDatabase, TransactionOptions } from '@assent/node'
import type { UIMessage } from 'ai'
import { optionalTextOf, textOf } from './task-rows.ts'

/** The answer to a task, as it is to go out. */
export interface RecordedReply {
  /** All that the model said in the turn; empty when it said nothing. */
  readonly text: string
  /** The last message of the turn; none when the model wrote none. */
  readonly message: UIMessage | undefined
  /** Why the turn ended, when it was for another reason than an answer. */
  readonly notice?: TurnNotice | undefined
}

/**
 * What became of the replies of tasks: noted before it happens, so that after a crash it is known which
 * may have gone out.
 */
export interface Replies {
  /** One that is to go out; `'sent'` when it did. */
  find(taskId: string): RecordedReply | 'sent' | undefined
  /** Notes what is to go out; the first one stands. */
  record(taskId: string, reply: RecordedReply): void
  /** Notes that it is going out now. Answers whether it may have gone out before. */
  begin(taskId: string): boolean
  /** It surely did not go out, this time. */
  undo(taskId: string): void
  sent(taskId: string): void
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

/** @param now milliseconds since the epoch */
export function createReplies(database: AssentDatabase, now: () => number): Replies {
  const { sqlite, transaction } = database
  const find = sqlite.prepare(
    'SELECT state, text, message_json, notice FROM task_replies WHERE task_id = ?',
  )
  const record = sqlite.prepare(
    `INSERT INTO task_replies (task_id, state, text, message_json, notice, updated_at)
     VALUES (?, 'pending', ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
  )
  const move = sqlite.prepare('UPDATE task_replies SET state = ?, updated_at = ? WHERE task_id = ?')
  // What went out is in the conversation.
  const forget = sqlite.prepare(
    "UPDATE task_replies SET text = '', message_json = NULL WHERE task_id = ?",
  )
  const time = () => Math.floor(now())

  return {
    find(taskId) {
      const row = find.get(taskId)
      if (!row) return undefined
      if (row['state'] === 'sent') return 'sent'
      const json = optionalTextOf(row, 'message_json')
      return {
        text: textOf(row, 'text'),
        // It was written by `record`.
        message: json === undefined ? undefined : JSON.parse(json),
        notice: NOTICES.find((notice) => notice === row['notice']),
      }
    },
    record(taskId, { text, message, notice }) {
      transaction(() => {
        const json = message ? JSON.stringify(message) : null
        record.run(taskId, text, json, notice ?? null, time())
      }, RELAXED)
    },
    begin: (taskId) =>
      transaction(() => {
        const isRepeated = find.get(taskId)?.['state'] === 'sending'
        move.run('sending', time(), taskId)
        return isRepeated
      }),
    undo: (taskId) => transaction(() => void move.run('pending', time(), taskId)),
    sent: (taskId) =>
      transaction(() => {
        move.run('sent', time(), taskId)
        forget.run(taskId)
      }, RELAXED),
  }
}
