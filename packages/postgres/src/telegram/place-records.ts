import type { BotRecords } from '@assent/telegram'
import type { AssentPostgres } from '../open-postgres.ts'

export function placeRecords({ query }: AssentPostgres, botId: number): BotRecords['places'] {
  return {
    async conversation(place) {
      const [row] = await query(
        'select conversation_id as id from assent.telegram_places where bot_id = $1 and place = $2',
        [botId, place],
      )
      return row === undefined ? undefined : String(row['id'])
    },
    async begin({ place, chatId, conversationId, messageId }) {
      const begun = await query(
        `insert into assent.telegram_places as p values ($1, $2, $3, $4, $5)
         on conflict (bot_id, place) do update
           set conversation_id = excluded.conversation_id, message_id = excluded.message_id
           where p.message_id < excluded.message_id
         returning 1`,
        [botId, place, chatId, conversationId, messageId],
      )
      return begun.length > 0
    },
  }
}
