import { basename } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { setImmediate, setTimeout } from 'node:timers/promises'
import { assertOpen, DatabaseError, isBusy, toDatabaseError } from './database-error.ts'

/** Options of a transaction. */
export interface TransactionOptions {
  /**
   * - `strict` (default) on disk when it resolves
   * - `relaxed` the machine losing power may undo it, as long as nothing strict came after it; the end
   *   of a process does not. Without effect inside another transaction.
   */
  readonly durability?: 'strict' | 'relaxed'
}

/** Does several things as one. */
export type Transaction = <T>(run: () => T, options?: TransactionOptions) => Promise<T>

/** Milliseconds between two tries for the right to write, as SQLite itself waits. */
const PAUSES_MS = [1, 2, 5, 10, 15, 20, 25]

/** How the transactions of a connection wait. */
export interface TransactionsOptions {
  readonly path: string
  readonly closed: AbortSignal
  readonly synchronous: 'full' | 'normal'
  /** Milliseconds to wait for others that write. */
  readonly busyTimeoutMs: number
  /** Milliseconds that the connection itself waits, blocking, outside of transactions. */
  readonly readWaitMs: number
}

/**
 * The transactions of a connection, each begun in the order in which it was asked for: in the very tick
 * when nobody else writes. Waiting for another process holds up nothing else of this one.
 */
export function createTransactions(
  sqlite: DatabaseSync,
  { path, closed, synchronous, busyTimeoutMs, readWaitMs }: TransactionsOptions,
): Transaction {
  let waiting = 0
  let last: Promise<unknown> = Promise.resolve()

  /** Does it if nobody else writes now; what says that somebody does is not thrown but returned. */
  function attempt<T>(run: () => T, isRelaxed: boolean): { result: T } | { busy: unknown } {
    assertOpen({ path, closed })
    try {
      sqlite.exec(`PRAGMA busy_timeout = 0${isRelaxed ? '; PRAGMA synchronous = normal' : ''}`)
      try {
        sqlite.exec('BEGIN IMMEDIATE')
      } catch (error) {
        if (isBusy(error)) return { busy: error }
        throw error
      }
      return { result: complete(sqlite, run, 'COMMIT', 'ROLLBACK') }
    } finally {
      if (sqlite.isOpen) {
        sqlite.exec(
          `PRAGMA busy_timeout = ${readWaitMs}${isRelaxed ? '; PRAGMA synchronous = full' : ''}`,
        )
      }
    }
  }

  async function waitFor<T>(run: () => T, isRelaxed: boolean, until: number): Promise<T> {
    for (let tries = 0; ; tries++) {
      // Many may have waited: each lets go of the event loop before the next one.
      await setImmediate()
      const outcome = attempt(run, isRelaxed)
      if ('result' in outcome) return outcome.result
      const leftMs = until - performance.now()
      if (leftMs <= 0) throw outcome.busy
      await setTimeout(Math.min(leftMs, PAUSES_MS[tries] ?? 25))
    }
  }

  async function inTurn<T>(run: () => T, isRelaxed: boolean): Promise<T> {
    if (waiting === 0) {
      const outcome = attempt(run, isRelaxed)
      if ('result' in outcome) return outcome.result
    }
    const until = performance.now() + busyTimeoutMs
    waiting++
    const turn = last.then(() => waitFor(run, isRelaxed, until))
    last = turn.catch(() => undefined).then(() => waiting--)
    return turn
  }

  return async (run, { durability = 'strict' } = {}) => {
    try {
      assertOpen({ path, closed })
      if (sqlite.isTransaction) return runAsOne(sqlite, run)
      return await inTurn(run, durability === 'relaxed' && synchronous === 'full')
    } catch (error) {
      throw toDatabaseError(error, basename(path))
    }
  }
}

/** Does something in a transaction of its own, for which SQLite waits, blocking; or as a part of the one that is open. */
export function runAsOne<T>(sqlite: DatabaseSync, run: () => T): T {
  // A part of another one is undone to where it began, and otherwise left to that one.
  const [begin, commit, undo] = sqlite.isTransaction
    ? ['SAVEPOINT part', 'RELEASE part', 'ROLLBACK TO part; RELEASE part']
    : ['BEGIN IMMEDIATE', 'COMMIT', 'ROLLBACK']
  sqlite.exec(begin)
  return complete(sqlite, run, commit, undo)
}

function complete<T>(sqlite: DatabaseSync, run: () => T, commit: string, undo: string): T {
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
}

function isThenable(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'then' in value
}
