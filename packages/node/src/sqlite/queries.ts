import type { DatabaseSync } from 'node:sqlite'
import { assertOpen, readFrom } from './database-error.ts'
import {
  queryThread,
  type FoundRow,
  type Query,
  type QueryConnection,
  type TakeRows,
} from './query-thread.ts'

/** How a database is asked for what may take long. */
export interface Queries {
  ask(queries: readonly Query[]): Promise<FoundRow[][]>
  /** One query for many rows, which come a few at a time. It does not wait for what takes long to find. */
  read(query: Query, take: TakeRows): Promise<void>
  /** Lets the file go; `undefined` when it has none. */
  close(): Promise<unknown> | undefined
}

export interface QueriesOptions {
  readonly path: string
  readonly closed: AbortSignal
  readonly busyTimeoutMs: number
}

type Kind = Parameters<typeof queryThread>[0]

/** Asks in a thread; in this one what is in no file, and what is asked inside of a transaction. */
export function createQueries(
  sqlite: DatabaseSync,
  { path, closed, busyTimeoutMs }: QueriesOptions,
): Queries {
  const connections = new Map<Kind, QueryConnection>()
  let isHere = path === ':memory:'

  function connect(kind: Kind): QueryConnection | undefined {
    if (isHere || sqlite.isTransaction) return undefined
    const connection = connections.get(kind) ?? queryThread(kind).connect(path, busyTimeoutMs)
    connections.set(kind, connection)
    return connection
  }

  function readHere(queries: readonly Query[]): FoundRow[][] {
    const all = () => queries.map(({ sql, values = [] }) => sqlite.prepare(sql).all(...values))
    if (sqlite.isTransaction) return all()
    sqlite.exec('BEGIN')
    try {
      return all()
    } finally {
      sqlite.exec('COMMIT')
    }
  }

  async function select(kind: Kind, queries: readonly Query[], take: TakeRows): Promise<void> {
    assertOpen({ path, closed })
    const takeHere = () => {
      const found = readFrom({ path, closed }, () => readHere(queries))
      for (const [index, rows] of found.entries()) take(rows, index)
    }
    const there = connect(kind)
    if (!there) return takeHere()
    try {
      await there.ask(queries, take)
    } catch (error) {
      if (!isForbidden(error)) throw error
      if (!isHere) {
        process.emitWarning(
          'No thread may be started here, so a long query on the database holds up everything else: run Node with --allow-worker.',
        )
      }
      isHere = true
      takeHere()
    }
  }

  return {
    async ask(queries) {
      const found = queries.map((): FoundRow[] => [])
      await select('search', queries, (rows, query) => {
        for (const row of rows) found[query]?.push(row)
      })
      return found
    },
    read: (query, take) => select('records', [query], take),
    close() {
      if (connections.size === 0) return undefined
      return Promise.all([...connections.values()].map((one) => one.close()))
    },
  }
}

/** Whether it is Node's permission model that refuses a thread. */
function isForbidden(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_ACCESS_DENIED'
}
