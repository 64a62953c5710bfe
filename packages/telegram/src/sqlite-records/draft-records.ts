import type { AssentDatabase } from '@assent/node'
import type { DraftRecords } from '../telegram-records.ts'

export function draftRecords({ sqlite, transaction }: AssentDatabase, botId: number): DraftRecords {
  const note = sqlite.prepare('INSERT OR REPLACE INTO telegram_drafts VALUES (?, ?, ?, ?)')
  const find = sqlite.prepare(
    'SELECT chat_id, message_id FROM telegram_drafts WHERE bot_id = ? AND task_id = ?',
  )
  const forget = sqlite.prepare('DELETE FROM telegram_drafts WHERE bot_id = ? AND task_id = ?')
  const taskIds = sqlite.prepare('SELECT task_id FROM telegram_drafts WHERE bot_id = ?')
  return {
    async note(taskId, { chatId, messageId }) {
      await transaction(() => note.run(botId, taskId, chatId, messageId))
    },
    async find(taskId) {
      const row = find.get(botId, taskId)
      return row && { chatId: Number(row['chat_id']), messageId: Number(row['message_id']) }
    },
    async forget(taskId) {
      await transaction(() => forget.run(botId, taskId))
    },
    taskIds: async () => taskIds.all(botId).map((row) => String(row['task_id'])),
  }
}
