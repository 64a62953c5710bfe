import type { AssentDatabase } from '@assent/node'
import type { NoticeRecords } from '../telegram-records.ts'

/** Days after which the channel forgets what is over. */
const KEPT_DAYS = 30
const DAY_MS = 24 * 3_600_000

export function noticeRecords(
  { sqlite, transaction }: AssentDatabase,
  botId: number,
  now: () => number,
): NoticeRecords {
  const tell = sqlite.prepare(
    `INSERT INTO telegram_notices VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET told_at = excluded.told_at WHERE told_at <= ?`,
  )
  const old = [
    'DELETE FROM telegram_updates WHERE bot_id = ? AND body IS NULL AND received_at < ?',
    'DELETE FROM telegram_messages WHERE bot_id = ? AND over_at < ?',
    'DELETE FROM telegram_asks WHERE bot_id = ? AND over_at < ?',
    'DELETE FROM telegram_replies WHERE bot_id = ? AND updated_at < ?',
    'DELETE FROM telegram_notices WHERE bot_id = ? AND told_at < ?',
  ].map((sql) => sqlite.prepare(sql))
  return {
    isDue: async (chatId, kind) =>
      transaction(() => tell.run(botId, chatId, kind, now(), now() - DAY_MS).changes > 0),
    prune: async () =>
      transaction(() => {
        for (const statement of old) statement.run(botId, now() - KEPT_DAYS * DAY_MS)
      }),
  }
}
