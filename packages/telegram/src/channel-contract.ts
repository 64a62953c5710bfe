import type { TaskText } from '@assent/worker'
import type { Update } from 'grammy/types'
import type { TelegramFile, TelegramReply } from './replies.ts'
import type { TelegramHealth } from './telegram-health.ts'

/** A bot on Telegram before an inbox. */
export interface TelegramChannel {
  /** The number of the bot. */
  readonly botId: number
  /**
   * Begins to take updates in, and to ask about what waits. Resolves once Telegram knows the token. One
   * that failed can be called again.
   *
   * @throws TelegramError `unauthorized`, `unreachable`, `stopped`
   */
  start(): Promise<void>
  /** How it is now. */
  health(): TelegramHealth
  /**
   * Takes no more in, and ends. What is on its way to Telegram has `graceMs` (default 5,000) to arrive;
   * what is left is done after the next start. A channel that was stopped is over: make another one.
   */
  stop(options?: { readonly graceMs?: number }): Promise<void>
  /**
   * Shows an answer while it is written, by a message that is edited every few seconds and becomes the reply: for the option
   * `onText` of `createWorker`.
   */
  progress(said: TaskText): void
  /**
   * Sends a reply: for the option `onReply` of `createWorker`. Rejects with a `ReplyError` that says
   * whether another attempt can succeed; to a chat that the bot may not write in none can.
   */
  reply(reply: TelegramReply): Promise<void>
  /**
   * Sends a file to the chat of a conversation of this bot.
   *
   * @throws TelegramError
   */
  sendFile(conversationId: string, file: TelegramFile): Promise<void>
  /** Takes an update in that came some other way. Resolves once it is on disk. */
  handleUpdate(update: Update): Promise<void>
  /** Answers what Telegram posts to the webhook, and refuses all else. */
  handleWebhook(request: Request): Promise<Response>
}
