import { heldConversations, type SharedConversations } from '@assent/engine/storage'
import type { AssentPostgres } from '../open-postgres.ts'
import { channelTable } from './channel-table.ts'
import { leaseWatch } from './lease-watch.ts'
import { leaseTable } from './leases.ts'
import { postgresStorage } from './postgres-storage.ts'

/**
 * The conversations of a database, each held by one process at a time, over all machines: for
 * `createWorker`, and for `createConversationServer` of `@assent/node`, so that it does not matter to which
 * of several servers a page is connected. Time is the database's.
 */
export function postgresConversations(database: AssentPostgres): SharedConversations {
  const free = leaseWatch(database)
  const storage = postgresStorage(database)
  return {
    ...heldConversations({ storage, closed: database.closed, leases: leaseTable(database) }),
    writeFor: (_user, namespace, changes, options) => storage.write(namespace, changes, options),
    onFree: (conversation, listener) => free.on(conversation, listener),
    channels: channelTable(database),
  }
}
