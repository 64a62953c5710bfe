import { randomUUID } from 'node:crypto'
import { Pool, type PoolClient } from 'pg'
import { DatabaseError, isUnanswered, isUndone, toDatabaseError } from './database-error.ts'
import { migrate } from './migrate.ts'
import { MIGRATIONS } from './migrations.ts'
import { createNews, type News } from './news.ts'
import { register, UNREGISTER } from './session.ts'

/** One database with everything. Any number of processes, on any machines, may have it open. */
export interface AssentPostgres {
  /** For people: its host and its database, without a password. */
  readonly name: string
  /** Names this process, for as long as it has it open. */
  readonly process: string
  /** The connections. The tables of the schema `assent` may be read by plain SQL. */
  readonly pool: Pool
  /** What processes tell each other. */
  readonly news: News
  /** Aborts when it is closed: for what looks into it again and again. */
  readonly closed: AbortSignal
  /**
   * One statement; its rows.
   *
   * @throws DatabaseError `database_unreachable`, `database_closed` …; or what PostgreSQL says
   */
  query(sql: string, values?: readonly unknown[]): Promise<readonly Row[]>
  /**
   * Does several things as one. One that was undone since others stood in its way runs again, so that
   * it must do nothing but ask the client.
   *
   * @param isRelaxed it is over before it is on disk; what is strict and comes later takes it along
   * @throws DatabaseError, or what `run` throws
   */
  transaction<T>(run: (client: PoolClient) => Promise<T>, isRelaxed?: boolean): Promise<T>
  /** Resolves when all that was done before, by whichever process, is on disk. */
  flush(): Promise<void>
  /** Lets the connections go, once what runs on them is over; a second time does nothing. */
  close(): Promise<void>
}

/** A row, by the names of its columns. */
export type Row = Readonly<Record<string, unknown>>

/** Options of {@link openPostgres}. */
export interface OpenPostgresOptions {
  /** `postgres://user:password@host:5432/database`. May be that of a pooler, also one by transaction. */
  readonly url: string
  /**
   * Where processes hear of each other at once, for when `url` is that of a pooler by transaction: the
   * URL of the database itself. One connection per process. Default: `url`.
   */
  readonly listenUrl?: string
  /** The most connections at a time, beside the one that listens. Default 10. */
  readonly maxConnections?: number
  /** Told what goes wrong beside the calls. Default: a warning of the process. */
  readonly onError?: (error: unknown) => void
}

/** How often a transaction that was undone runs, all in all. */
const TRIES = 5

/**
 * For how long a process that stands still, or whose machine is gone, holds what it has locked; its
 * transaction is undone then. Milliseconds.
 */
const STILL_MS = 10_000
/** How long a lock is waited for: less long than an answer, so that the error names it. Milliseconds. */
const LOCK_MS = 25_000

/**
 * Connects to a database, and makes its tables, or brings them up to date. They are in a schema of their
 * own, `assent`. Close it before the process ends.
 *
 * @throws DatabaseError
 */
export function openPostgres(options: OpenPostgresOptions): Promise<AssentPostgres> {
  return openWith(options, MIGRATIONS)
}

/** The same with any tables. */
export async function openWith(
  { url, listenUrl = url, maxConnections = 10, onError = warn }: OpenPostgresOptions,
  migrations: readonly string[],
  stillMs = STILL_MS,
): Promise<AssentPostgres> {
  const name = nameOf(url)
  nameOf(listenUrl)
  if (!Number.isInteger(maxConnections) || maxConnections < 1) {
    throw new DatabaseError('invalid_argument', 'maxConnections is a whole number from 1.')
  }
  const closing = new AbortController()
  const pool = new Pool({
    connectionString: url,
    max: maxConnections,
    keepAlive: true,
    connectionTimeoutMillis: 10_000,
    query_timeout: 30_000,
    application_name: 'assent',
  })
  // Connections that lie idle end with their server; the next query makes others.
  pool.on('error', () => undefined)
  // One that is at work says so twice: what is asked on it fails, and an event that nobody hears ends the process.
  pool.on('connect', (client) => client.on('error', () => undefined))

  /** Runs something on the database, again where it was undone, and says what is wrong with it. */
  async function use<T>(run: () => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      if (closing.signal.aborted) {
        throw new DatabaseError('database_closed', `${name} was closed; open it again.`)
      }
      try {
        return await run()
      } catch (error) {
        if (!isUndone(error) || tries === TRIES) throw toDatabaseError(error, name)
      }
    }
  }

  const query = (sql: string, values: readonly unknown[] = []): Promise<readonly Row[]> =>
    use(async () => (await pool.query<Row>(sql, [...values])).rows)

  const begin = `begin;
    set local idle_in_transaction_session_timeout = ${stillMs};
    set local lock_timeout = ${LOCK_MS}`
  const beginRelaxed = `${begin}; set local synchronous_commit = off`
  const transaction = <T>(run: (client: PoolClient) => Promise<T>, isRelaxed = false): Promise<T> =>
    use(async () => {
      const client = await pool.connect()
      let broken: Error | undefined
      try {
        await client.query(isRelaxed ? beginRelaxed : begin)
        const result = await run(client)
        await client.query('commit')
        return result
      } catch (error) {
        // What got no answer is not asked for another one: the connection ends, and the transaction with it.
        if (isUnanswered(error)) broken = new Error('The connection gives no answer.')
        else {
          await client.query('rollback').catch((cause: unknown) => {
            broken = new Error('The connection cannot be used any more.', { cause })
          })
        }
        throw error
      } finally {
        client.release(broken)
      }
    })

  try {
    await transaction((client) => migrate(client, name, migrations))
  } catch (error) {
    await pool.end()
    throw error
  }
  const process = randomUUID()
  let session: Promise<number | undefined> = Promise.resolve(undefined)
  const news = await createNews({
    url: listenUrl,
    sender: process.slice(0, 8),
    onLive(ask) {
      // Where it fails, nobody sees that this process has died before its leases are over.
      session = register(ask, process).catch(() => undefined)
    },
    onLost() {
      const former = session
      session = Promise.resolve(undefined)
      void former
        .then((pid) => (pid === undefined ? [] : query(UNREGISTER, [process, pid])))
        .catch(() => undefined)
    },
    notify: async (channel, payload) => {
      await query('select pg_notify($1, $2)', [channel, payload])
    },
    onError: (error) => onError(toDatabaseError(error, name)),
  })

  let ended: Promise<void> | undefined
  return {
    name,
    process,
    pool,
    news,
    closed: closing.signal,
    query,
    transaction,
    flush: oneForAll(async () => void (await query(FLUSH))),
    close() {
      ended ??= news.close().then(() => {
        closing.abort()
        return pool.end()
      })
      return ended
    },
  }
}

/** Writes nothing but a line of the log, which is waited for, and so is all before it: also where nothing else waits. */
const FLUSH = `
  select pg_logical_emit_message(true, 'assent', ''), case current_setting('synchronous_commit')
    when 'off' then set_config('synchronous_commit', 'on', true) end`

/** Calls that come while it runs share the next run, as that one may have begun too early for them. */
function oneForAll(run: () => Promise<void>): () => Promise<void> {
  let last: Promise<unknown> = Promise.resolve()
  let next: Promise<void> | undefined
  return () => {
    if (next) return next
    const following = last.then(() => {
      next = undefined
      return run()
    })
    next = following
    last = following.catch(() => undefined)
    return following
  }
}

/** Host and database of a URL. Its password is never told. */
function nameOf(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (parsed && /^postgres(?:ql)?:$/.test(parsed.protocol))
    return `${parsed.host}${parsed.pathname}`
  throw new DatabaseError(
    'invalid_argument',
    'The URL of a database is like postgres://user:password@host:5432/database.',
  )
}

function warn(error: unknown): void {
  process.emitWarning(error instanceof Error ? error : String(error))
}
