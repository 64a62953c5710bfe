import type { BotRecords } from '@assent/telegram'
import type { AssentPostgres } from '../open-postgres.ts'

export function draftRecords({ query }: AssentPostgres, botId: number): BotRecords['drafts'] {
  return {
    async note(taskId, { chatId, messageId }) {
      await query(
        `insert into assent.telegram_drafts values ($1, $2, $3, $4)
         on conflict (bot_id, task_id) do update
           set chat_id = excluded.chat_id, message_id = excluded.message_id`,
        [botId, taskId, chatId, messageId],
      )
    },
    async find(taskId) {
      const [row] = await query(
        `select chat_id, message_id from assent.telegram_drafts
         where bot_id = $1 and task_id = $2`,
        [botId, taskId],
      )
      return row && { chatId: Number(row['chat_id']), messageId: Number(row['message_id']) }
    },
    async forget(taskId) {
      await query('delete from assent.telegram_drafts where bot_id = $1 and task_id = $2', [
        botId,
        taskId,
      ])
    },
    async taskIds() {
      const rows = await query('select task_id from assent.telegram_drafts where bot_id = $1', [
        botId,
      ])
      return rows.map((row) => String(row['task_id']))
    },
  }
}
