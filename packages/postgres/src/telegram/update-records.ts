import type { BotRecords } from '@assent/telegram'
import type { AssentPostgres } from '../open-postgres.ts'

/** After a week without any, Telegram numbers updates anew, from anywhere. */
const OFFSET_HOLDS_MS = 6 * 24 * 3_600_000

const KEEP = `
  with asked as (
    insert into assent.telegram_bots (bot_id, next_update_id, last_update_at)
      select $1, $4::bigint, assent.clock_v1() where $4::bigint is not null
      on conflict (bot_id) do update set next_update_id = excluded.next_update_id,
        last_update_at = excluded.last_update_at)
  insert into assent.telegram_updates (bot_id, update_id, received_at, body)
    select $1, one.id, assent.clock_v1(), one.body::json
      from unnest($2::bigint[], $3::text[]) with ordinality as one (id, body, place)
      order by one.place
    on conflict do nothing
    returning update_id::float8 as id`

export function updateRecords({ query }: AssentPostgres, botId: number): BotRecords['updates'] {
  return {
    async nextOffset() {
      const [row] = await query(
        `select next_update_id::float8 as next from assent.telegram_bots
         where bot_id = $1 and last_update_at > assent.clock_v1() - $2`,
        [botId, OFFSET_HOLDS_MS],
      )
      return row && Number(row['next'])
    },

    async keep(updates, source) {
      const last = updates.at(-1)
      if (!last) return []
      const ids = updates.map((update) => update.update_id)
      const bodies = updates.map((update) => JSON.stringify(update))
      const next = source === 'polling' ? last.update_id + 1 : null
      const kept = new Set((await query(KEEP, [botId, ids, bodies, next])).map(({ id }) => id))
      return updates.filter((update) => kept.has(update.update_id))
    },

    async open() {
      const rows = await query(
        `select body::text as body from assent.telegram_updates
         where bot_id = $1 and body is not null order by received_at, update_id`,
        [botId],
      )
      return rows.map(({ body }) => JSON.parse(String(body)))
    },

    async close(updateId) {
      await query(
        'update assent.telegram_updates set body = null where bot_id = $1 and update_id = $2',
        [botId, updateId],
      )
    },
  }
}
