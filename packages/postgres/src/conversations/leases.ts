import { encodeName } from '@assent/engine/storage'
import type { AssentPostgres, Row } from '../open-postgres.ts'

/** A lease that was given. */
export interface Lease {
  readonly token: number
  /** Its holder before let it expire. */
  readonly isTakenOver: boolean
}

/** Asks the database: as `pg` has it, in a transaction or by itself. */
export type Ask = (sql: string, values: readonly unknown[]) => Promise<readonly Row[]>

interface LeaseTable {
  /** `undefined` while somebody else has one that has not expired. */
  acquire(namespace: string, owner: string, leaseMs: number): Promise<Lease | undefined>
  /** Whether it was extended: not when another one has it, or it was released. */
  renew(namespace: string, token: number, leaseMs: number): Promise<boolean>
  release(namespace: string, token: number): Promise<void>
  /** Whether it is held; inside a transaction it stays so until that is over. */
  isHeld(namespace: string, token: number, ask?: Ask): Promise<boolean>
}

/** The leases of conversations, by the clock of the database. */
export function leaseTable(database: AssentPostgres): LeaseTable {
  const query: Ask = (sql, values) => database.query(sql, values)
  return {
    async acquire(namespace, owner, leaseMs) {
      const [row] = await query(
        `insert into assent.leases as l (namespace, owner, token, expires_at)
         values ($1, $2, 1, assent.clock_v1() + $3)
         on conflict (namespace) do update
           set owner = excluded.owner, token = l.token + 1, expires_at = assent.clock_v1() + $3,
             is_taken_over = l.owner is not null
           where l.owner is null or l.expires_at <= assent.clock_v1()
         returning token::float8 as token, is_taken_over`,
        [encodeName(namespace), owner, Math.ceil(leaseMs)],
      )
      return row && { token: Number(row['token']), isTakenOver: row['is_taken_over'] === true }
    },
    async renew(namespace, token, leaseMs) {
      const rows = await query(
        `update assent.leases set expires_at = assent.clock_v1() + $3
         where namespace = $1 and token = $2 and owner is not null returning 1`,
        [encodeName(namespace), token, Math.ceil(leaseMs)],
      )
      return rows.length > 0
    },
    async release(namespace, token) {
      await query(
        `update assent.leases set owner = null, expires_at = 0 where namespace = $1 and token = $2`,
        [encodeName(namespace), token],
      )
    },
    async isHeld(namespace, token, ask = query) {
      const rows = await ask(
        `select 1 from assent.leases
         where namespace = $1 and token = $2 and owner is not null for share`,
        [encodeName(namespace), token],
      )
      return rows.length > 0
    },
  }
}
