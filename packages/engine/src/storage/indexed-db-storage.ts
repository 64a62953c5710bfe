import { BY_KEY, indexedDbConnection, RECORDS } from './indexed-db-connection.ts'
import { change, nextToken, type RecordRequest } from './indexed-db-changes.ts'
import { readRecords } from './indexed-db-records.ts'
import { createNamespaceQueue } from './namespace-queue.ts'
import { endOfPrefix, listInRange } from './ranges.ts'
import type { ConversationStorage, StorageRange } from './storage.ts'

export interface IndexedDBStorageOptions {
  /** Name of the database. Default `'assent'`. */
  readonly name?: string
  /**
   * Version of the database, an integer from 1. Default 1. To be raised only when the database
   * exists already, made by something else, and has no object store of this storage yet.
   */
  readonly version?: number
}

/** A {@link ConversationStorage} that holds a connection. */
export interface IndexedDBStorage extends ConversationStorage {
  /** Lets the database go, so that it can be deleted. The next use opens it again. */
  close(): Promise<void>
}

/**
 * Keeps conversations in IndexedDB: the one to choose in browsers, also in workers. A write is one
 * transaction, and `durability` is the transaction's; with `'strict'` it is on disk when the write
 * resolves, where the browser honours that.
 *
 * The database is opened at the first use. When a page with a newer version opens or deletes it, this
 * connection closes and opens again when it is used next. While a page that does not make way within
 * a second blocks it, or it has not opened after five, uses reject with an `EngineError` (`busy`,
 * `retryable`) that asks to close the other tabs. Where there is no
 * IndexedDB, as on a server, each use rejects with an `EngineError` (`invalid_argument`); creating the
 * storage is fine.
 */
export function indexedDBStorage(options: IndexedDBStorageOptions = {}): IndexedDBStorage {
  const connection = indexedDbConnection(options.name ?? 'assent', options.version ?? 1)
  const queue = createNamespaceQueue()

  return {
    claims: 'store',
    read: (namespace, range = {}) =>
      queue.run(namespace, async () => {
        const stored = await readRecords(connection, {
          source: (transaction) => transaction.objectStore(RECORDS),
          range: () => rangeOf(namespace, range),
          ...range,
        })
        return new Map(stored.map(({ key, value }) => [key, value]))
      }),
    write: (
      namespace,
      { put = new Map(), remove = [], claim },
      { durability = 'relaxed', fence } = {},
    ) => {
      const added = Array.from(put, ([key, value]) => ({ namespace, key, value }))
      const gone = remove.filter((key) => !put.has(key))
      return queue.run(namespace, async () => {
        if (added.length + gone.length === 0 && !claim && fence === undefined) return {}
        return change(
          connection,
          [
            ...gone.map(
              (key): RecordRequest =>
                (store) =>
                  store.delete([namespace, key]),
            ),
            ...added.map(
              (record): RecordRequest =>
                (store) =>
                  store.put(record),
            ),
          ],
          { namespace, claim, fence },
          { durability },
        )
      })
    },
    remove: (namespace, { fence } = {}) =>
      queue.run(namespace, async () => {
        await change(connection, [(store) => store.delete(recordsOf(namespace))], {
          namespace,
          fence,
        })
      }),
    removeAll: async (prefix) => {
      await queue.settled()
      await change(connection, [(store) => store.delete(namespacesOf(prefix))])
    },
    list: async (key, range) => {
      await queue.settled()
      const stored = await readRecords(connection, {
        source: (transaction) => transaction.objectStore(RECORDS).index(BY_KEY),
        range: () => IDBKeyRange.only(key),
      })
      return listInRange(new Map(stored.map(({ namespace, value }) => [namespace, value])), range)
    },
    fence: (namespace) => queue.run(namespace, () => nextToken(connection, namespace)),
    close: () => connection.close(),
  }
}

/** The keys of a namespace, or those of a range; `undefined` for a range in which there are none. */
function rangeOf(
  namespace: string,
  { prefix = '', after, descending = false }: StorageRange = {},
): IDBKeyRange | undefined {
  if (prefix === '' && after === undefined) return recordsOf(namespace)
  let from = prefix
  let end = endOfPrefix(prefix)
  if (after !== undefined && descending) end = end === undefined || after < end ? after : end
  const isAfter = after !== undefined && !descending && after >= from
  if (isAfter) from = after
  if (end !== undefined && from >= end) return undefined
  // An array sorts after every text.
  const to = end === undefined ? [namespace, []] : [namespace, end]
  return IDBKeyRange.bound([namespace, from], to, isAfter, true)
}

function recordsOf(namespace: string): IDBKeyRange {
  return IDBKeyRange.bound([namespace], [namespace, []])
}

/** All namespaces that begin with a prefix; the tokens of holders are beyond them. */
function namespacesOf(prefix: string): IDBKeyRange {
  return IDBKeyRange.bound([prefix], [endOfPrefix(prefix) ?? []], false, true)
}
