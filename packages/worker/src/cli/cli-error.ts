/** Why a command did not do what it was to do. */
export type CliErrorCode =
  /** It was called in a way that makes no sense. */
  | 'usage'
  /** There is no such file, or no such thing in it. */
  | 'not_found'
  /** A file cannot be written. */
  | 'unwritable'

/** A command that cannot be carried out. Its message says what to do. */
export class CliError extends Error {
  override readonly name = 'CliError'
  readonly code: CliErrorCode

  constructor(code: CliErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
