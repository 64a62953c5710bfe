import { heldConversations, type Conversations } from '@assent/engine/storage'
import type { AssentPostgres } from '../open-postgres.ts'
import { leaseTable } from './leases.ts'
import { postgresStorage } from './postgres-storage.ts'

/**
 * The conversations of a database, each held by one process at a time, over all machines: for
 * `createWorker`. Time is the database's.
 */
export function postgresConversations(database: AssentPostgres): Conversations {
  return heldConversations({
    storage: postgresStorage(database),
    closed: database.closed,
    leases: leaseTable(database),
  })
}
