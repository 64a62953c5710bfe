import type { AssentDatabase } from '@assent/node'

/** Days after which the channel forgets what is over. */
const KEPT_DAYS = 30
const DAY_MS = 24 * 3_600_000

/** What a chat need not hear again and again. */
export interface KeptNotices {
  /** Whether a chat is to be told something; not again within a day. */
  isDue(chatId: number, kind: string): boolean
  /** Forgets all that is over for so long that nobody asks about it any more. */
  prune(): void
}

export function keptNotices(
  { sqlite, transaction }: AssentDatabase,
  botId: number,
  now: () => number,
): KeptNotices {
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
    isDue: (chatId, kind) => tell.run(botId, chatId, kind, now(), now() - DAY_MS).changes > 0,
    prune: () =>
      transaction(() => {
        for (const statement of old) statement.run(botId, now() - KEPT_DAYS * DAY_MS)
      }),
  }
}
