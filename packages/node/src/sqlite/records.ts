import {
  tryClaim,
  type StorageChanges,
  type StorageClaim,
  type StorageRange,
  type StorageWriteResult,
} from '@assent/engine/storage'
import { DatabaseError, readFrom } from './database-error.ts'
import { decodeName, encodeName, endOfNames } from './names.ts'
import type { AssentDatabase } from './open-database.ts'
import {
  parseJson,
  recordQueries,
  type FoundRecords,
  type RecordQueries,
} from './record-queries.ts'

/** A change as it is written: JSON texts by stored key. */
export interface RecordChange {
  readonly put: ReadonlyMap<string, string>
  readonly remove: readonly string[]
  readonly claim?: StorageClaim
}

/** The table of records. What changes them is to be called in a transaction. */
export interface RecordsTable {
  /** At once: for what is known to have few, and in a transaction. */
  read(namespace: string, range?: StorageRange): FoundRecords
  readonly queries: RecordQueries
  /** How many records a namespace has. */
  count(namespace: string): number
  /** Changes nothing when its claim is taken. */
  change(namespace: string, change: RecordChange): StorageWriteResult
  clear(namespace: string): void
  /** Answers with the namespaces that are gone. */
  clearAll(prefix: string): string[]
}

const tables = new WeakMap<AssentDatabase, RecordsTable>()

/** The table of records of a database; its statements are made once. */
export function recordsTable(database: AssentDatabase): RecordsTable {
  const known = tables.get(database)
  if (known) return known
  const table = createTable(database)
  tables.set(database, table)
  return table
}

function createTable(database: AssentDatabase): RecordsTable {
  const { sqlite } = database
  const queries = recordQueries(database)
  const counting = sqlite.prepare(
    'SELECT count(*) AS count FROM conversation_records WHERE namespace = ?',
  )
  const one = sqlite.prepare(
    'SELECT value FROM conversation_records WHERE namespace = ? AND key = ?',
  )
  const upsert = sqlite.prepare(
    `INSERT INTO conversation_records (namespace, key, value) VALUES (?, ?, ?)
     ON CONFLICT DO UPDATE SET value = excluded.value`,
  )
  const remove = sqlite.prepare('DELETE FROM conversation_records WHERE namespace = ? AND key = ?')
  const clear = sqlite.prepare('DELETE FROM conversation_records WHERE namespace = ?')
  const within = sqlite.prepare(
    `SELECT DISTINCT namespace AS name FROM conversation_records
     WHERE namespace >= ? AND namespace < ?`,
  )

  return {
    read: queries.read,
    queries,
    count: (namespace) =>
      readFrom(database, () => Number(counting.get(encodeName(namespace))?.['count'])),
    change(namespace, change) {
      const name = encodeName(namespace)
      const { claim } = change
      if (claim) {
        const key = encodeName(claim.key)
        const row = one.get(name, key)
        const value = row && parseJson(row['value'])
        const outcome = tryClaim(claim, row && value === undefined ? 'unreadable' : { value })
        if (!outcome.claimed) return outcome
        upsert.run(name, key, JSON.stringify(claim.id))
      }
      for (const key of change.remove) remove.run(name, key)
      for (const [key, value] of change.put) upsert.run(name, key, value)
      return claim ? { claimed: true } : {}
    },
    clear: (namespace) => void clear.run(encodeName(namespace)),
    clearAll(prefix) {
      const names = within.all(encodeName(prefix), endOfNames(prefix)).map((row) => row['name'])
      for (const name of names) clear.run(String(name))
      return names.map((name) => decodeName(String(name)))
    },
  }
}

/** The texts of a change, so that a value that cannot be stored fails before anything is written. */
export function toRecordChange({
  put = new Map(),
  remove = [],
  claim,
}: StorageChanges): RecordChange {
  const texts = new Map<string, string>()
  for (const [key, value] of put) {
    const text: string | undefined = JSON.stringify(value)
    if (text === undefined) {
      throw new DatabaseError(
        'invalid_argument',
        `The record ${JSON.stringify(key)} is no JSON value: put only what JSON.stringify writes.`,
      )
    }
    texts.set(encodeName(key), text)
  }
  return { put: texts, remove: remove.map((key) => encodeName(key)), ...(claim && { claim }) }
}
