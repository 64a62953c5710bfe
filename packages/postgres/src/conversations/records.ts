import { setImmediate } from 'node:timers/promises'
import {
  decodeName,
  encodeName,
  endOfNames,
  fenced,
  likeInJson,
  listInRange,
  type StorageChanges,
  type StorageListRange,
  type StorageRange,
  type StorageWriteOptions,
  type StorageWriteResult,
} from '@assent/engine/storage'
import type { JSONValue } from 'ai'
import { DatabaseError } from '../database-error.ts'
import type { AssentPostgres, Row } from '../open-postgres.ts'

/** The table of records. */
export interface RecordsTable {
  read(namespace: string, range?: StorageRange): Promise<Map<string, JSONValue>>
  list(key: string, range?: StorageListRange): Promise<Map<string, JSONValue>>
  /** The namespaces of a prefix that may have a text, whatever its case. */
  search(text: string, prefix: string): Promise<readonly string[]>
  write(
    namespace: string,
    changes: RecordChanges,
    options: StorageWriteOptions,
  ): Promise<StorageWriteResult>
  remove(namespace: string, fence: number | undefined): Promise<void>
  /** Answers with the namespaces that are gone. */
  removeAll(prefix: string): Promise<readonly string[]>
  raiseFence(namespace: string): Promise<number>
}

/** What is written, as the values of `write_records_v1`. */
export type RecordChanges = readonly [
  keys: readonly string[],
  values: readonly string[],
  numbers: readonly (string | null)[],
  removed: readonly string[],
  claimKey: string | null,
  claimExpected: string | null,
  claimId: string | null,
]

const WRITE = 'select * from assent.write_records_v1($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)'

export function recordsTable({ query }: Pick<AssentPostgres, 'query'>): RecordsTable {
  return {
    async read(namespace, { prefix = '', after, limit, descending = false } = {}) {
      const range = conditionsOf('key', { prefix, after, descending })
      return toMap(
        await query(
          `select key as name, value::text from assent.records
           where namespace = $1 ${range.sql} order by key ${descending ? 'desc' : ''} limit $2`,
          [encodeName(namespace), limit ?? null, ...range.values],
        ),
      )
    },

    async list(key, { prefix = '', by, after, limit } = {}) {
      // The numbers of a value are kept by such names only.
      const isKept = by === undefined || NAME_OF_NUMBER.test(by)
      const place = by === undefined ? after?.namespace : undefined
      const range = conditionsOf('namespace', { prefix, after: place, descending: false })
      if (by === undefined || !isKept) {
        const rows = await query(
          `select namespace as name, value::text from assent.records
           where key = $1 ${range.sql} order by namespace limit $2`,
          [encodeName(key), isKept ? (limit ?? null) : null, ...range.values],
        )
        const found = await toMap(rows)
        return isKept ? found : listInRange(found, { by, after, limit })
      }
      const from = after ? (after.value ?? -Infinity) : Infinity
      return toMap(
        await query(
          `select name, value from (
             select namespace as name, value::text,
               coalesce((numbers ->> $3)::float8, '-Infinity') as place
             from assent.records where key = $1 ${conditionsOf('namespace', { prefix, first: 6 }).sql}
           ) as found
           where place < $4 or (place = $4 and name > $5) order by place desc, name limit $2`,
          [
            encodeName(key),
            limit ?? null,
            by,
            from,
            after ? encodeName(after.namespace) : '',
            ...conditionsOf('namespace', { prefix, first: 6 }).values,
          ],
        ),
      )
    },

    async search(text, prefix) {
      const range = conditionsOf('namespace', { prefix, first: 2 })
      const rows = await query(
        `select distinct namespace as name from assent.records
         where value::text ilike $1 ${range.sql}`,
        [likeInJson(text), ...range.values],
      )
      return rows.map((row) => decodeName(String(row['name'])))
    },

    async write(namespace, changes, { fence, durability }) {
      const isStrict = durability === 'strict'
      const values = [encodeName(namespace), ...changes, fence ?? null, isStrict]
      const [row = {}] = await query(WRITE, values)
      if (row['outcome'] === 'fenced') throw fenced(Number(row['fence']), fence ?? 0)
      if (row['outcome'] === 'claimed') return { claimed: true }
      if (row['outcome'] !== 'taken') return {}
      const held: unknown = row['held'] === null ? undefined : JSON.parse(String(row['held']))
      return { claimed: false, ...(typeof held === 'string' && { holder: held }) }
    },

    async remove(namespace, fence) {
      const [row = {}] = await query('select assent.remove_records_v1($1, $2) as fence', [
        encodeName(namespace),
        fence ?? null,
      ])
      const greatest = row['fence'] === null ? undefined : Number(row['fence'])
      if (fence !== undefined && greatest !== undefined && greatest > fence) {
        throw fenced(greatest, fence)
      }
    },

    async removeAll(prefix) {
      const range = conditionsOf('namespace', { prefix, first: 1 })
      const rows = await query(
        `with gone as (delete from assent.records where true ${range.sql} returning namespace)
         select distinct namespace as name from gone`,
        range.values,
      )
      return rows.map((row) => decodeName(String(row['name'])))
    },

    async raiseFence(namespace) {
      const [row = {}] = await query('select assent.raise_fence_v1($1)::float8 as token', [
        encodeName(namespace),
      ])
      return Number(row['token'])
    },
  }
}

/** By such names the numbers of a value are kept beside it. */
const NAME_OF_NUMBER = /^\w+$/

/**
 * The texts of a change, so that a value that cannot be stored fails before anything is written.
 *
 * @throws DatabaseError `invalid_argument`
 */
export function toRecordChanges({
  put = new Map(),
  remove = [],
  claim,
}: StorageChanges): RecordChanges {
  const [keys, values, numbers]: [string[], string[], (string | null)[]] = [[], [], []]
  for (const [key, value] of put) {
    const text: string | undefined = JSON.stringify(value)
    if (text === undefined) {
      throw new DatabaseError(
        'invalid_argument',
        `The record ${JSON.stringify(key)} is no JSON value: put only what JSON.stringify writes.`,
      )
    }
    keys.push(encodeName(key))
    values.push(text)
    numbers.push(numbersOf(value))
  }
  const expected = claim?.expected
  return [
    keys,
    values,
    numbers,
    remove.filter((key) => !put.has(key)).map(encodeName),
    claim ? encodeName(claim.key) : null,
    expected === undefined ? null : JSON.stringify(expected),
    claim ? JSON.stringify(claim.id) : null,
  ]
}

/** The numbers at the top of an object, as JSON. */
function numbersOf(value: JSONValue): string | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null
  const numbers = Object.entries(value).filter(
    ([name, one]) => typeof one === 'number' && Number.isFinite(one) && NAME_OF_NUMBER.test(name),
  )
  return numbers.length === 0 ? null : JSON.stringify(Object.fromEntries(numbers))
}

/** Those whose names begin with a prefix, and follow a name; values from `$3` on, or `first`. */
function conditionsOf(
  column: 'key' | 'namespace',
  {
    prefix,
    after,
    descending = false,
    first = 3,
  }: { prefix: string; after?: string | undefined; descending?: boolean; first?: number },
): { readonly sql: string; readonly values: readonly string[] } {
  const values: string[] = []
  const sql: string[] = []
  const add = (comparison: string, value: string | undefined): void => {
    if (value === undefined) return
    sql.push(`and ${column} ${comparison} $${first + values.length}`)
    values.push(value)
  }
  if (prefix !== '') {
    add('>=', encodeName(prefix))
    add('<', endOfNames(prefix))
  }
  add(descending ? '<' : '>', after === undefined ? undefined : encodeName(after))
  return { sql: sql.join(' '), values }
}

/** How many records are made of rows before others have a turn. */
const SLICE = 500

async function toMap(rows: readonly Row[]): Promise<Map<string, JSONValue>> {
  const found = new Map<string, JSONValue>()
  for (const [index, row] of rows.entries()) {
    if (index > 0 && index % SLICE === 0) await setImmediate()
    found.set(decodeName(String(row['name'])), JSON.parse(String(row['value'])))
  }
  return found
}
