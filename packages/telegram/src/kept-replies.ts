import { createHash } from 'node:crypto'
import type { AssentDatabase } from '@assent/node'

/** How much of a reply went out. */
export interface ReplyProgress {
  readonly sentParts: number
  /** The next part may have gone out as well: a process ended while it was sent. */
  readonly isSending: boolean
}

/** What of the replies went out, so that one that is sent again goes on where it was. */
export interface KeptReplies {
  /**
   * Where a reply is.
   *
   * @param mayBeRepeated it was begun before; if not, what is known of an earlier one is forgotten
   */
  begin(taskId: string, text: string, mayBeRepeated: boolean): ReplyProgress
  progress(taskId: string): ReplyProgress
  /** Says that the next part is about to be sent. */
  sending(taskId: string): void
  /** Says that so many parts are out. */
  sent(taskId: string, parts: number): void
}

export function keptReplies(
  { sqlite, transaction }: AssentDatabase,
  botId: number,
  now: () => number,
): KeptReplies {
  const get = sqlite.prepare(
    `SELECT sent_parts, is_sending FROM telegram_replies
     WHERE bot_id = ? AND task_id = ? AND digest = ?`,
  )
  const progress = sqlite.prepare(
    'SELECT sent_parts, is_sending FROM telegram_replies WHERE bot_id = ? AND task_id = ?',
  )
  const reset = sqlite.prepare('INSERT OR REPLACE INTO telegram_replies VALUES (?, ?, ?, 0, 0, ?)')
  const sending = sqlite.prepare(
    'UPDATE telegram_replies SET is_sending = 1, updated_at = ? WHERE bot_id = ? AND task_id = ?',
  )
  const sent = sqlite.prepare(
    `UPDATE telegram_replies SET sent_parts = ?, is_sending = 0, updated_at = ?
     WHERE bot_id = ? AND task_id = ?`,
  )
  return {
    begin: (taskId, text, mayBeRepeated) =>
      transaction(() => {
        const digest = createHash('sha256').update(text).digest('hex')
        const row = mayBeRepeated ? get.get(botId, taskId, digest) : undefined
        if (!row) reset.run(botId, taskId, digest, now())
        return toProgress(row)
      }),
    progress: (taskId) => toProgress(progress.get(botId, taskId)),
    sending: (taskId) => void sending.run(now(), botId, taskId),
    sent: (taskId, parts) => void sent.run(parts, now(), botId, taskId),
  }
}

function toProgress(row: Readonly<Record<string, unknown>> | undefined): ReplyProgress {
  return { sentParts: Number(row?.['sent_parts'] ?? 0), isSending: row?.['is_sending'] === 1 }
}
