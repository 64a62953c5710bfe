import type { EngineStorage } from '@assent/engine'
import {
  defineStorage,
  notesBeside,
  type ConversationStorage,
  type KeepOptions,
} from '@assent/engine/storage'
import { leaseTable } from './leases.ts'
import { namespaceWatch } from './namespace-watch.ts'
import type { AssentDatabase } from './open-database.ts'
import { recordsTable, toRecordChange } from './records.ts'

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

/** One for each file: several databases and adapters of it are one store. */
const stores = new Map<string, object>()

function storeOf(database: AssentDatabase): object {
  const { path } = database
  if (path === ':memory:') return database
  const store = stores.get(path) ?? {}
  stores.set(path, store)
  return store
}

function recordsStorage(database: AssentDatabase): ConversationStorage {
  const records = recordsTable(database)
  const leases = leaseTable(database)
  const watch = namespaceWatch(database)

  return {
    claims: 'store',
    store: storeOf(database),
    read: async (namespace, range) => records.read(namespace, range),
    write: async (namespace, changes, { durability = 'relaxed', fence } = {}) => {
      const change = toRecordChange(changes)
      const isEmpty = change.put.size + change.remove.length === 0 && !change.claim
      if (isEmpty && fence === undefined) return {}
      const result = await database.transaction(
        () => {
          if (fence !== undefined) leases.pass(namespace, fence)
          return records.change(namespace, change)
        },
        { durability },
      )
      watch.changed(namespace)
      return result
    },
    remove: async (namespace, { fence } = {}) => {
      await database.transaction(() => {
        if (fence !== undefined) leases.pass(namespace, fence)
        records.clear(namespace)
        records.clear(notesBeside(namespace))
      })
      watch.changed(namespace)
    },
    removeAll: async (prefix) => {
      const gone = await database.transaction(() => {
        return [prefix, notesBeside(prefix)].flatMap((one) => records.clearAll(one))
      })
      for (const namespace of gone) watch.changed(namespace)
    },
    list: async (key, range) => records.list(key, range),
    fence: async (namespace) => leases.raise(namespace),
    watch: (namespace, onChange) => watch.on(namespace, onChange),
  }
}
