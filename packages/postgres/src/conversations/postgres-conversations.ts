import {
  DatabaseError,
  heldConversations,
  type SharedConversations,
  type StorageWriteOptions,
  type StorageWriteResult,
} from '@assent/engine/storage'
import type { AuditLog } from '@assent/node'
import {
  messagesWithCalls,
  notedWhereRun,
  writesOfRecords,
  type AuditTexts,
  type WrittenRecords,
} from '@assent/node/audit'
import { writeAll } from '../audit/audit-writes.ts'
import { auditTextsOf } from '../audit/postgres-audit.ts'
import type { AssentPostgres, Row } from '../open-postgres.ts'
import { channelTable } from './channel-table.ts'
import { leaseWatch } from './lease-watch.ts'
import { leaseTable } from './leases.ts'
import { namespaceWatch } from './namespace-watch.ts'
import { orderOf, postgresStorage } from './postgres-storage.ts'
import { recordsTable, toRecordChanges, type RecordChanges } from './records.ts'

/** Options of {@link postgresConversations}. */
export interface PostgresConversationsOptions {
  /** That of the same database notes the calls and the decisions that pages write. Default: nothing does. */
  readonly audit?: AuditLog
  /**
   * Whether the calls of a tool are noted where they run. That is known of what `createChatHandler` and `auditTools` of
   * this process note in the same database; say it of what other processes note.
   */
  readonly isNotedElsewhere?: (toolName: string) => boolean
}

/**
 * The conversations of a database, each held by one process at a time, over all machines: for
 * `createWorker`, and for `createConversationServer` of `@assent/node`, so that it does not matter to which
 * of several servers a page is connected. Time is the database's.
 */
export function postgresConversations(
  database: AssentPostgres,
  { audit, ...given }: PostgresConversationsOptions = {},
): SharedConversations {
  const free = leaseWatch(database)
  const watch = namespaceWatch(database)
  const order = orderOf(database)
  const storage = postgresStorage(database)
  const texts = audit && auditTextsOf(audit, database)
  const isNotedElsewhere = notedWhereRun(audit, given.isNotedElsewhere)
  if (audit && !texts) {
    const message =
      'Give postgresConversations the audit of its own database: postgresAudit(database).'
    throw new DatabaseError('invalid_argument', message)
  }
  return {
    ...heldConversations({ storage, closed: database.closed, leases: leaseTable(database) }),
    async writeFor(user, namespace, changes, options = {}) {
      if (!texts) return storage.write(namespace, changes, options)
      const { put = new Map() } = changes
      const written = { namespace, put, who: user, decidedBy: options.decidedBy, isNotedElsewhere }
      // Before its turn, so that a value may change afterwards.
      const records = toRecordChanges(changes)
      const result = await order.within(namespace, () =>
        writeNoted(database, { written, records, texts }, options),
      )
      if (result.claimed !== false) watch.changed(namespace)
      return result
    },
    onFree: (conversation, listener) => free.on(conversation, listener),
    channels: channelTable(database),
  }
}

interface NotedWrite {
  readonly written: WrittenRecords
  readonly records: RecordChanges
  readonly texts: AuditTexts
}

/** Writes records, and what the audit notes of them, as one. */
async function writeNoted(
  { transaction, flush }: AssentPostgres,
  { written, records: given, texts }: NotedWrite,
  options: StorageWriteOptions,
): Promise<StorageWriteResult> {
  const { namespace, put } = written
  let isStrict = false
  const done = await transaction(async (client) => {
    const records = recordsTable({
      query: async (sql, values = []) => (await client.query<Row>(sql, [...values])).rows,
    })
    const result = await records.write(namespace, given, options)
    if (result.claimed === false) return result
    const messages: Awaited<ReturnType<typeof records.read>>[] = []
    for (const prefix of messagesWithCalls(put)) {
      messages.push(await records.read(namespace, { prefix }))
    }
    const writes = writesOfRecords(written, messages, texts)
    if (writes.length === 0) return result
    // What the records need not survive, the audit does; but nobody has its chain while the disk is waited for.
    isStrict =
      options.durability === 'strict' || writes.some(({ durability }) => durability !== 'relaxed')
    await client.query('set local synchronous_commit = off')
    await writeAll(client, writes)
    return result
  })
  if (isStrict) await flush()
  return done
}
