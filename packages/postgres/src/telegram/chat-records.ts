import type { BotRecords } from '@assent/telegram'
import type { AssentPostgres } from '../open-postgres.ts'

export function chatRecords({ query }: AssentPostgres, botId: number): BotRecords['chats'] {
  return {
    async move(from, to) {
      await query(
        `with moved as (
           insert into assent.telegram_moves as m values ($1, $2, $3)
           on conflict (bot_id, chat_id) do update set moved_to = excluded.moved_to
         )
         update assent.telegram_asks set message_id = null
         where bot_id = $1 and chat_id = $2 and over_at is null and decision is null`,
        [botId, from, to],
      )
    },
    async moves() {
      const rows = await query(
        'select chat_id, moved_to from assent.telegram_moves where bot_id = $1',
        [botId],
      )
      return rows.map((row) => ({ from: Number(row['chat_id']), to: Number(row['moved_to']) }))
    },
  }
}
