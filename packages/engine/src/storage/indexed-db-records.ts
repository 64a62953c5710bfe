import type { JSONValue } from 'ai'
import {
  RECORDS,
  type IndexedDbConnection,
  type IndexedDbTransaction,
  type StoredRecord,
} from './indexed-db-connection.ts'
import type { StorageWriteOptions } from './storage.ts'

/** Records to read: where they are looked up, and between which keys. */
export interface RecordQuery {
  source(transaction: IndexedDbTransaction<'readonly'>): {
    getAll(range: IDBKeyRange): Promise<StoredRecord[]>
    getAllKeys(range: IDBKeyRange): Promise<[namespace: string, key: string][]>
  }
  range(): IDBKeyRange
}

/** A record that can be given out. */
export interface ReadableRecord extends StoredRecord {
  readonly namespace: string
  readonly key: string
  readonly value: JSONValue
}

/** Reads all records of a query; those that are unreadable are left out. */
export async function readRecords(
  connection: IndexedDbConnection,
  query: RecordQuery,
): Promise<ReadableRecord[]> {
  const stored = await readTogether(connection, query).catch((error: unknown) => {
    if (isOfTransaction(error)) throw error
    // One value that the browser lost on its disk spoils the whole request.
    return readOneByOne(connection, query)
  })
  return stored.filter(isReadable)
}

/** One thing to do to the object store. */
export type RecordRequest = (
  store: ReturnType<IndexedDbTransaction<'readwrite'>['objectStore']>,
) => Promise<unknown>

/** Makes all requests in one transaction, and resolves when it is done. */
export function change(
  connection: IndexedDbConnection,
  requests: readonly RecordRequest[],
  options?: StorageWriteOptions,
): Promise<void> {
  // A request that fails aborts the transaction, which tells it.
  const ignore = (): void => {}
  return connection.transact(
    'readwrite',
    async (transaction) => {
      const store = transaction.objectStore(RECORDS)
      try {
        for (const request of requests) request(store).catch(ignore)
        // Not left to the page's next turn: it may have none.
        transaction.commit()
      } catch (error) {
        transaction.abort()
        await transaction.done.catch(ignore)
        throw error
      }
      await transaction.done
    },
    options,
  )
}

function readTogether(
  connection: IndexedDbConnection,
  { source, range }: RecordQuery,
): Promise<StoredRecord[]> {
  return connection.transact('readonly', (transaction) => source(transaction).getAll(range()))
}

async function readOneByOne(
  connection: IndexedDbConnection,
  { source, range }: RecordQuery,
): Promise<StoredRecord[]> {
  const keys = await connection.transact('readonly', (transaction) =>
    source(transaction).getAllKeys(range()),
  )
  const found: StoredRecord[] = []
  for (const key of keys) {
    // Each in its own transaction: a failed request takes the others of its transaction along.
    const record = await connection
      .transact('readonly', (transaction) => transaction.objectStore(RECORDS).get(key))
      .catch((error: unknown) => {
        if (isOfTransaction(error)) throw error
        return undefined
      })
    if (record) found.push(record)
  }
  return found
}

/** Whether a failure is that of a transaction or connection, and says nothing of a record. */
function isOfTransaction(error: unknown): boolean {
  return error instanceof Error && ['AbortError', 'InvalidStateError'].includes(error.name)
}

function isReadable(record: StoredRecord): record is ReadableRecord {
  return (
    typeof record.namespace === 'string' && typeof record.key === 'string' && isOfJson(record.value)
  )
}

/** Whether a value is of a kind that JSON has. What is inside is believed. */
function isOfJson(value: unknown): boolean {
  if (value === null || ['string', 'number', 'boolean'].includes(typeof value)) return true
  if (typeof value !== 'object') return false
  return Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype
}
