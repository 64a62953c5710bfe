import type { BotRecords } from '@assent/telegram'
import type { AssentPostgres } from '../open-postgres.ts'

const DAY_MS = 24 * 3_600_000
/** After which the channel forgets what is over. */
const KEPT_MS = 30 * DAY_MS

const OLD = [
  'telegram_updates where bot_id = $1 and body is null and received_at',
  'telegram_messages where bot_id = $1 and over_at',
  'telegram_asks where bot_id = $1 and over_at',
  'telegram_replies where bot_id = $1 and updated_at',
  'telegram_notices where bot_id = $1 and told_at',
] as const

export function noticeRecords({ query }: AssentPostgres, botId: number): BotRecords['notices'] {
  return {
    async isDue(chatId, kind) {
      const told = await query(
        `insert into assent.telegram_notices as n values ($1, $2, $3, assent.clock_v1())
         on conflict (bot_id, chat_id, kind) do update set told_at = excluded.told_at
           where n.told_at <= excluded.told_at - $4
         returning 1`,
        [botId, chatId, kind, DAY_MS],
      )
      return told.length > 0
    },
    async prune() {
      for (const old of OLD) {
        await query(`delete from assent.${old} < assent.clock_v1() - $2`, [botId, KEPT_MS])
      }
    },
  }
}
