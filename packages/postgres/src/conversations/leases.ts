import { encodeName, type ConversationLeases } from '@assent/engine/storage'
import type { AssentPostgres } from '../open-postgres.ts'
import { bellOf } from './bell-of.ts'

/** The leases of conversations, by the clock of the database. */
export function leaseTable({ query, news, process }: AssentPostgres): ConversationLeases {
  return {
    async acquire(namespace, owner, leaseMs) {
      const [row] = await query(
        `insert into assent.leases as l (namespace, owner, token, expires_at, process, process_token)
         values ($1, $2, 1, assent.clock_v1() + $3, $4, 1)
         on conflict (namespace) do update
           set owner = excluded.owner, token = l.token + 1, expires_at = assent.clock_v1() + $3,
             process = $4, process_token = l.token + 1, is_taken_over = l.owner is not null
           where l.owner is null or l.expires_at <= assent.clock_v1()
         returning token::float8 as token, is_taken_over`,
        [encodeName(namespace), owner, Math.ceil(leaseMs), process],
      )
      return row && { epoch: Number(row['token']), isTakenOver: row['is_taken_over'] === true }
    },
    async renew(namespace, epoch, leaseMs) {
      const rows = await query(
        `update assent.leases set expires_at = assent.clock_v1() + $3
         where namespace = $1 and token = $2 and owner is not null returning 1`,
        [encodeName(namespace), epoch, Math.ceil(leaseMs)],
      )
      return rows.length > 0
    },
    async release(namespace, epoch) {
      await query(
        `update assent.leases set owner = null, expires_at = 0 where namespace = $1 and token = $2`,
        [encodeName(namespace), epoch],
      )
      news.ring('assent_leases', bellOf(encodeName(namespace)))
    },
    async isHeld(namespace, epoch) {
      const rows = await query(
        `select 1 from assent.leases where namespace = $1 and token = $2 and owner is not null`,
        [encodeName(namespace), epoch],
      )
      return rows.length > 0
    },
  }
}
