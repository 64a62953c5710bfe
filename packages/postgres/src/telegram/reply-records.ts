import type { BotRecords, ReplyProgress } from '@assent/telegram'
import type { AssentPostgres, Row } from '../open-postgres.ts'

export function replyRecords({ query }: AssentPostgres, botId: number): BotRecords['replies'] {
  return {
    async begin(taskId, digest, mayBeRepeated) {
      const [row] = await query(
        `insert into assent.telegram_replies as r values ($1, $2, $3, 0, false, assent.clock_v1())
         on conflict (bot_id, task_id) do update set digest = excluded.digest,
           sent_parts = case when $4 and r.digest = excluded.digest then r.sent_parts else 0 end,
           is_sending = $4 and r.digest = excluded.digest and r.is_sending,
           updated_at = excluded.updated_at
         returning sent_parts, is_sending`,
        [botId, taskId, digest, mayBeRepeated],
      )
      return toProgress(row)
    },
    async progress(taskId) {
      const [row] = await query(
        `select sent_parts, is_sending from assent.telegram_replies
         where bot_id = $1 and task_id = $2`,
        [botId, taskId],
      )
      return toProgress(row)
    },
    async sending(taskId) {
      await query(
        `update assent.telegram_replies set is_sending = true, updated_at = assent.clock_v1()
         where bot_id = $1 and task_id = $2`,
        [botId, taskId],
      )
    },
    async sent(taskId, parts) {
      await query(
        `update assent.telegram_replies
         set sent_parts = $3, is_sending = false, updated_at = assent.clock_v1()
         where bot_id = $1 and task_id = $2`,
        [botId, taskId, parts],
      )
    },
  }
}

function toProgress(row: Row | undefined): ReplyProgress {
  return { sentParts: Number(row?.['sent_parts'] ?? 0), isSending: row?.['is_sending'] === true }
}
