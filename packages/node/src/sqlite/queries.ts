import type { DatabaseSync } from 'node:sqlite'
import { assertOpen, readFrom } from './database-error.ts'
import { queryThread, type FoundRow, type Query, type QueryConnection } from './query-thread.ts'

/** How a database is asked for what may take long. */
export interface Queries {
  ask(queries: readonly Query[]): Promise<FoundRow[][]>
  /** Lets the file go; `undefined` when it has none. */
  close(): Promise<void> | undefined
}

export interface QueriesOptions {
  readonly path: string
  readonly closed: AbortSignal
  readonly busyTimeoutMs: number
}

/** Asks in a thread; in this one what is in no file, and what is asked inside of a transaction. */
export function createQueries(
  sqlite: DatabaseSync,
  { path, closed, busyTimeoutMs }: QueriesOptions,
): Queries {
  let connection: QueryConnection | undefined
  let isHere = path === ':memory:'

  function connect(): QueryConnection | undefined {
    if (isHere || sqlite.isTransaction) return undefined
    return (connection ??= queryThread().connect(path, busyTimeoutMs))
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

  return {
    async ask(queries) {
      assertOpen({ path, closed })
      const there = connect()
      if (!there) return readFrom({ path, closed }, () => readHere(queries))
      try {
        return await there.ask(queries)
      } catch (error) {
        if (!isForbidden(error)) throw error
        isHere = true
        process.emitWarning(
          'No thread may be started here, so a long query on the database holds up everything else: run Node with --allow-worker.',
        )
        return readFrom({ path, closed }, () => readHere(queries))
      }
    },
    close: () => connection?.close(),
  }
}

/** Whether it is Node's permission model that refuses a thread. */
function isForbidden(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_ACCESS_DENIED'
}
