import type { EngineStorage } from '@assent/engine'
import {
  defineStorage,
  notesBeside,
  type ConversationStorage,
  type KeepOptions,
} from '@assent/engine/storage'
import type { AssentPostgres } from '../open-postgres.ts'
import { createCallOrder, type CallOrder } from './call-order.ts'
import { namespaceWatch } from './namespace-watch.ts'
import { recordsTable, toRecordChanges } from './records.ts'

/**
 * Keeps conversations in a database: for the engine's option `storage`, and for
 * `storedConversations`. A write is one transaction and one round trip; one with `durability: 'strict'`
 * is on disk when it resolves. What another process allows everywhere, or takes back, is heard of at
 * once while a conversation is open.
 *
 * It does not keep two processes from having the same conversation open: `postgresConversations` does. A
 * tool call is started by one of them all the same: its claim is part of such a transaction.
 */
export function postgresStorage(
  database: AssentPostgres,
  options: KeepOptions = {},
): ConversationStorage & EngineStorage {
  return defineStorage(recordsStorage(database), options)
}

const orders = new WeakMap<AssentPostgres, CallOrder>()

/** One for each database that is open: the adapters of it keep one order. */
export function orderOf(database: AssentPostgres): CallOrder {
  const order = orders.get(database) ?? createCallOrder()
  orders.set(database, order)
  return order
}

function recordsStorage(database: AssentPostgres): ConversationStorage {
  const records = recordsTable(database)
  const watch = namespaceWatch(database)
  const order = orderOf(database)

  return {
    claims: 'store',
    store: database,
    read: (namespace, range) => order.within(namespace, () => records.read(namespace, range)),
    async write(namespace, changes, options = {}) {
      const { put, remove, claim } = changes
      const isEmpty = !put?.size && !remove?.length && !claim
      if (isEmpty && options.fence === undefined) return {}
      // Before its turn, so that a value may change afterwards.
      const texts = toRecordChanges(changes)
      const result = await order.within(namespace, () => records.write(namespace, texts, options))
      if (!isEmpty && result.claimed !== false) watch.changed(namespace)
      return result
    },
    async remove(namespace, { fence } = {}) {
      await order.within(namespace, () => records.remove(namespace, fence))
      // After the records: without these nobody may decide there any more.
      const notes = notesBeside(namespace)
      await order.within(notes, () => records.remove(notes, undefined))
      watch.changed(namespace)
    },
    async removeAll(prefix) {
      for (const one of [prefix, notesBeside(prefix)]) {
        for (const namespace of await order.alone(() => records.removeAll(one))) {
          watch.changed(namespace)
        }
      }
    },
    list: (key, range) => order.afterAll(() => records.list(key, range)),
    search: (text, prefix) => order.afterAll(() => records.search(text, prefix)),
    fence: (namespace) => order.within(namespace, () => records.raiseFence(namespace)),
    watch: (namespace, onChange) => watch.on(namespace, onChange),
  }
}
