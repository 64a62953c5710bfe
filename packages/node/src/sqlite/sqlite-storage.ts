import type { EngineStorage } from '@assent/engine'
import {
  defineStorage,
  likeInJson,
  notesBeside,
  type ConversationStorage,
  type KeepOptions,
} from '@assent/engine/storage'
import { leaseTable } from './leases.ts'
import { decodeName, encodeName, endOfNames } from './names.ts'
import { namespaceWatch } from './namespace-watch.ts'
import type { AssentDatabase } from './open-database.ts'
import { recordOrder } from './record-order.ts'
import { recordsTable, toRecordChange } from './records.ts'
import { storeOf } from './store-of.ts'

/**
 * Keeps conversations in a database: for the engine's option `storage`, and for
 * `storedConversations`. A write is one transaction; one with `durability: 'strict'` is on disk when
 * it resolves. What another process allows everywhere, or takes back, is heard of within half a
 * second while a conversation is open.
 *
 * It does not keep two processes from having the same conversation open: `sqliteConversations` does. A
 * tool call is started by one of them all the same: its claim is part of such a transaction.
 */
export function sqliteStorage(
  database: AssentDatabase,
  options: KeepOptions = {},
): ConversationStorage & EngineStorage {
  return defineStorage(recordsStorage(database), options)
}

/** In a thread: it looks at all records of an owner. */
const SEARCH = `SELECT DISTINCT namespace FROM conversation_records
  WHERE namespace >= ? AND namespace < ? AND value LIKE ? ESCAPE '\\'`

function recordsStorage(database: AssentDatabase): ConversationStorage {
  const records = recordsTable(database)
  const leases = leaseTable(database)
  const watch = namespaceWatch(database)
  const order = recordOrder(database)

  return {
    claims: 'store',
    store: storeOf(database),
    read: async (namespace, range) =>
      order.read(namespace, () => records.queries.readPatiently(namespace, range)),
    write: async (namespace, changes, { durability = 'relaxed', fence } = {}) => {
      const change = toRecordChange(changes)
      const isEmpty = change.put.size + change.remove.length === 0 && !change.claim
      if (isEmpty && fence === undefined) return {}
      const result = await order.write(namespace, () =>
        database.transaction(
          () => {
            if (fence !== undefined) leases.pass(namespace, fence)
            return records.change(namespace, change)
          },
          { durability },
        ),
      )
      watch.changed(namespace)
      return result
    },
    remove: async (namespace, { fence } = {}) => {
      const clear = (): void => {
        if (fence !== undefined) leases.pass(namespace, fence)
        records.clear(namespace)
        records.clear(notesBeside(namespace))
      }
      await order.write(namespace, () => database.transaction(clear))
      watch.changed(namespace)
    },
    removeAll: async (prefix) => {
      const clear = () => [prefix, notesBeside(prefix)].flatMap((one) => records.clearAll(one))
      const gone = await order.writeAll(() => database.transaction(clear))
      for (const namespace of gone) watch.changed(namespace)
    },
    list: async (key, range) => records.queries.list(key, range).found,
    async search(text, prefix) {
      const values = [encodeName(prefix), endOfNames(prefix), likeInJson(text)]
      const [rows = []] = await database.query([{ sql: SEARCH, values }])
      return rows.map(({ namespace }) => decodeName(String(namespace)))
    },
    fence: async (namespace) => order.write(namespace, async () => leases.raise(namespace)),
    watch: (namespace, onChange) => watch.on(namespace, onChange),
  }
}
