/**
 * A call that could not be noted before it ran, and so did not run. What kept it from being noted is the
 * `cause`; the message is for people and models, and says nothing of that.
 */
export class UnnotedCallError extends Error {
  override readonly name = 'UnnotedCallError'
  readonly code = 'call_not_noted'

  constructor(options: ErrorOptions) {
    super(
      'The server could not keep a record of the call, so it did not run. Try again later.',
      options,
    )
  }

  /** What the model is told of it. */
  override toString(): string {
    return this.message
  }
}
