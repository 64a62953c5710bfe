import type { AcceptedMedia } from '@assent/node'
import type { HealthRecords, Inbox, StandingPermissions } from '@assent/worker'
import { checkCommands, type TelegramCommand } from './command-menu.ts'
import { MAX_DOWNLOAD_BYTES } from './incoming-files.ts'
import type { Quotas } from './limits.ts'
import type { Allow } from './permissions.ts'
import { TelegramError } from './telegram-error.ts'
import type { TelegramHealth } from './telegram-health.ts'
import type { TelegramRecords } from './telegram-records.ts'
import type { TelegramSettings } from './telegram-settings.ts'
import { systemClock, type Clock } from './waiting.ts'
import { english, MAX_REPEATED_LENGTH, type TelegramWords } from './words.ts'

/** Options of `telegramChannel`. */
export interface TelegramChannelOptions {
  /** Of the bot, from @BotFather. */
  readonly token: string
  /** Where messages become tasks. */
  readonly inbox: Inbox
  /** What the channel must not forget: `sqliteTelegramRecords(database)`, or those of another backend. */
  readonly records: TelegramRecords
  /**
   * `standingPermissions(stores)` of the worker's: for `/permissions`, and Revoke on the receipt of an “Always”.
   * Default: there is neither.
   */
  readonly permissions?: StandingPermissions
  /** Who may talk to the bot, and who may decide about what it asks. Default: nobody. */
  readonly allow?: Allow
  /** Default: no bounds but that of what is pending. */
  readonly quotas?: Quotas
  /** Default: {@link telegramSettings} of the environment. */
  readonly settings?: TelegramSettings
  /**
   * Telegram posts updates to a webhook, instead of being asked for them. With `url` the webhook is set
   * at the start.
   */
  readonly webhook?: { readonly secretToken: string; readonly url?: string }
  /** Milliseconds after which a question is denied. Default 24 hours; `Infinity`: never. */
  readonly approvalMaxAgeMs?: number
  /**
   * Files that the model can read, as `acceptedMedia` of `modelEngine` has it; others are refused when they come.
   * Default: all.
   */
  readonly acceptedMedia?: AcceptedMedia
  /** Bytes of a file that is taken in. Default 5,000,000. */
  readonly maxFileBytes?: number
  /** Commands of your own, beside `/new`, `/status`, `/stop`, `/permissions` and `/help`. */
  readonly commands?: readonly TelegramCommand[]
  /** What the channel says. Default: English. */
  readonly words?: Partial<TelegramWords>
  /** Told of failures that nobody waits for, as `TelegramError`s mostly. Default: a warning of the process. */
  readonly onError?: (error: unknown) => void
  /** `healthRecords(stores)` of the worker's, for `assent-worker channels`. Default: it is noted nowhere. */
  readonly healthRecords?: HealthRecords
  /** Told when `polling` of its health changes, for instance when Telegram cannot be reached any more. */
  readonly onHealth?: (health: TelegramHealth) => void
  /** Milliseconds between two looks at the inbox, for what other processes do in it. Default 1,000. */
  readonly lookMs?: number
  /** Without a slash at its end. Default: that of Telegram. */
  readonly apiRoot?: string
  /** Default: that of the system. */
  readonly clock?: Clock
}

const TELEGRAM = 'https://api.telegram.org'
const DAY_MS = 24 * 3_600_000

/** The options with what holds in the place of those that are not given. */
export function checkOptions(options: TelegramChannelOptions) {
  const { token, webhook } = options
  const { approvalMaxAgeMs = DAY_MS, lookMs = 1_000 } = options
  const maxFileBytes = Math.min(options.maxFileBytes ?? 5_000_000, MAX_DOWNLOAD_BYTES)
  const botId = readBotId(token)
  const commands = checkCommands(options.commands ?? [])
  const words = checkWords({ ...english, ...options.words })
  assertPositive({ approvalMaxAgeMs, maxFileBytes, lookMs })
  if (webhook && !/^[\w-]{16,256}$/.test(webhook.secretToken)) {
    throw invalid('webhook.secretToken has 16 to 256 letters, digits, "_" and "-".')
  }
  const { clock = systemClock, apiRoot = TELEGRAM } = options
  return {
    ...options,
    apiRoot,
    approvalMaxAgeMs,
    botId,
    clock,
    commands,
    lookMs,
    maxFileBytes,
    words,
  }
}

function readBotId(token: string): number {
  const [, id] = /^(\d{1,15}):[\w-]+$/.exec(token) ?? []
  if (id === undefined) throw invalid('token is the one of @BotFather, such as "123456:AbC…".')
  return Number(id)
}

function checkWords(words: TelegramWords): TelegramWords {
  if (words.repeated.length < MAX_REPEATED_LENGTH) return words
  throw invalid(`words.repeated has at most ${MAX_REPEATED_LENGTH - 2} characters.`)
}

function assertPositive(numbers: Readonly<Record<string, number>>): void {
  for (const [name, value] of Object.entries(numbers)) {
    if (!(value > 0)) throw invalid(`${name} is a number above 0.`)
  }
}

/** An option, or a call, that makes no sense. */
export function invalid(message: string): TelegramError {
  return new TelegramError('invalid_option', message)
}
