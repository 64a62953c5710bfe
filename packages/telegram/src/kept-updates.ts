import type { AssentDatabase } from '@assent/node'
import type { Update } from 'grammy/types'

/** The updates of a bot, each taken in once. */
export interface KeptUpdates {
  /** From which update on to ask; none when that cannot be told any more. */
  nextOffset(): number | undefined
  /**
   * Keeps updates together with the offset after them: what has been kept is never asked for again, and
   * what has not been is. Answers with those that were not there yet.
   */
  keep(updates: readonly Update[], source: 'polling' | 'webhook'): Update[]
  /** Those that are not dealt with, in order. */
  open(): Update[]
  /** Says that one is dealt with. Its content is forgotten. */
  close(updateId: number): void
}

/** After a week without any, Telegram numbers updates anew, from anywhere. */
const OFFSET_HOLDS_MS = 6 * 24 * 3_600_000

export function keptUpdates(
  { sqlite, transaction }: AssentDatabase,
  botId: number,
  now: () => number,
): KeptUpdates {
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
    nextOffset() {
      const next = offset.get(botId, now() - OFFSET_HOLDS_MS)?.['next']
      return typeof next === 'number' ? next : undefined
    },
    keep(updates, source) {
      const last = updates.at(-1)
      if (!last) return []
      return transaction(() => {
        if (source === 'polling') setOffset.run(botId, last.update_id + 1, now())
        return updates.filter(
          (update) => add.run(botId, update.update_id, now(), JSON.stringify(update)).changes > 0,
        )
      })
    },
    open: () =>
      open.all(botId).flatMap(({ body }): Update[] => {
        return typeof body === 'string' ? [JSON.parse(body)] : []
      }),
    close: (updateId) => void close.run(botId, updateId),
  }
}
