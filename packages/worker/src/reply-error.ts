/** What is known about a reply that failed. */
export interface ReplyErrorOptions {
  /** Whether another attempt can succeed. */
  readonly retryable: boolean
  /** It surely did not go out: then the next attempt does not repeat it. */
  readonly isUnsent?: boolean
  /** How long the channel asks to wait, in milliseconds. */
  readonly retryAfterMs?: number | undefined
  readonly cause?: unknown
}

/** What `onReply` throws when it knows more about why it failed than an error of another kind says. */
export class ReplyError extends Error {
  override readonly name = 'ReplyError'
  readonly retryable: boolean
  readonly isUnsent: boolean
  readonly retryAfterMs: number | undefined

  constructor(message: string, options: ReplyErrorOptions) {
    super(message, { cause: options.cause })
    this.retryable = options.retryable
    this.isUnsent = options.isUnsent ?? false
    this.retryAfterMs = options.retryAfterMs
  }
}
