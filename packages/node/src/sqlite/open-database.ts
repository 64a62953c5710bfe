import { closeSync, openSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { assertOpen, DatabaseError, isBusy, notOpened, toDatabaseError } from './database-error.ts'
import { checkUpToDate, checkVersion, migrate } from './migrate.ts'
import { nameDamage } from './name-damage.ts'
import { MIGRATIONS } from './migrations.ts'

/** One file with everything: conversations, audit, inbox. Any number of processes may have it open. */
export interface AssentDatabase {
  /** Absolute; `':memory:'` for one that is in no file. */
  readonly path: string
  /** The connection. Its tables may be read by plain SQL. */
  readonly sqlite: DatabaseSync
  /** Aborts when it is closed: for what looks into it again and again. */
  readonly closed: AbortSignal
  /**
   * Does several things as one: all of it is in the file when this returns, or nothing. It has the only
   * right to write from its beginning on, so that what it reads still holds when it writes. Inside
   * another one it is a part of that: what it throws undoes its own part only.
   *
   * @param run must not wait for anything: what it starts, it ends
   * @throws DatabaseError `database_busy`, `database_closed` …; or what `run` throws
   */
  transaction<T>(run: () => T, options?: TransactionOptions): T
  /** Lets the file go; a second time does nothing. */
  close(): void
}

/** Options of a transaction. */
export interface TransactionOptions {
  /**
   * - `strict` (default) on disk when it returns
   * - `relaxed` the machine losing power may undo it, as long as nothing strict came after it; the end
   *   of a process does not. Without effect inside another transaction.
   */
  readonly durability?: 'strict' | 'relaxed'
}

/** Options of {@link openDatabase}. */
export interface OpenDatabaseOptions {
  /**
   * - `full` (default) what was written is on disk
   * - `normal` as if every transaction were `relaxed`: faster, and too little for a journal of what
   *   tools did
   */
  readonly synchronous?: 'full' | 'normal'
  /** Milliseconds to wait, blocking, for others that write. Default 5,000. */
  readonly busyTimeoutMs?: number
  /**
   * Reads and writes nothing, such as a backup: the file must be there, and of this version. What writes
   * fails with `database_unwritable`.
   */
  readonly readOnly?: boolean
}

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

  function transaction<T>(run: () => T, { durability = 'strict' }: TransactionOptions = {}): T {
    assertOpen({ path: file, closed: closing.signal })
    const isRelaxed = durability === 'relaxed' && synchronous === 'full' && !sqlite.isTransaction
    if (!isRelaxed) return runWhole(run)
    sqlite.exec('PRAGMA synchronous = normal')
    try {
      return runWhole(run)
    } finally {
      sqlite.exec('PRAGMA synchronous = full')
    }
  }

  function runWhole<T>(run: () => T): T {
    // A part of another one is undone to where it began, and otherwise left to that one.
    const [begin, commit, undo] = sqlite.isTransaction
      ? ['SAVEPOINT part', 'RELEASE part', 'ROLLBACK TO part; RELEASE part']
      : ['BEGIN IMMEDIATE', 'COMMIT', 'ROLLBACK']
    try {
      sqlite.exec(begin)
      try {
        const result = run()
        if (isThenable(result)) {
          throw new DatabaseError(
            'invalid_argument',
            'A transaction must not be asynchronous: others could write into it meanwhile.',
          )
        }
        sqlite.exec(commit)
        return result
      } catch (error) {
        // Some failures have undone everything already.
        if (sqlite.isTransaction) sqlite.exec(undo)
        throw error
      }
    } catch (error) {
      throw toDatabaseError(error, basename(file))
    }
  }

  try {
    checkVersion(sqlite, file, migrations.length)
    if (readOnly) checkUpToDate(sqlite, file, migrations.length)
    else setUp()
  } catch (error) {
    sqlite.close()
    throw toDatabaseError(error, file)
  }

  function setUp(): void {
    waitOut(busyTimeoutMs, () => sqlite.exec('PRAGMA journal_mode = WAL'))
    sqlite.exec(`PRAGMA synchronous = ${synchronous}`)
    // A log that grew once gives its room back.
    sqlite.exec('PRAGMA journal_size_limit = 16777216')
    transaction(() => migrate(sqlite, file, migrations))
  }

  return {
    path: file,
    sqlite,
    closed: closing.signal,
    transaction,
    close() {
      if (closing.signal.aborted) return
      closing.abort()
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

function isThenable(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'then' in value
}
