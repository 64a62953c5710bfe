import type { AssentDatabase } from '@assent/node'
import type { PlaceRecords } from '../telegram-records.ts'

export function placeRecords({ sqlite, transaction }: AssentDatabase, botId: number): PlaceRecords {
  const get = sqlite.prepare(
    'SELECT conversation_id AS id FROM telegram_places WHERE bot_id = ? AND place = ?',
  )
  const begin = sqlite.prepare(
    `INSERT INTO telegram_places VALUES (?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET conversation_id = excluded.conversation_id, message_id = excluded.message_id
       WHERE message_id < excluded.message_id`,
  )
  return {
    async conversation(place) {
      const id = get.get(botId, place)?.['id']
      return typeof id === 'string' ? id : undefined
    },
    begin: async ({ place, chatId, conversationId, messageId }) =>
      transaction(() => begin.run(botId, place, chatId, conversationId, messageId).changes > 0),
  }
}
