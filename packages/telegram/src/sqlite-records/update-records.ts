import type { AssentDatabase } from '@assent/node'
import type { Update } from 'grammy/types'
import type { UpdateRecords } from '../telegram-records.ts'

/** After a week without any, Telegram numbers updates anew, from anywhere. */
const OFFSET_HOLDS_MS = 6 * 24 * 3_600_000

export function updateRecords(
  { sqlite, transaction }: AssentDatabase,
  botId: number,
  now: () => number,
): UpdateRecords {
  const offset = sqlite.prepare(
    'SELECT next_update_id AS next FROM telegram_bots WHERE bot_id = ? AND last_update_at > ?',
  )
  const setOffset = sqlite.prepare(
    `INSERT INTO telegram_bots VALUES (?, ?, ?) ON CONFLICT DO UPDATE
     SET next_update_id = excluded.next_update_id, last_update_at = excluded.last_update_at`,
  )
  const add = sqlite.prepare('INSERT OR IGNORE INTO telegram_updates VALUES (?, ?, ?, ?)')
  const open = sqlite.prepare(
    `SELECT body FROM telegram_updates
     WHERE bot_id = ? AND body IS NOT NULL ORDER BY received_at, update_id`,
  )
  const close = sqlite.prepare(
    'UPDATE telegram_updates SET body = NULL WHERE bot_id = ? AND update_id = ?',
  )
  return {
    async nextOffset() {
      const next = offset.get(botId, now() - OFFSET_HOLDS_MS)?.['next']
      return typeof next === 'number' ? next : undefined
    },
    async keep(updates, source) {
      const last = updates.at(-1)
      if (!last) return []
      return transaction(() => {
        if (source === 'polling') setOffset.run(botId, last.update_id + 1, now())
        return updates.filter(
          (update) => add.run(botId, update.update_id, now(), JSON.stringify(update)).changes > 0,
        )
      })
    },
    async open() {
      return open.all(botId).flatMap(({ body }): Update[] => {
        return typeof body === 'string' ? [JSON.parse(body)] : []
      })
    },
    async close(updateId) {
      await transaction(() => close.run(botId, updateId))
    },
  }
}
