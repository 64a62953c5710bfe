import type { BotClient } from './bot-client.ts'
import type { TelegramError, TelegramErrorCode } from './telegram-error.ts'

/** How a channel comes to its updates. */
export type PollingState =
  /** It was not started, its start failed, or it was stopped. */
  | 'off'
  | 'starting'
  /** Telegram tells what there is. */
  | 'working'
  /** Telegram posts updates to the webhook. */
  | 'webhook'
  /** Telegram does not answer, or refuses; it is asked again and again. See `lastError`. */
  | 'failing'

/** How a channel is. Times are milliseconds since the epoch. */
export interface TelegramHealth {
  readonly polling: PollingState
  /** Since when. */
  readonly since: number
  /** When Telegram last took a call. */
  readonly lastSuccessAt: number | undefined
  /** Of any call, also one that went well when it was tried again. */
  readonly lastError:
    | { readonly code: TelegramErrorCode; readonly message: string; readonly at: number }
    | undefined
  /** Messages of this process that are on their way, or wait for their turn in a chat. */
  readonly sending: number
  /** Chats that take no more for now. */
  readonly heldChats: number
}

export interface HealthOptions {
  readonly now: () => number
  readonly sending: BotClient['sending']
  /** Told when `polling` changes. */
  readonly onHealth: (health: TelegramHealth) => void
}

/** Notes how a channel is. */
export interface HealthNotes {
  read(): TelegramHealth
  polling(state: PollingState): void
  /** How a call ended. */
  outcome(error?: TelegramError): void
}

export function healthNotes({ now, sending, onHealth }: HealthOptions): HealthNotes {
  let polling: PollingState = 'off'
  let since = now()
  let lastSuccessAt: number | undefined
  let lastError: TelegramHealth['lastError']

  function read(): TelegramHealth {
    const { messages, heldChats } = sending()
    return { polling, since, lastSuccessAt, lastError, sending: messages, heldChats }
  }

  return {
    read,
    polling(state) {
      if (state === polling) return
      polling = state
      since = now()
      onHealth(read())
    },
    outcome(error) {
      if (error) lastError = { code: error.code, message: error.message, at: now() }
      else lastSuccessAt = now()
    },
  }
}
