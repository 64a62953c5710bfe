import type { StatementSync } from 'node:sqlite'
import { listInRange, type StorageListRange, type StorageRange } from '@assent/engine/storage'
import type { JSONValue } from 'ai'
import { readFrom } from './database-error.ts'
import { decodeName, encodeName, endOfNames } from './names.ts'
import type { AssentDatabase } from './open-database.ts'
import type { FoundRow } from './query-thread.ts'
import { othersHaveTurns } from './turns.ts'

/** Records by their names, as they were found. */
export type FoundRecords = Map<string, JSONValue>

/** How records are looked up. One that somebody else spoilt is left out. */
export interface RecordQueries {
  /** At once, also in a transaction. */
  read(namespace: string, range?: StorageRange): FoundRecords
  /** A few at once, many in a thread, so that others go on. */
  readPatiently(namespace: string, range?: StorageRange): Looking
  /** The same of what is found in all namespaces. */
  list(key: string, range?: StorageListRange): Looking
}

/** Records that are looked up. */
export interface Looking {
  readonly found: Promise<FoundRecords>
  /** Others may write before all is read. */
  readonly isLong: boolean
}

/** A query for rows of a name and a value. */
interface RecordQuery {
  readonly sql: string
  readonly values: readonly (string | number | Uint8Array)[]
  /** The name that is found and not wanted. */
  readonly without?: string | undefined
  readonly limit?: number | undefined
  /** All of it is looked at before the first row comes. */
  readonly isSorted?: boolean
}

const UPWARDS = `SELECT key AS name, value FROM conversation_records
  WHERE namespace = ? AND key >= max(?, ?) AND key < ? ORDER BY key`
const DOWNWARDS = `SELECT key AS name, value FROM conversation_records
  WHERE namespace = ? AND key >= ? AND key < min(?, ?) ORDER BY key DESC`
const BY_NAMESPACE = `SELECT namespace AS name, value FROM conversation_records
  WHERE key = ? AND namespace >= max(?, ?) AND namespace < ? ORDER BY namespace`
// Each by its place: Node 22.18 cannot bind those that have a number.
const BY_NUMBER = `SELECT name, value FROM (
    SELECT namespace AS name, value, CASE
      WHEN json_valid(value) AND json_type(value, ?) IN ('integer', 'real')
      THEN json_extract(value, ?) ELSE -1e999 END AS place
    FROM conversation_records WHERE key = ? AND namespace >= ? AND namespace < ?
  ) WHERE place < ? OR (place = ? AND name > ?) ORDER BY place DESC, name`

/** What is read at once, and no thread is asked for: so many records, and about so many characters. */
const FEW = 200
const FEW_LENGTH = 200_000

export function recordQueries(database: AssentDatabase): RecordQueries {
  const statements = new Map<string, StatementSync>()
  const turns = othersHaveTurns()

  function statementOf(sql: string): StatementSync {
    const statement = statements.get(sql) ?? database.sqlite.prepare(sql)
    statements.set(sql, statement)
    return statement
  }

  /** `undefined` when there is more than `most`. */
  function selectHere({ sql, values, without, limit = Infinity }: RecordQuery, most = Infinity) {
    return readFrom(database, () => {
      const found: FoundRecords = new Map()
      if (limit <= 0) return found
      let [count, length] = [0, 0]
      for (const row of statementOf(sql).iterate(...values)) {
        count++
        length += String(row['value']).length
        if (count > most || (most < Infinity && length > FEW_LENGTH)) return undefined
        add(found, row, without)
        if (found.size >= limit) break
      }
      return found
    })
  }

  async function selectThere({ sql, values, without, limit = Infinity }: RecordQuery) {
    const found: FoundRecords = new Map()
    const take = (rows: readonly FoundRow[]): void => {
      for (const row of rows) if (found.size < limit) add(found, row, without)
    }
    // What is unreadable, or not wanted, does not count: where that is missing, all are looked at.
    const most = limit + 1
    if (most < Infinity)
      await database.read({ sql: `${sql} LIMIT ?`, values: [...values, most] }, take)
    if (found.size < limit) await database.read({ sql, values }, take)
    return found
  }

  function select(query: RecordQuery): Looking {
    const few = query.isSorted ? undefined : selectHere(query, FEW)
    if (few) return { found: turns.after(few), isLong: false }
    return { found: selectThere(query), isLong: true }
  }

  return {
    read: (namespace, range) => selectHere(toRead(namespace, range)) ?? new Map(),
    readPatiently: (namespace, range) => select(toRead(namespace, range)),
    list(key, range = {}) {
      const query = toList(key, range)
      if (query) return select(query)
      // A path has no way to name any other field.
      const { prefix } = range
      const all = select(toList(key, { prefix }) ?? toRead(key))
      return { ...all, found: all.found.then((found) => new Map(listInRange(found, range))) }
    },
  }
}

function toRead(
  namespace: string,
  { prefix = '', after, limit, descending = false }: StorageRange = {},
): RecordQuery {
  const [name, from, end] = [encodeName(namespace), encodeName(prefix), endOfNames(prefix)]
  const without = after === undefined ? undefined : encodeName(after)
  if (descending) return { sql: DOWNWARDS, values: [name, from, end, without ?? end], limit }
  return { sql: UPWARDS, values: [name, from, without ?? from, end], without, limit }
}

/** `undefined` for a field that cannot be named. */
function toList(
  key: string,
  { prefix = '', by, after, limit }: StorageListRange,
): RecordQuery | undefined {
  const [name, from, end] = [encodeName(key), encodeName(prefix), endOfNames(prefix)]
  const without = after && encodeName(after.namespace)
  if (by === undefined) {
    return { sql: BY_NAMESPACE, values: [name, from, without ?? from, end], without, limit }
  }
  if (!/^\w+$/.test(by)) return undefined
  const value = after ? (after.value ?? -Infinity) : Infinity
  const path = `$."${by}"`
  const values = [path, path, name, from, end, value, value, without ?? '']
  return { sql: BY_NUMBER, values, limit, isSorted: true }
}

function add(found: FoundRecords, row: Readonly<Record<string, unknown>>, without?: string): void {
  const name = String(row['name'])
  const value = name === without ? undefined : parseJson(row['value'])
  if (value !== undefined) found.set(decodeName(name), value)
}

/** The value of a JSON text; `undefined` when it is none. */
export function parseJson(text: unknown): JSONValue | undefined {
  try {
    return JSON.parse(String(text))
  } catch {
    return undefined
  }
}
