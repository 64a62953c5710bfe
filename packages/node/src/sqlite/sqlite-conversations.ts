import { DatabaseError, heldConversations, type SharedConversations } from '@assent/engine/storage'
import type { AuditLog } from '../audit/audit-log.ts'
import { auditParts } from '../audit/create-audit-log.ts'
import { notedWhereRun } from '../audit/noted-tools.ts'
import { auditWriter } from '../audit/sqlite-audit-store.ts'
import {
  messagesWithCalls,
  writesOfRecords,
  type WrittenRecords,
} from '../conversations/audit-records.ts'
import { channelTable } from './channel-table.ts'
import { leaseWatch } from './lease-watch.ts'
import { leaseTable } from './leases.ts'
import { namespaceWatch } from './namespace-watch.ts'
import type { AssentDatabase } from './open-database.ts'
import { recordOrder } from './record-order.ts'
import { recordsTable, toRecordChange } from './records.ts'
import { sqliteStorage } from './sqlite-storage.ts'

/** Options of {@link sqliteConversations}. */
export interface SqliteConversationsOptions {
  /** That of the same database notes the calls and the decisions that pages write. Default: nothing does. */
  readonly audit?: AuditLog
  /**
   * Whether the calls of a tool are noted where they run. That is known of what `createChatHandler` and `auditTools` of
   * this process note in the same database; say it of what other processes note.
   */
  readonly isNotedElsewhere?: (toolName: string) => boolean
  /** Milliseconds since the epoch, the same for all processes. Default `Date.now`. */
  readonly now?: () => number
}

/**
 * The conversations of a database, each held by one process at a time: for `createWorker` and
 * `createConversationServer`.
 */
export function sqliteConversations(
  database: AssentDatabase,
  { audit, now = Date.now, ...options }: SqliteConversationsOptions = {},
): SharedConversations {
  const leases = leaseTable(database)
  const records = recordsTable(database)
  const storage = sqliteStorage(database)
  const free = leaseWatch(database)
  const watch = namespaceWatch(database)
  const order = recordOrder(database)
  const parts = audit && auditParts(audit)
  const isNotedElsewhere = notedWhereRun(audit, options.isNotedElsewhere)
  const write = auditWriter(parts?.store, database)
  if (audit && !write) {
    const message = 'Give sqliteConversations the audit of its own database: auditLog(database).'
    throw new DatabaseError('invalid_argument', message)
  }

  /** In the transaction of the write, after it. */
  function note(written: WrittenRecords): void {
    if (!parts || !write) return
    const messages = messagesWithCalls(written.put).map((prefix) =>
      records.read(written.namespace, { prefix }),
    )
    for (const one of writesOfRecords(written, messages, parts.texts)) write(one)
  }

  return {
    ...heldConversations({
      storage,
      closed: database.closed,
      leases: {
        acquire: async (namespace, owner, leaseMs) =>
          leases.acquire(namespace, { owner, now: now(), leaseMs }),
        renew: async (namespace, epoch, leaseMs) =>
          leases.renew(namespace, { epoch, now: now(), leaseMs }),
        isHeld: async (namespace, epoch) => leases.isHeld(namespace, epoch),
        release: async (namespace, epoch) => leases.release(namespace, epoch),
      },
    }),
    async writeFor(user, namespace, changes, options = {}) {
      if (!parts) return storage.write(namespace, changes, options)
      const { durability = 'relaxed', fence, decidedBy } = options
      const change = toRecordChange(changes)
      const { put = new Map() } = changes
      const writeNoted = () => {
        if (fence !== undefined) leases.pass(namespace, fence)
        const written = records.change(namespace, change)
        if (written.claimed !== false) {
          note({ namespace, put, who: user, decidedBy, isNotedElsewhere })
        }
        return written
      }
      const result = await order.write(namespace, () =>
        database.transaction(writeNoted, { durability }),
      )
      watch.changed(namespace)
      return result
    },
    onFree: (conversation, listener) => free.on(conversation, listener),
    channels: channelTable(database),
  }
}
