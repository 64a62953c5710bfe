import { createHash } from 'node:crypto'
import { statSync, utimesSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { privateFolder } from './private-folder.ts'
import { WorkspaceRefusal } from './refusal.ts'

/** Who wants to write. */
export interface WriteRequest {
  /** The path or the command as it was given; for a refusal. */
  readonly subject: string
  /** Ends the waiting, and nothing else. */
  readonly signal?: AbortSignal | undefined
  /** Milliseconds to wait for others. Default 10,000. */
  readonly waitMs?: number | undefined
}

/** Where the locks are, and the notes of those who have them. */
export const LOCKS_FOLDER = 'assent-writes'
/** Locks of all folders: those that share one wait for each other, which costs milliseconds. */
const LOCKS = 64
/** Milliseconds between two tries, at most. */
const MOST_PAUSE = 20
/** The code of SQLite for a database that is locked. */
const SQLITE_BUSY = 5

/**
 * Does something while nobody else of this user's processes writes in the folders of some files. What is read
 * meanwhile is what is replaced. Throws a refusal when that cannot be had in time; then nothing was done.
 *
 * The lock is that of an SQLite file: Node has no other one that the kernel frees when a process dies, on every
 * system. Folders are locked, and no roots: roots of two processes may lie in each other.
 *
 * @param files by their real paths
 */
export async function withWriteLock<T>(
  files: readonly string[],
  { subject, signal, waitMs = 10_000 }: WriteRequest,
  act: () => Promise<T>,
): Promise<T> {
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(), waitMs)
  const ended = signal ? AbortSignal.any([signal, late.signal]) : late.signal
  const releases: (() => void)[] = []
  try {
    try {
      // In one order for everybody, so that no two wait for each other.
      for (const lock of locksOf(files)) {
        releases.push(await turnOf(lock, ended))
        releases.push(await take(lock, ended))
      }
    } catch (cause) {
      signal?.throwIfAborted()
      throw notHad(subject, late.signal.aborted, cause)
    } finally {
      clearTimeout(timer)
    }
    return await act()
  } finally {
    for (const release of releases.toReversed()) release()
  }
}

function locksOf(files: readonly string[]): number[] {
  const locks = files.map(
    (file) => createHash('sha256').update(dirname(file)).digest().readUInt32BE() % LOCKS,
  )
  return [...new Set(locks)].toSorted((a, b) => a - b)
}

/** For each lock, when the last one of this process who asked for it is done. */
const last = new Map<number, Promise<void>>()

/** Waits for the others of this process, in the order in which they came. */
async function turnOf(lock: number, ended: AbortSignal): Promise<() => void> {
  const before = last.get(lock) ?? Promise.resolve()
  const { promise: done, resolve: release } = Promise.withResolvers<void>()
  last.set(
    lock,
    before.then(() => done),
  )
  const { promise: over, reject } = Promise.withResolvers<never>()
  const stop = () => reject(ended.reason)
  ended.addEventListener('abort', stop, { once: true })
  if (ended.aborted) stop()
  try {
    await Promise.race([over, before])
  } catch (error) {
    release()
    throw error
  } finally {
    ended.removeEventListener('abort', stop)
  }
  return release
}

/** Waits for other processes. They cannot tell when they are done, so it is tried again and again. */
async function take(lock: number, ended: AbortSignal): Promise<() => void> {
  for (let most = 1; ; most = Math.min(2 * most, MOST_PAUSE)) {
    ended.throwIfAborted()
    const release = tryToTake(join(privateFolder(LOCKS_FOLDER), `lock-${lock}`))
    if (release) return release
    // By chance, so that nobody is always too late.
    await wait(1 + Math.random() * most, undefined, { signal: ended })
  }
}

/** Takes a lock if nobody has it. Lasts some hundred microseconds. */
function tryToTake(path: string): (() => void) | undefined {
  const before = inodeOf(path)
  // Here, and not above: who only reads loads none of it.
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite')
  const database = new DatabaseSync(path, { timeout: 0 })
  try {
    // The locks are all that is wanted: nothing is written, no journal made.
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE')
    // Who cleans up temporary files may have taken it away, and another process made a new one.
    if (before !== undefined && inodeOf(path) !== before) {
      database.close()
      return undefined
    }
    // Only what is old is cleaned up. By its path: to close a file again would free its lock.
    utimesSync(path, new Date(), new Date())
    return () => database.close()
  } catch (error) {
    database.close()
    if (error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY) {
      return undefined
    }
    throw error
  }
}

function inodeOf(path: string): bigint | undefined {
  return statSync(path, { bigint: true, throwIfNoEntry: false })?.ino
}

function notHad(subject: string, isLate: boolean, cause: unknown): WorkspaceRefusal {
  if (isLate) {
    const message = 'another process is writing here; nothing was written. Try again.'
    return new WorkspaceRefusal('busy', subject, message)
  }
  const why = cause instanceof Error ? cause.message : String(cause)
  const message = `nothing was written: the lock for writing cannot be taken. ${why}`
  return new WorkspaceRefusal('no_permission', subject, message, { cause })
}
