import type { EngineStorage } from '@assent/engine'
import { defineStorage, type ConversationStorage, type KeepOptions } from '@assent/engine/storage'
import { namespaceWatch } from './namespace-watch.ts'
import type { AssentDatabase } from './open-database.ts'
import { recordsTable, toRecordChange } from './records.ts'

/**
 * Keeps conversations in a database: for the engine's option `storage`, and for
 * `storedConversations`. A write is one transaction; one with `durability: 'strict'` is on disk when
 * it resolves. What another process allows everywhere, or takes back, is heard of within half a
 * second while a conversation is open.
 *
 * It does not keep two processes from having the same conversation open: `holdConversation` does.
 */
export function sqliteStorage(
  database: AssentDatabase,
  options: KeepOptions = {},
): ConversationStorage & EngineStorage {
  return defineStorage(recordsStorage(database), options)
}

/** @param guard called in the transaction of every write, before it: what it throws refuses it */
export function recordsStorage(
  database: AssentDatabase,
  guard: () => void = () => undefined,
): ConversationStorage {
  const records = recordsTable(database)
  const watch = namespaceWatch(database)

  return {
    read: async (namespace) => records.read(namespace),
    write: async (namespace, changes, { durability = 'relaxed' } = {}) => {
      const change = toRecordChange(changes)
      if (change.put.size + change.remove.length === 0) return
      database.transaction(
        () => {
          guard()
          records.change(namespace, change)
        },
        { durability },
      )
      watch.changed(namespace)
    },
    remove: async (namespace) => {
      database.transaction(() => {
        guard()
        records.clear(namespace)
      })
      watch.changed(namespace)
    },
    list: async (key) => records.list(key),
    watch: (namespace, onChange) => watch.on(namespace, onChange),
  }
}
