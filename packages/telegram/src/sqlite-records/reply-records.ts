import type { AssentDatabase } from '@assent/node'
import type { ReplyProgress, ReplyRecords } from '../telegram-records.ts'

export function replyRecords(
  { sqlite, transaction }: AssentDatabase,
  botId: number,
  now: () => number,
): ReplyRecords {
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
    begin: async (taskId, digest, mayBeRepeated) =>
      transaction(() => {
        const row = mayBeRepeated ? get.get(botId, taskId, digest) : undefined
        if (!row) reset.run(botId, taskId, digest, now())
        return toProgress(row)
      }),
    progress: async (taskId) => toProgress(progress.get(botId, taskId)),
    async sending(taskId) {
      await transaction(() => sending.run(now(), botId, taskId))
    },
    async sent(taskId, parts) {
      await transaction(() => sent.run(parts, now(), botId, taskId))
    },
  }
}

function toProgress(row: Readonly<Record<string, unknown>> | undefined): ReplyProgress {
  return { sentParts: Number(row?.['sent_parts'] ?? 0), isSending: row?.['is_sending'] === 1 }
}
