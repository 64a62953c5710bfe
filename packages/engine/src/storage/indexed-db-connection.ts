import { openDB, type DBSchema, type IDBPDatabase, type IDBPTransaction } from 'idb'
import { EngineError } from '../errors.ts'
import type { StorageWriteOptions } from './storage.ts'

/** The one object store. */
export const RECORDS = 'records'
/** Its index by the key of a record, across namespaces. */
export const BY_KEY = 'key'

/** A record as it is kept. Other code can write there as well, so nothing is certain. */
export interface StoredRecord {
  readonly namespace?: unknown
  readonly key?: unknown
  readonly value?: unknown
}

/** Of a record two texts; the place of a holder's token is none of these. */
export type RecordKey = [namespace: string | string[], key: string | number]

interface Schema extends DBSchema {
  [RECORDS]: {
    key: RecordKey
    value: StoredRecord
    indexes: { [BY_KEY]: string }
  }
}

type Database = IDBPDatabase<Schema>
/** A transaction on the records. */
export type IndexedDbTransaction<MODE extends IDBTransactionMode> = IDBPTransaction<
  Schema,
  [typeof RECORDS],
  MODE
>

/** A connection that opens when it is used, and again when it was closed meanwhile. */
export interface IndexedDbConnection {
  /**
   * Runs one transaction.
   *
   * @param work must not wait for anything but the transaction's own requests
   */
  transact<MODE extends 'readonly' | 'readwrite', T>(
    mode: MODE,
    work: (transaction: IndexedDbTransaction<MODE>) => Promise<T>,
    options?: StorageWriteOptions,
  ): Promise<T>
  /** Lets the database go once running transactions are over. */
  close(): Promise<void>
}

/** Milliseconds that another page is given to make way. */
const MAKING_WAY = 1_000
/** Milliseconds in which a database is open, or something keeps it from that, be it said or not. */
const OPENING = 5_000

/** One try to open the database. */
interface Opening {
  readonly database: Promise<Database>
  /** Rejects when another page keeps the database from being opened, or did; never resolves. */
  readonly blocked: Promise<never>
}

export function indexedDbConnection(name: string, version: number): IndexedDbConnection {
  let current: Opening | undefined

  const forget = (opening: Opening): void => {
    if (current === opening) current = undefined
  }

  const connect = (): Opening => {
    if (current) return current
    const opening = open(name, version, () => forget(opening))
    current = opening
    opening.database.catch(() => forget(opening))
    return opening
  }

  return {
    transact: async (mode, work, { durability = 'relaxed' } = {}) => {
      for (let tried = false; ; tried = true) {
        const opening = connect()
        const database = await Promise.race([opening.database, opening.blocked])
        let transaction
        try {
          transaction = database.transaction(RECORDS, mode, { durability })
        } catch (error) {
          // It was closed, which is not always announced.
          forget(opening)
          if (tried || !hasName(error, 'InvalidStateError')) throw error
          continue
        }
        return work(transaction)
      }
    },
    close: async () => {
      const opening = current
      current = undefined
      if (!opening) return
      const closed = opening.database.then((database) => database.close())
      await Promise.race([closed, opening.blocked]).catch(() => {})
    },
  }
}

/** @param onClosed the database was closed, by the browser or to make way for another page */
function open(name: string, version: number, onClosed: () => void): Opening {
  let block = (_error: EngineError): void => {}
  const blocked = new Promise<never>((_, reject) => {
    block = reject
  })
  // Only those who use it meanwhile are told.
  blocked.catch(() => {})

  let opened: Database | undefined
  const openVersion = (wanted?: number): Promise<Database> =>
    openDB<Schema>(name, wanted, {
      upgrade: (database) => {
        if (database.objectStoreNames.contains(RECORDS)) return
        const store = database.createObjectStore(RECORDS, { keyPath: ['namespace', 'key'] })
        store.createIndex(BY_KEY, 'key')
      },
      // Browsers say so, too, about pages that are making way in this moment.
      blocked: () => void setTimeout(() => block(blockedBy(name)), MAKING_WAY),
      blocking: () => {
        // Another page upgrades or deletes the database, and waits for this connection.
        onClosed()
        opened?.close()
      },
      terminated: onClosed,
    })

  // An upgrade of another page that does not come to its end blocks this one without a word.
  const stuck = setTimeout(() => block(blockedBy(name)), OPENING)

  const openRecords = async (): Promise<Database> => {
    if (typeof globalThis.indexedDB === 'undefined') throw missing()
    opened = await openVersion(version).catch((error: unknown) => {
      // A page with a newer version upgraded it; this one goes on as long as the records are there.
      if (hasName(error, 'VersionError')) return openVersion()
      throw error
    })
    if (opened.objectStoreNames.contains(RECORDS)) return opened
    opened.close()
    throw foreign(name)
  }

  return { database: openRecords().finally(() => clearTimeout(stuck)), blocked }
}

function hasName(error: unknown, name: string): boolean {
  return error instanceof Error && error.name === name
}

function missing(): EngineError {
  return new EngineError(
    'invalid_argument',
    'There is no IndexedDB here: use another storage on servers.',
  )
}

function blockedBy(name: string): EngineError {
  return new EngineError(
    'busy',
    `The database "${name}" cannot be opened, because another tab keeps it busy: close other tabs of this app.`,
    { retryable: true },
  )
}

function foreign(name: string): EngineError {
  return new EngineError(
    'invalid_argument',
    `The database "${name}" has no object store "${RECORDS}": choose another name, or a higher version.`,
  )
}
