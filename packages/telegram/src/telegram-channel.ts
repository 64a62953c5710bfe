import type { Update } from 'grammy/types'
import { asking } from './asking.ts'
import { createBotClient, type BotClient } from './bot-client.ts'
import type { TelegramChannel } from './channel-contract.ts'
import type { ChannelGround } from './channel-ground.ts'
import { chatMoves } from './chat-moves.ts'
import { checkOptions, invalid, type TelegramChannelOptions } from './channel-options.ts'
import { menuOf } from './command-menu.ts'
import { commands } from './commands.ts'
import { decisions } from './decisions.ts'
import { drafts } from './drafts.ts'
import { failedAgain } from './failed-again.ts'
import { fileFetcher } from './incoming-files.ts'
import type { BotIdentity } from './incoming-message.ts'
import { intake } from './intake.ts'
import { keptAsks } from './kept-asks.ts'
import { lanes } from './lanes.ts'
import { limits } from './limits.ts'
import { channelHealth } from './note-health.ts'
import { permissions } from './permissions.ts'
import { ALLOWED_UPDATES, poll } from './polling.ts'
import { pressing } from './pressing.ts'
import { questionReplies } from './question-replies.ts'
import { reminding } from './reminding.ts'
import { replies } from './replies.ts'
import { TelegramError } from './telegram-error.ts'
import { standing } from './standing.ts'
import { telegramSettings } from './telegram-settings.ts'
import { tellUnkept } from './tell-unkept.ts'
import type { Clock } from './waiting.ts'
import { watch } from './watching.ts'
import { takeWebhook } from './webhook.ts'

/**
 * Makes a channel between a bot on Telegram and an inbox: messages become tasks, each one of its own and
 * in order per chat; questions are asked with buttons; replies go out. Every update is kept together
 * with the offset after it, so that none is lost and none is taken twice, whenever the process ends.
 *
 * Throws a `TelegramError` (`invalid_option`) for options that cannot work.
 */
export function telegramChannel(options: TelegramChannelOptions): TelegramChannel {
  const { token, inbox, webhook, apiRoot, clock, words, botId, ...checked } = checkOptions(options)
  const {
    approvalMaxAgeMs,
    commands: own,
    lookMs,
    maxFileBytes,
    acceptedMedia,
    permissions: permitted,
  } = checked
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
  const { updates: kept, messages, notices, places, ...records } = options.records.ofBot(botId)
  const moves = chatMoves(records.chats, (work) => track(work.catch(report)))
  const client: BotClient = createBotClient({
    token,
    apiRoot,
    clock,
    moves,
    noteOutcome: (error) => health.outcome(error),
  })
  const health = channelHealth({
    botId,
    clock,
    sending: () => client.sending(),
    onHealth: options.onHealth,
    records: options.healthRecords,
    track,
    report,
  })
  const channelClock: Clock = { now, wait: (ms, signal) => clock.wait(ms, signal) }
  const ground: ChannelGround = {
    botId,
    inbox,
    client,
    clock: channelClock,
    words,
    isAllowed: permissions(options.allow ?? [], (chatId) => moves.outside(chatId)),
    messages,
    places,
    asks: keptAsks(records.asks),
    standing:
      permitted &&
      standing({
        inbox,
        clock: channelClock,
        words,
        permissions: permitted,
        signal: stopping.signal,
      }),
    report,
  }
  const taken = decisions(ground)
  const reminders = reminding(ground, taken)
  const written = drafts(ground, records.drafts, stopping.signal)
  const sent = replies(ground, records.replies, written)
  const settings = options.settings ?? telegramSettings()
  const answering = commands(ground, reminders, own)
  const inLanes = lanes({
    intake: intake(ground, {
      bot: () => identify(),
      press: pressing(ground, taken, failedAgain(ground, answering.begin), stopping.signal),
      questionReplies: questionReplies(ground, taken, reminders),
      reminding: reminders,
      commands: answering,
      refusalOf: limits({ inbox, messages, quotas: options.quotas ?? {}, settings, now }),
      files: fileFetcher({ client, token, apiRoot, clock, maxBytes: maxFileBytes }),
      notices,
      maxFileBytes,
      acceptedMedia,
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
      .make((api) => api.getMe(), { isTokenNew: state !== 'started' })
      .then(({ id, username }) => ({ id, username }))
      .catch((error: unknown) => {
        // Asked again by whoever needs it next.
        identity = undefined
        throw error
      })
    return identity
  }

  function take(updates: readonly Update[]): void {
    for (const update of updates) inLanes.add(moves.read(update))
  }

  async function handleUpdate(update: Update): Promise<void> {
    if (state === 'stopped') throw stopped()
    // Whatever a route of an app hands in.
    if (!Number.isSafeInteger(Object(update).update_id)) {
      throw new TelegramError('not_ours', 'This is no update of Telegram: it has no update_id.')
    }
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

  function reportUnlessStopped(error: unknown): void {
    if (state !== 'stopped') report(error)
  }

  async function begin(): Promise<void> {
    await moves.load()
    await connect()
    const { signal } = stopping
    if (signal.aborted) throw stopped()
    // What was kept and not dealt with when a process ended comes before all else.
    const older = await kept.open()
    if (signal.aborted) throw stopped()
    state = 'started'
    health.polling(webhook ? 'webhook' : 'working')
    olderIds = new Set(older.map((update) => update.update_id))
    take([...older, ...early.filter((update) => !olderIds.has(update.update_id))])
    // Nothing waits for the menu.
    const menu = menuOf({ own, hasPermissions: ground.standing !== undefined }, words)
    track(client.make((api) => api.setMyCommands(menu)).catch(reportUnlessStopped))
    health.follow(signal)
    const asks = asking(ground, taken, approvalMaxAgeMs, track)
    track(
      watch(ground, { asking: asks, drafts: written, notices, signal, track, lookMs }).catch(
        report,
      ),
    )
    if (webhook) return
    const room = () => inLanes.room()
    const tell = tellUnkept(ground, identify)
    const onUnkept = (updates: readonly Update[]) => track(tell(updates))
    track(poll({ client, kept, clock, signal, health, take, onUnkept, room, report }).catch(report))
  }

  return {
    botId,
    async start() {
      if (state === 'stopped')
        throw invalid('A channel that was stopped is over; make another one.')
      if (state !== 'made') throw invalid('A channel is started once.')
      state = 'starting'
      health.polling('starting')
      try {
        await begin()
      } catch (error) {
        if (!stopping.signal.aborted) state = 'made'
        health.polling('off')
        throw error
      }
    },
    health: () => health.read(),
    async stop({ graceMs = 5_000 } = {}) {
      state = 'stopped'
      health.polling('off')
      stopping.abort()
      await client.stop(graceMs)
      while (underWay.size > 0) await Promise.allSettled(underWay)
    },
    progress: (said) => written.show(said),
    reply: (reply) => sent.reply(reply),
    sendFile: (conversationId, file) => sent.sendFile(conversationId, file),
    handleUpdate,
    async handleWebhook(request) {
      if (!webhook) throw invalid('A webhook needs the option webhook with a secret token.')
      return takeWebhook(request, webhook.secretToken, handleUpdate)
    },
  }
}

function stopped(): TelegramError {
  return new TelegramError('stopped', 'The channel was stopped; make another one.')
}

function warn(error: unknown): void {
  process.emitWarning(error instanceof Error ? error : String(error))
}
