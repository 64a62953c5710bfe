/** Why a database cannot be used. */
export type DatabaseErrorCode =
  /** What was asked for makes no sense: an empty path, a URL that is none, a lease of no time. */
  | 'invalid_argument'
  /** It was written by a newer version of Assent. */
  | 'database_newer'
  /** The file is a database of something else. */
  | 'database_foreign'
  /**
   * It cannot be read: there is no such folder, the file is no database or damaged, a password is
   * wrong, rights are missing.
   */
  | 'database_unreadable'
  /** It does not answer: it is down, the network is, or it just starts. It can be tried again. */
  | 'database_unreachable'
  /** Others held it for longer than one waits, or took all its connections. It can be tried again. */
  | 'database_busy'
  /** The disk is full, or it may not be written. */
  | 'database_unwritable'
  /** It was closed. */
  | 'database_closed'
  /** Another process has taken the conversation over; nothing was written. */
  | 'hold_lost'

/** A database that cannot be opened or used. Its message says what to do. */
export class DatabaseError extends Error {
  override readonly name = 'DatabaseError'
  readonly code: DatabaseErrorCode

  constructor(code: DatabaseErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
