/** What went wrong between the channel and Telegram. */
export type TelegramErrorCode =
  /** An option makes no sense; nothing was started. */
  | 'invalid_option'
  /** Telegram does not know the token: a wrong one, or for some seconds while it fails. */
  | 'unauthorized'
  /** Another process asks for the same bot's updates, or a webhook is set. */
  | 'conflict'
  /** The person has blocked the bot, or the bot was taken out of the chat. */
  | 'blocked'
  /** Telegram does not take a request as it is: another try would be in vain. */
  | 'refused'
  /** Telegram could not be reached, or failed itself, again and again. */
  | 'unreachable'
  /** The chat takes no more for longer than whoever calls would wait. */
  | 'held'
  /** The channel was stopped meanwhile, or whoever called waits no longer. */
  | 'stopped'
  /** A task, a conversation or an update is not one of this channel. */
  | 'not_ours'
  /** Something outside of the channel (the inbox, a callback) threw; see the cause. */
  | 'failed'

/** What more is known about a failure. */
export interface TelegramErrorOptions extends ErrorOptions {
  /** It may have taken effect all the same. Default `false`. */
  readonly mayHaveArrived?: boolean
  /** Milliseconds after which it makes sense to try again. */
  readonly retryAfterMs?: number
}

const RETRYABLE: ReadonlySet<TelegramErrorCode> = new Set([
  'conflict',
  'held',
  'stopped',
  'unauthorized',
  'unreachable',
])

/** A failure of the channel. Its message says what to do, and never holds the bot's token. */
export class TelegramError extends Error {
  override readonly name = 'TelegramError'
  readonly code: TelegramErrorCode
  /** Whether doing the same again later can succeed. */
  readonly retryable: boolean
  readonly mayHaveArrived: boolean
  readonly retryAfterMs: number | undefined

  constructor(code: TelegramErrorCode, message: string, options: TelegramErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.retryable = RETRYABLE.has(code)
    this.mayHaveArrived = options.mayHaveArrived ?? false
    this.retryAfterMs = options.retryAfterMs
  }

  /** The same, of a call of which an earlier try may have arrived. */
  afterArrival(): TelegramError {
    const { code, message, cause, retryAfterMs } = this
    return new TelegramError(code, message, {
      cause,
      mayHaveArrived: true,
      ...(retryAfterMs !== undefined && { retryAfterMs }),
    })
  }
}
