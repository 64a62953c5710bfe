import type { JSONValue } from 'ai'
import type { StorageChanges } from '@assent/engine/storage'
import { DatabaseError, readFrom } from './database-error.ts'
import { decodeName, encodeName } from './names.ts'
import type { AssentDatabase } from './open-database.ts'

/** A change as it is written: JSON texts by stored key. */
export interface RecordChange {
  readonly put: ReadonlyMap<string, string>
  readonly remove: readonly string[]
}

/** The table of records. What changes them is to be called in a transaction. */
export interface RecordsTable {
  read(namespace: string): Map<string, JSONValue>
  list(key: string): Map<string, JSONValue>
  /** How many records a namespace has. */
  count(namespace: string): number
  change(namespace: string, change: RecordChange): void
  clear(namespace: string): void
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
  const ofNamespace = sqlite.prepare(
    'SELECT key AS name, value FROM conversation_records WHERE namespace = ?',
  )
  const ofKey = sqlite.prepare(
    'SELECT namespace AS name, value FROM conversation_records WHERE key = ?',
  )
  const counting = sqlite.prepare(
    'SELECT count(*) AS count FROM conversation_records WHERE namespace = ?',
  )
  const upsert = sqlite.prepare(
    `INSERT INTO conversation_records (namespace, key, value) VALUES (?, ?, ?)
     ON CONFLICT DO UPDATE SET value = excluded.value`,
  )
  const remove = sqlite.prepare('DELETE FROM conversation_records WHERE namespace = ? AND key = ?')
  const clear = sqlite.prepare('DELETE FROM conversation_records WHERE namespace = ?')

  /** Records by name; one that somebody else spoilt is left out. */
  function select(statement: typeof ofKey, name: string): Map<string, JSONValue> {
    return readFrom(database, () => {
      const records = new Map<string, JSONValue>()
      for (const row of statement.iterate(encodeName(name))) {
        const value = parseJson(row['value'])
        if (value !== undefined) records.set(decodeName(String(row['name'])), value)
      }
      return records
    })
  }

  return {
    read: (namespace) => select(ofNamespace, namespace),
    list: (key) => select(ofKey, key),
    count: (namespace) =>
      readFrom(database, () => Number(counting.get(encodeName(namespace))?.['count'])),
    change(namespace, change) {
      const name = encodeName(namespace)
      for (const key of change.remove) remove.run(name, key)
      for (const [key, value] of change.put) upsert.run(name, key, value)
    },
    clear: (namespace) => void clear.run(encodeName(namespace)),
  }
}

/** The texts of a change, so that a value that cannot be stored fails before anything is written. */
export function toRecordChange({ put = new Map(), remove = [] }: StorageChanges): RecordChange {
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
  return { put: texts, remove: remove.map((key) => encodeName(key)) }
}

function parseJson(text: unknown): JSONValue | undefined {
  try {
    return JSON.parse(String(text))
  } catch {
    return undefined
  }
}
