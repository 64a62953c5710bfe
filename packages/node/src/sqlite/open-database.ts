import { closeSync, openSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { DatabaseError, isBusy, notOpened, toDatabaseError } from './database-error.ts'
import { checkUpToDate, checkVersion, migrate } from './migrate.ts'
import { nameDamage } from './name-damage.ts'
import { MIGRATIONS } from './migrations.ts'
import { createQueries } from './queries.ts'
import type { FoundRow, Query } from './query-thread.ts'
import { createTransactions, runAsOne, type Transaction } from './transactions.ts'

/** One file with everything: conversations, audit, inbox. Any number of processes may have it open. */
export interface AssentDatabase {
  /** Absolute; `':memory:'` for one that is in no file. */
  readonly path: string
  /** The connection. Its tables may be read by plain SQL. */
  readonly sqlite: DatabaseSync
  /** Aborts when it is closed: for what looks into it again and again. */
  readonly closed: AbortSignal
  /** Milliseconds that a transaction waits for others that write. */
  readonly busyTimeoutMs: number
  /**
   * Does several things as one: all of it is in the file when this resolves, or nothing. It has the only
   * right to write from its beginning on, so that what it reads still holds when it writes. While another
   * process has that right it waits, and holds up nothing; else it is done in the very tick of the call.
   * Inside another one it is a part of that: what it throws undoes its own part only.
   *
   * @param run must not wait for anything: what it starts, it ends
   * @throws DatabaseError `database_busy`, `database_closed` …; or what `run` throws
   */
  readonly transaction: Transaction
  /**
   * The rows of queries, all as they are at one moment, with all that was written before. They are looked for in
   * a thread: a long one holds up nothing else. Inside of a transaction, and in no file, it is this one.
   *
   * @throws DatabaseError
   */
  query(queries: readonly Query[]): Promise<FoundRow[][]>
  /**
   * The same by one query for many rows: some at a time, so that these hold up nothing either.
   *
   * @throws DatabaseError
   */
  read(query: Query, take: (rows: readonly FoundRow[]) => void): Promise<void>
  /** Lets the file go, which a query that is under way delays; a second time does nothing. */
  close(): Promise<void>
}

/** Options of {@link openDatabase}. */
export interface OpenDatabaseOptions {
  /**
   * - `full` (default) what was written is on disk
   * - `normal` as if every transaction were `relaxed`: faster, and too little for a journal of what
   *   tools did
   */
  readonly synchronous?: 'full' | 'normal'
  /** Milliseconds that a transaction waits for others that write, and that opening does, blocking. Default 5,000. */
  readonly busyTimeoutMs?: number
  /**
   * Reads and writes nothing, such as a backup: the file must be there, and of this version. What writes
   * fails with `database_unwritable`.
   */
  readonly readOnly?: boolean
}

/**
 * Milliseconds that a statement outside of a transaction waits, blocking: no reader waits for who writes,
 * but for one who mends the log after a crash.
 */
const READ_WAIT_MS = 25

/**
 * Opens the file, and makes it when there is none: then only its owner may read it. Brings the tables
 * of an older version up to date.
 *
 * @param path of the file, in a folder that exists; `':memory:'` for none
 * @throws DatabaseError
 */
export function openDatabase(path: string, options: OpenDatabaseOptions = {}): AssentDatabase {
  return openWith(path, options, MIGRATIONS)
}

/** The same with any tables. */
export function openWith(
  path: string,
  { synchronous = 'full', busyTimeoutMs = 5_000, readOnly = false }: OpenDatabaseOptions,
  migrations: readonly string[],
): AssentDatabase {
  if (path === '' || path.includes('\0')) {
    throw new DatabaseError('invalid_argument', 'The path of a database is the path of a file.')
  }
  if (!Number.isInteger(busyTimeoutMs) || busyTimeoutMs < 0) {
    throw new DatabaseError('invalid_argument', 'busyTimeoutMs is a number of milliseconds from 0.')
  }
  // As an absolute path it cannot be taken for a URI.
  const file = path === ':memory:' ? path : resolve(path)
  const sqlite = connect(file, busyTimeoutMs, readOnly)
  const closing = new AbortController()

  try {
    checkVersion(sqlite, file, migrations.length)
    if (readOnly) checkUpToDate(sqlite, file, migrations.length)
    else setUp()
    sqlite.exec(`PRAGMA busy_timeout = ${READ_WAIT_MS}`)
  } catch (error) {
    sqlite.close()
    throw toDatabaseError(error, file)
  }

  function setUp(): void {
    waitOut(busyTimeoutMs, () => sqlite.exec('PRAGMA journal_mode = WAL'))
    sqlite.exec(`PRAGMA synchronous = ${synchronous}`)
    // What is erased was rewritten before: none of that may be left on a page.
    sqlite.exec('PRAGMA secure_delete = ON')
    // A log that grew once gives its room back.
    sqlite.exec('PRAGMA journal_size_limit = 16777216')
    runAsOne(sqlite, () => migrate(sqlite, file, migrations))
  }

  const queries = createQueries(sqlite, { path: file, closed: closing.signal, busyTimeoutMs })

  return {
    path: file,
    sqlite,
    closed: closing.signal,
    busyTimeoutMs,
    transaction: createTransactions(sqlite, {
      path: file,
      closed: closing.signal,
      synchronous,
      busyTimeoutMs,
      readWaitMs: READ_WAIT_MS,
    }),
    query: queries.ask,
    read: queries.read,
    async close() {
      if (closing.signal.aborted) return
      closing.abort()
      const letGo = queries.close()
      if (letGo) await letGo
      sqlite.close()
    },
  }
}

function connect(file: string, timeout: number, readOnly: boolean): DatabaseSync {
  try {
    // SQLite would make it readable for everybody, and gives its other files the same permissions.
    if (file !== ':memory:' && !readOnly) closeSync(openSync(file, 'a', 0o600))
    // Here, and not above: who keeps nothing in a file loads none of it.
    const { DatabaseSync } = process.getBuiltinModule('node:sqlite')
    const sqlite = new DatabaseSync(file, { timeout, readOnly, enableForeignKeyConstraints: true })
    nameDamage(sqlite, basename(file))
    return sqlite
  } catch (cause) {
    throw notOpened(file, cause)
  }
}

/** For the one thing for which SQLite does not wait by itself: two that turn to a log at once. */
function waitOut(timeoutMs: number, act: () => void): void {
  const wait = new Int32Array(new SharedArrayBuffer(4))
  for (const until = performance.now() + timeoutMs; ;) {
    try {
      act()
      return
    } catch (error) {
      if (!isBusy(error) || performance.now() >= until) throw error
      Atomics.wait(wait, 0, 0, 5)
    }
  }
}
