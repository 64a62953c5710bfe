import { basename } from 'node:path'
import { errorCode } from '@assent/engine/error-code'
import { DatabaseError, type DatabaseErrorCode } from '@assent/engine/storage'

export { DatabaseError } from '@assent/engine/storage'

/** Result codes of SQLite, without what is above their lowest byte. */
const BUSY = 5
const LOCKED = 6
const READ_ONLY = 8
const IO_ERROR = 10
const CORRUPT = 11
const FULL = 13
const CANNOT_OPEN = 14
const NOT_A_DATABASE = 26

/** The primary result code of an error that SQLite reports. */
function sqliteCode(error: unknown): number | undefined {
  return error instanceof Error && 'errcode' in error && typeof error.errcode === 'number'
    ? error.errcode & 0xff
    : undefined
}

/** Whether a file is not as SQLite has written it. */
export function isDamaged(error: unknown): boolean {
  const code = sqliteCode(error)
  return code === CORRUPT || code === NOT_A_DATABASE
}

export function isBusy(error: unknown): boolean {
  const code = sqliteCode(error)
  return code === BUSY || code === LOCKED
}

/**
 * What is wrong with the database itself, in words; any other error as it is. Once it is open, its file is called
 * by its name alone: what fails in a tool is read by people and models, who need not know the server's folders.
 */
export function toDatabaseError(error: unknown, path: string): unknown {
  const fail = (code: DatabaseErrorCode, message: string) =>
    new DatabaseError(code, message, { cause: error })
  switch (sqliteCode(error)) {
    case BUSY:
    case LOCKED:
      return fail('database_busy', `Another process keeps ${path} locked; try again.`)
    case READ_ONLY:
      return fail('database_unwritable', `${path} may not be written; look at its permissions.`)
    case FULL:
      return fail('database_unwritable', `There is no room left on the disk of ${path}.`)
    case IO_ERROR:
      return fail('database_unreadable', `The disk of ${path} failed; see the cause.`)
    case CORRUPT:
      return fail('database_unreadable', `${path} is damaged; put a backup in its place.`)
    case NOT_A_DATABASE:
      return fail('database_unreadable', `${path} is no SQLite database; choose another path.`)
    case CANNOT_OPEN:
      return notOpened(path, error)
    default:
      return error
  }
}

/** Why a file cannot be opened, by what the system says. */
export function notOpened(path: string, cause: unknown): DatabaseError {
  const code = errorCode(cause) ?? ''
  if (/^(?:EROFS|EACCES|EPERM)$/.test(code)) {
    const why = code === 'EROFS' ? 'its disk is mounted read-only' : 'look at its permissions'
    return new DatabaseError('database_unwritable', `${path} may not be written; ${why}.`, {
      cause,
    })
  }
  if (/^(?:ENOSPC|EDQUOT)$/.test(code)) {
    const message = `There is no room left on the disk of ${path}.`
    return new DatabaseError('database_unwritable', message, { cause })
  }
  return new DatabaseError(
    'database_unreadable',
    `${path} cannot be opened; see that its folder exists and may be read and written.`,
    { cause },
  )
}

/** What of a database is looked at before it is read. */
interface Readable {
  readonly path: string
  readonly closed: AbortSignal
}

/** Throws `database_closed` when it is. */
export function assertOpen({ path, closed }: Readable): void {
  if (closed.aborted) {
    throw new DatabaseError('database_closed', `${basename(path)} was closed; open it again.`)
  }
}

/** Reads from a database, and says what is wrong with it when that fails. */
export function readFrom<T>(database: Readable, read: () => T): T {
  assertOpen(database)
  try {
    return read()
  } catch (error) {
    throw toDatabaseError(error, basename(database.path))
  }
}
