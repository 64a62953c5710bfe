import type { JSONValue } from 'ai'
import {
  RECORDS,
  type IndexedDbConnection,
  type IndexedDbTransaction,
  type RecordKey,
  type StoredRecord,
} from './indexed-db-connection.ts'

/** Records to read: where they are looked up, and between which keys. */
export interface RecordQuery {
  source(transaction: IndexedDbTransaction<'readonly'>): RecordSource
  /** `undefined` when none can be between them. */
  range(): IDBKeyRange | undefined
  /** So many readable ones. */
  readonly limit?: number
  readonly descending?: boolean
}

interface RecordSource {
  getAll(range: IDBKeyRange): Promise<StoredRecord[]>
  getAllKeys(range: IDBKeyRange): Promise<RecordKey[]>
  openCursor(range: IDBKeyRange, direction: IDBCursorDirection): Promise<RecordCursor | null>
}

interface RecordCursor {
  readonly value: StoredRecord
  continue(): Promise<RecordCursor | null>
}

/** A record that can be given out. */
export interface ReadableRecord extends StoredRecord {
  readonly namespace: string
  readonly key: string
  readonly value: JSONValue
}

/** Reads the records of a query; those that are unreadable are left out. */
export async function readRecords(
  connection: IndexedDbConnection,
  query: RecordQuery,
): Promise<ReadableRecord[]> {
  const range = query.range()
  if (!range) return []
  return readTogether(connection, query, range).catch((error: unknown) => {
    if (isOfTransaction(error)) throw error
    // One value that the browser lost on its disk spoils the whole request.
    return readOneByOne(connection, query, range)
  })
}

function readTogether(
  connection: IndexedDbConnection,
  { source, limit, descending = false }: RecordQuery,
  range: IDBKeyRange,
): Promise<ReadableRecord[]> {
  return connection.transact('readonly', async (transaction) => {
    const records = source(transaction)
    if (limit === undefined) {
      const all = (await records.getAll(range)).filter(isReadable)
      return descending ? all.toReversed() : all
    }
    const found: ReadableRecord[] = []
    let cursor = limit > 0 ? await records.openCursor(range, descending ? 'prev' : 'next') : null
    while (cursor) {
      if (isReadable(cursor.value)) found.push(cursor.value)
      cursor = found.length < limit ? await cursor.continue() : null
    }
    return found
  })
}

async function readOneByOne(
  connection: IndexedDbConnection,
  { source, limit = Infinity, descending = false }: RecordQuery,
  range: IDBKeyRange,
): Promise<ReadableRecord[]> {
  const keys = await connection.transact('readonly', (transaction) =>
    source(transaction).getAllKeys(range),
  )
  const found: ReadableRecord[] = []
  for (const key of descending ? keys.toReversed() : keys) {
    if (found.length >= limit) break
    // Each in its own transaction: a failed request takes the others of its transaction along.
    const record = await connection
      .transact('readonly', (transaction) => transaction.objectStore(RECORDS).get(key))
      .catch((error: unknown) => {
        if (isOfTransaction(error)) throw error
        return undefined
      })
    if (record && isReadable(record)) found.push(record)
  }
  return found
}

/** Whether a failure is that of a transaction or connection, and says nothing of a record. */
function isOfTransaction(error: unknown): boolean {
  return error instanceof Error && ['AbortError', 'InvalidStateError'].includes(error.name)
}

/** Whether a record can be given out. */
export function isReadable(record: StoredRecord): record is ReadableRecord {
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
