import type { Inbox } from '@assent/worker'
import type { Update } from 'grammy/types'
import { asking } from './asking.ts'
import { createBotClient } from './bot-client.ts'
import type { ChannelGround } from './channel-ground.ts'
import { commands } from './commands.ts'
import { decisions } from './decisions.ts'
import { fileFetcher, MAX_DOWNLOAD_BYTES } from './incoming-files.ts'
import type { BotIdentity } from './incoming-message.ts'
import { intake } from './intake.ts'
import { keptAsks } from './kept-asks.ts'
import { lanes } from './lanes.ts'
import { limits, type Quotas } from './limits.ts'
import { permissions, type Allow } from './permissions.ts'
import { ALLOWED_UPDATES, poll } from './polling.ts'
import { pressing } from './pressing.ts'
import { replies, type TelegramFile, type TelegramReply } from './replies.ts'
import { TelegramError } from './telegram-error.ts'
import type { TelegramRecords } from './telegram-records.ts'
import { telegramSettings, type TelegramSettings } from './telegram-settings.ts'
import { systemClock, type Clock } from './waiting.ts'
import { watch } from './watching.ts'
import { takeWebhook } from './webhook.ts'
import { english, MAX_REPEATED_LENGTH, type TelegramWords } from './words.ts'

/** Options of {@link telegramChannel}. */
export interface TelegramChannelOptions {
  /** Of the bot, from @BotFather. */
  readonly token: string
  /** Where messages become tasks. */
  readonly inbox: Inbox
  /** What the channel must not forget: `sqliteTelegramRecords(database)`, or those of another backend. */
  readonly records: TelegramRecords
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
  /** Bytes of a file that is taken in. Default 5,000,000. */
  readonly maxFileBytes?: number
  /** What the channel says. Default: English. */
  readonly words?: Partial<TelegramWords>
  /** Told of failures that nobody waits for, as `TelegramError`s mostly. Default: a warning of the process. */
  readonly onError?: (error: unknown) => void
  /** Milliseconds between two looks at the inbox, for what other processes do in it. Default 1,000. */
  readonly lookMs?: number
  /** Without a slash at its end. Default: that of Telegram. */
  readonly apiRoot?: string
  /** Default: that of the system. */
  readonly clock?: Clock
}

/** A bot on Telegram before an inbox. */
export interface TelegramChannel {
  /** The number of the bot. */
  readonly botId: number
  /**
   * Begins to take updates in, and to ask about what waits. Resolves once Telegram knows the token.
   *
   * @throws TelegramError `unauthorized`, `unreachable`, `stopped`
   */
  start(): Promise<void>
  /**
   * Takes no more in, and ends. What is on its way to Telegram has `graceMs` (default 5,000) to arrive;
   * what is left is done after the next start. A channel that was stopped is over: make another one.
   */
  stop(options?: { readonly graceMs?: number }): Promise<void>
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

const TELEGRAM = 'https://api.telegram.org'

/**
 * Makes a channel between a bot on Telegram and an inbox: messages become tasks, each one of its own and
 * in order per chat; questions are asked with buttons; replies go out. Every update is kept together
 * with the offset after it, so that none is lost and none is taken twice, whenever the process ends.
 *
 * Throws a `TelegramError` (`invalid_option`) for options that cannot work.
 */
export function telegramChannel(options: TelegramChannelOptions): TelegramChannel {
  const { token, inbox, webhook, clock = systemClock, apiRoot = TELEGRAM } = options
  const { approvalMaxAgeMs = 24 * 3_600_000, lookMs = 1_000 } = options
  const maxFileBytes = Math.min(options.maxFileBytes ?? 5_000_000, MAX_DOWNLOAD_BYTES)
  const botId = readBotId(token)
  const words = checkWords({ ...english, ...options.words })
  assertPositive({ approvalMaxAgeMs, maxFileBytes, lookMs })
  if (webhook && !/^[\w-]{16,256}$/.test(webhook.secretToken)) {
    throw invalid('webhook.secretToken has 16 to 256 letters, digits, "_" and "-".')
  }
  const report = (error: unknown): void => {
    try {
      ;(options.onError ?? warn)(error)
    } catch (thrown) {
      warn(thrown)
    }
  }

  const now = () => Math.floor(clock.now())
  const stopping = new AbortController()
  const underWay = new Set<Promise<unknown>>()
  const track = (work: Promise<unknown>): void => {
    underWay.add(work)
    const end = () => underWay.delete(work)
    work.then(end, end)
  }
  const client = createBotClient({ token, apiRoot, clock })
  const { updates: kept, messages, notices, ...records } = options.records.ofBot(botId)
  const ground: ChannelGround = {
    botId,
    inbox,
    client,
    clock: { now, wait: (ms, signal) => clock.wait(ms, signal) },
    words,
    isAllowed: permissions(options.allow ?? []),
    messages,
    asks: keptAsks(records.asks),
    report,
  }
  const taken = decisions(ground)
  const sent = replies(ground, records.replies)
  const settings = options.settings ?? telegramSettings()
  const inLanes = lanes({
    intake: intake(ground, {
      bot: () => identify(),
      pressing: pressing(ground, taken),
      runCommand: commands(ground),
      refusalOf: limits({ inbox, messages, quotas: options.quotas ?? {}, settings, now }),
      files: fileFetcher({ client, token, apiRoot, maxBytes: maxFileBytes }),
      notices,
      maxFileBytes,
    }),
    clock,
    signal: stopping.signal,
    close: (updateId) => kept.close(updateId),
    report,
    track,
  })
  let identity: Promise<BotIdentity> | undefined
  /** What came before the start was through: older ones come first. */
  const early: Update[] = []
  /** Kept and not dealt with when this one started. */
  let olderIds: ReadonlySet<number> = new Set()
  let state: 'made' | 'starting' | 'started' | 'stopped' = 'made'

  function identify(): Promise<BotIdentity> {
    identity ??= client
      .make((api) => api.getMe())
      .then(({ id, username }) => ({ id, username }))
      .catch((error: unknown) => {
        // Asked again by whoever needs it next.
        identity = undefined
        throw error
      })
    return identity
  }

  function take(updates: readonly Update[]): void {
    for (const update of updates) inLanes.add(update)
  }

  async function handleUpdate(update: Update): Promise<void> {
    if (state === 'stopped') throw stopped()
    const fresh = await kept.keep([update], 'webhook')
    if (state !== 'started') early.push(...fresh)
    else if (!olderIds.has(update.update_id)) take(fresh)
  }

  async function connect(): Promise<void> {
    await identify()
    const url = webhook?.url
    if (!webhook) await client.make((api) => api.deleteWebhook())
    else if (url !== undefined) {
      const { secretToken: secret_token } = webhook
      const asked = { secret_token, allowed_updates: [...ALLOWED_UPDATES] }
      await client.make((api) => api.setWebhook(url, asked))
    }
  }

  return {
    botId,
    async start() {
      if (state !== 'made') throw invalid('A channel is started once; make another one.')
      state = 'starting'
      await connect()
      const { signal } = stopping
      if (signal.aborted) throw stopped()
      // What was kept and not dealt with when a process ended comes before all else.
      const older = await kept.open()
      if (signal.aborted) throw stopped()
      state = 'started'
      olderIds = new Set(older.map((update) => update.update_id))
      take([...older, ...early.filter((update) => !olderIds.has(update.update_id))])
      const asks = asking(ground, taken, approvalMaxAgeMs, track)
      track(watch(ground, { asking: asks, notices, signal, track, lookMs }).catch(report))
      if (webhook) return
      const room = () => inLanes.room()
      track(poll({ client, kept, clock, signal, take, room, report }).catch(report))
    },
    async stop({ graceMs = 5_000 } = {}) {
      state = 'stopped'
      stopping.abort()
      await client.stop(graceMs)
      while (underWay.size > 0) await Promise.allSettled(underWay)
    },
    reply: (reply) => sent.reply(reply),
    sendFile: (conversationId, file) => sent.sendFile(conversationId, file),
    handleUpdate,
    async handleWebhook(request) {
      if (!webhook) throw invalid('A webhook needs the option webhook with a secret token.')
      return takeWebhook(request, webhook.secretToken, handleUpdate)
    },
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

function stopped(): TelegramError {
  return new TelegramError('stopped', 'The channel was stopped; make another one.')
}

function invalid(message: string): TelegramError {
  return new TelegramError('invalid_option', message)
}

function warn(error: unknown): void {
  process.emitWarning(error instanceof Error ? error : String(error))
}
