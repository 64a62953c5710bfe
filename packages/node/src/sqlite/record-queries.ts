import type { StatementSync } from 'node:sqlite'
import { listInRange, type StorageListRange, type StorageRange } from '@assent/engine/storage'
import type { JSONValue } from 'ai'
import { readFrom } from './database-error.ts'
import { decodeName, encodeName, endOfNames } from './names.ts'
import type { AssentDatabase } from './open-database.ts'

/** How records are looked up. One that somebody else spoilt is left out. */
export interface RecordQueries {
  read(namespace: string, range?: StorageRange): Map<string, JSONValue>
  list(key: string, range?: StorageListRange): Map<string, JSONValue>
}

export function recordQueries(database: AssentDatabase): RecordQueries {
  const { sqlite } = database
  const upwards = sqlite.prepare(
    `SELECT key AS name, value FROM conversation_records
     WHERE namespace = ? AND key >= max(?, ?) AND key < ? ORDER BY key`,
  )
  const downwards = sqlite.prepare(
    `SELECT key AS name, value FROM conversation_records
     WHERE namespace = ? AND key >= ? AND key < min(?, ?) ORDER BY key DESC`,
  )
  const byNamespace = sqlite.prepare(
    `SELECT namespace AS name, value FROM conversation_records
     WHERE key = ? AND namespace >= max(?, ?) AND namespace < ? ORDER BY namespace`,
  )
  // Each by its place: Node 22.18 cannot bind those that have a number.
  const byNumber = sqlite.prepare(
    `SELECT name, value FROM (
       SELECT namespace AS name, value, CASE
         WHEN json_valid(value) AND json_type(value, ?) IN ('integer', 'real')
         THEN json_extract(value, ?) ELSE -1e999 END AS place
       FROM conversation_records WHERE key = ? AND namespace >= ? AND namespace < ?
     ) WHERE place < ? OR (place = ? AND name > ?) ORDER BY place DESC, name`,
  )

  function select(
    statement: StatementSync,
    parameters: readonly (string | number | Uint8Array)[],
    { without, limit = Infinity }: { without?: string | undefined; limit?: number | undefined },
  ): Map<string, JSONValue> {
    return readFrom(database, () => {
      const found = new Map<string, JSONValue>()
      if (limit <= 0) return found
      for (const row of statement.iterate(...parameters)) {
        const name = String(row['name'])
        const value = name === without ? undefined : parseJson(row['value'])
        if (value !== undefined) found.set(decodeName(name), value)
        if (found.size >= limit) break
      }
      return found
    })
  }

  return {
    read(namespace, { prefix = '', after, limit, descending = false } = {}) {
      const [name, from, end] = [encodeName(namespace), encodeName(prefix), endOfNames(prefix)]
      const without = after === undefined ? undefined : encodeName(after)
      return descending
        ? select(downwards, [name, from, end, without ?? end], { limit })
        : select(upwards, [name, from, without ?? from, end], { without, limit })
    },
    list(key, { prefix = '', by, after, limit } = {}) {
      const [name, from, end] = [encodeName(key), encodeName(prefix), endOfNames(prefix)]
      const without = after && encodeName(after.namespace)
      if (by === undefined) {
        return select(byNamespace, [name, from, without ?? from, end], { without, limit })
      }
      // A path has no way to name any other field.
      if (!/^\w+$/.test(by)) {
        return listInRange(select(byNamespace, [name, from, from, end], {}), { by, after, limit })
      }
      const value = after ? (after.value ?? -Infinity) : Infinity
      const path = `$."${by}"`
      const parameters = [path, path, name, from, end, value, value, without ?? '']
      return select(byNumber, parameters, { limit })
    },
  }
}

/** The value of a JSON text; `undefined` when it is none. */
export function parseJson(text: unknown): JSONValue | undefined {
  try {
    return JSON.parse(String(text))
  } catch {
    return undefined
  }
}
