import { GrammyError } from 'grammy'
import { TelegramError } from './telegram-error.ts'

/** What to do about a call to Telegram that failed. */
export type FailedCall =
  /** Telegram takes no more for so long. */
  | { readonly next: 'wait'; readonly ms: number }
  /** To be tried again; it may have taken effect all the same. */
  | { readonly next: 'again'; readonly error: TelegramError }
  | { readonly next: 'fail'; readonly error: TelegramError }

/** Judges what a call threw. What it says holds neither the token nor the address that has it. */
export function judgeFailure(error: unknown): FailedCall {
  if (error instanceof TelegramError) {
    return error.code === 'unreachable' ? { next: 'again', error } : { next: 'fail', error }
  }
  if (error instanceof GrammyError) return judgeAnswer(error)
  const message = 'A call to Telegram could not be made; see the cause.'
  return { next: 'fail', error: new TelegramError('failed', message, { cause: error }) }
}

function judgeAnswer(error: GrammyError): FailedCall {
  const { error_code: status, description, method, parameters } = error
  const fail = (code: 'conflict' | 'blocked' | 'refused', advice: string): FailedCall => ({
    next: 'fail',
    error: new TelegramError(code, `${advice} (${method}: ${status} ${description})`),
  })
  if (status === 429) return { next: 'wait', ms: Math.max(1, parameters.retry_after ?? 1) * 1_000 }
  if (status >= 500) {
    const message = `Telegram failed (${method}: ${status} ${description}).`
    return {
      next: 'again',
      error: new TelegramError('unreachable', message, { mayHaveArrived: true }),
    }
  }
  switch (status) {
    case 401:
    case 404:
      // Telegram says so for seconds of tokens that it knows, as when it is being worked on.
      return {
        next: 'again',
        error: new TelegramError(
          'unauthorized',
          `Telegram does not know this token; take the one of @BotFather. (${method}: ${status} ${description})`,
        ),
      }
    case 403:
      return fail('blocked', 'The bot may not write in this chat.')
    case 409:
      return fail('conflict', 'Only one process may ask for the updates of a bot, and no webhook.')
    default:
      return fail('refused', 'Telegram refused a request.')
  }
}
