import { passFence, type ConversationLease } from '@assent/engine/storage'
import { leasesAhead } from './leases-ahead.ts'
import { encodeName } from './names.ts'
import type { AssentDatabase } from './open-database.ts'

/** Times are milliseconds since the epoch. */
interface LeaseTable {
  /** `undefined` while somebody else has one that has not expired. */
  acquire(
    namespace: string,
    request: { readonly owner: string; readonly now: number; readonly leaseMs: number },
  ): Promise<ConversationLease | undefined>
  /** Whether it was extended: not when another one has it, or it was released. */
  renew(
    namespace: string,
    request: { readonly epoch: number; readonly now: number; readonly leaseMs: number },
  ): Promise<boolean>
  isHeld(namespace: string, epoch: number): boolean
  release(namespace: string, epoch: number): Promise<void>
  /** Gives the next epoch without a lease: whoever has one has lost it. */
  raise(namespace: string): Promise<number>
  /**
   * Compares the epoch of who writes, in a transaction of the caller.
   *
   * @throws EngineError `fenced` when there was a later one
   */
  pass(namespace: string, epoch: number): void
}

const tables = new WeakMap<AssentDatabase, LeaseTable>()

/** The table of leases of a database; its statements are made once. */
export function leaseTable(database: AssentDatabase): LeaseTable {
  const known = tables.get(database)
  if (known) return known
  const table = createTable(database)
  tables.set(database, table)
  return table
}

function createTable(database: AssentDatabase): LeaseTable {
  const { sqlite } = database
  const find = sqlite.prepare(
    'SELECT owner, epoch, expires_at, lease_ms FROM conversation_leases WHERE namespace = ?',
  )
  const give = sqlite.prepare(
    `INSERT INTO conversation_leases (namespace, owner, epoch, expires_at, lease_ms)
     VALUES (?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET owner = excluded.owner, epoch = excluded.epoch,
       expires_at = excluded.expires_at, lease_ms = excluded.lease_ms`,
  )
  const extend = sqlite.prepare(
    `UPDATE conversation_leases SET expires_at = ?, lease_ms = ?
     WHERE namespace = ? AND epoch = ? AND owner IS NOT NULL`,
  )
  const end = sqlite.prepare(
    `UPDATE conversation_leases SET owner = NULL, expires_at = 0
     WHERE namespace = ? AND epoch = ?`,
  )

  const ahead = leasesAhead()

  function isHeldAt(name: string, row: Readonly<Record<string, unknown>>, now: number): boolean {
    const { expires_at: expiresAt, lease_ms: leaseMs } = row
    const lease = {
      expiresAt: Number(expiresAt),
      leaseMs: typeof leaseMs === 'number' ? leaseMs : undefined,
    }
    return lease.expiresAt > now && !ahead.isOver(name, lease, now)
  }

  function epochOf(name: string): number | undefined {
    const row = find.get(name)
    return row && Number(row['epoch'])
  }

  return {
    acquire: (namespace, { owner, now, leaseMs }) =>
      database.transaction(() => {
        const name = encodeName(namespace)
        const row = find.get(name)
        const isOwned = row !== undefined && row['owner'] !== null
        if (isOwned && isHeldAt(name, row, now)) return undefined
        const epoch = Number(row?.['epoch'] ?? 0) + 1
        give.run(name, owner, epoch, Math.ceil(now + leaseMs), Math.ceil(leaseMs))
        return { epoch, isTakenOver: isOwned }
      }),
    renew: async (namespace, { epoch, now, leaseMs }) => {
      const expiresAt = Math.ceil(now + leaseMs)
      // What a loss of power takes back is a lease of a process that is gone.
      const { changes } = await database.transaction(
        () => extend.run(expiresAt, Math.ceil(leaseMs), encodeName(namespace), epoch),
        { durability: 'relaxed' },
      )
      return changes > 0
    },
    isHeld: (namespace, epoch) => {
      const row = find.get(encodeName(namespace))
      return row !== undefined && row['owner'] !== null && Number(row['epoch']) === epoch
    },
    release: async (namespace, epoch) => {
      await database.transaction(() => end.run(encodeName(namespace), epoch))
    },
    raise: (namespace) =>
      database.transaction(() => {
        const name = encodeName(namespace)
        const epoch = (epochOf(name) ?? 0) + 1
        give.run(name, null, epoch, 0, null)
        return epoch
      }),
    pass: (namespace, epoch) => {
      const name = encodeName(namespace)
      const greatest = epochOf(name)
      if (passFence(greatest, epoch) !== greatest) give.run(name, null, epoch, 0, null)
    },
  }
}
