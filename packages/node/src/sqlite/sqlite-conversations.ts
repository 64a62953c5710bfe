import { heldConversations, type Conversations } from '@assent/engine/storage'
import { leaseTable } from './leases.ts'
import type { AssentDatabase } from './open-database.ts'
import { sqliteStorage } from './sqlite-storage.ts'

/** Options of {@link sqliteConversations}. */
export interface SqliteConversationsOptions {
  /** Milliseconds since the epoch, the same for all processes. Default `Date.now`. */
  readonly now?: () => number
}

/** The conversations of a database, each held by one process at a time: for `createWorker`. */
export function sqliteConversations(
  database: AssentDatabase,
  { now = Date.now }: SqliteConversationsOptions = {},
): Conversations {
  const leases = leaseTable(database)
  return heldConversations({
    storage: sqliteStorage(database),
    closed: database.closed,
    leases: {
      acquire: async (namespace, owner, leaseMs) =>
        leases.acquire(namespace, { owner, now: now(), leaseMs }),
      renew: async (namespace, epoch, leaseMs) =>
        leases.renew(namespace, { epoch, now: now(), leaseMs }),
      isHeld: async (namespace, epoch) => leases.isHeld(namespace, epoch),
      release: async (namespace, epoch) => leases.release(namespace, epoch),
    },
  })
}
