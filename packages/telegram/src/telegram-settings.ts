import { TelegramError } from './telegram-error.ts'

/** What of the channel is set by the environment. */
export interface TelegramSettings {
  /** Seconds that a message counts as pending. */
  readonly pendingWindowSeconds: number
  /** Messages of one chat that may be pending. */
  readonly pendingMaxMessages: number
}

/**
 * Reads `TG_PENDING_WINDOW_SECONDS` (default 600) and `TG_PENDING_MAX_MESSAGES` (default 50).
 *
 * @throws TelegramError `invalid_option` for anything but a whole number of at least 1
 */
export function telegramSettings(
  env: Readonly<Record<string, string | undefined>> = process.env,
): TelegramSettings {
  return {
    pendingWindowSeconds: wholeNumber(env, 'TG_PENDING_WINDOW_SECONDS', 600),
    pendingMaxMessages: wholeNumber(env, 'TG_PENDING_MAX_MESSAGES', 50),
  }
}

function wholeNumber(
  env: Readonly<Record<string, string | undefined>>,
  name: string,
  otherwise: number,
): number {
  const text = env[name]?.trim() ?? ''
  if (text === '') return otherwise
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text)
  throw new TelegramError(
    'invalid_option',
    `${name} must be a whole number of at least 1, and is "${text}".`,
  )
}
