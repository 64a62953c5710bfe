import { EventEmitter, once } from 'node:events'
import { join } from 'node:path'
import { openDatabase } from '@assent/node'
import { type Claim, type Inbox, sqliteInbox, type Task, type TaskCall } from '@assent/worker'
import type { JSONValue } from 'ai'
import {
  type Clock,
  sqliteTelegramRecords,
  telegramChannel,
  type TelegramChannel,
  type TelegramChannelOptions,
  type TelegramRecords,
} from '../src/index.ts'
import { manualClock, type ManualClock } from '../../node/test/manual-clock.ts'
import { createScratch } from '../../node/test/scratch.ts'
import { startBotApi, type FakeBotApi } from './fake-bot-api.ts'
import type { Person, ShownMessage } from './fake-chats.ts'

/** A channel before a fake of Telegram, with a real inbox and database, and a clock of the test's own. */
export interface ChannelHarness {
  readonly api: FakeBotApi
  readonly clock: ManualClock
  readonly inbox: Inbox
  readonly errors: unknown[]
  readonly databasePath: string
  readonly records: TelegramRecords
  /** The one that runs now. */
  readonly channel: TelegramChannel
  /** Begins a channel, in the place of the one before as after a crash of its process. */
  start(options?: Partial<TelegramChannelOptions>): Promise<TelegramChannel>
  /** Lets time pass once the channel has nothing to do before. */
  pass(ms: number): Promise<void>
  /** Lets the wait after a failure pass, once there is one. */
  passBackoff(): Promise<void>
  /** Has the calls time out that have this limit. */
  timeOut(limitMs: number): void
  /** Resolves once it is so; looked at after every call to Telegram, change of the inbox, and wait. */
  until(isSo: () => boolean | Promise<boolean>): Promise<void>
  /** The tasks, oldest first. */
  tasks(): Promise<Task[]>
  /** Claims the next task, as a worker does. */
  claim(): Promise<Claim>
  /** Has a task wait for decisions on calls. */
  park(claim: Claim, calls: readonly Partial<TaskCall>[]): Promise<void>
  /** The last message that the bot wrote in a chat. */
  last(chatId: number): ShownMessage
  close(): Promise<void>
}

export const ADA = 11
export const BEN = 12
export const GROUP = -900
/** Longer than any wait after a failure, to tell them apart. */
const LOOK_MS = 45_678
const LONGEST_BACKOFF_MS = 30_000

export async function openHarness(): Promise<ChannelHarness> {
  const scratch = createScratch()
  const clock = manualClock()
  const api = await startBotApi(clock.now)
  const database = openDatabase(join(scratch.path, 'data.db'), { synchronous: 'normal' })
  const inbox = sqliteInbox(database, { now: clock.now })
  const errors: unknown[] = []
  const changes = new EventEmitter().setMaxListeners(0)
  inbox.subscribe(() => changes.emit('change'))
  const opened: TelegramChannel[] = []
  const limits: { readonly ms: number; readonly over: AbortController }[] = []
  const limited: Clock = {
    ...clock,
    timeout(ms) {
      const over = new AbortController()
      limits.push({ ms, over })
      return over.signal
    },
  }

  const records = sqliteTelegramRecords(database, { now: clock.now })
  const harness: ChannelHarness = {
    api,
    records,
    clock,
    inbox,
    errors,
    databasePath: database.path,
    get channel() {
      const channel = opened.at(-1)
      if (!channel) throw new Error('No channel was started.')
      return channel
    },
    async start(options = {}) {
      const channel = telegramChannel({
        token: api.token,
        apiRoot: api.url,
        inbox,
        records,
        clock: limited,
        lookMs: LOOK_MS,
        allow: [
          { user: ADA, may: ['talk', 'approve'] },
          { user: BEN, may: ['talk'] },
          { chat: GROUP, may: ['talk'] },
          { chat: GROUP, user: ADA, may: ['approve'] },
        ],
        settings: { pendingWindowSeconds: 600, pendingMaxMessages: 50 },
        onError: (error) => errors.push(error),
        ...options,
      })
      opened.push(channel)
      await channel.start()
      return channel
    },
    async until(isSo) {
      for (;;) {
        const changed = new AbortController()
        const { signal } = changed
        const next = Promise.race([
          once(changes, 'change', { signal }),
          api.nextCall(signal),
          clock.nextWait(signal),
        ])
        if (await isSo()) {
          changed.abort()
          await next.catch(() => undefined)
          return
        }
        await next
        changed.abort()
      }
    },
    async pass(ms) {
      await harness.until(() => clock.waits().includes(LOOK_MS))
      clock.advance(ms)
    },
    timeOut(limitMs) {
      const late = new DOMException('It took too long.', 'TimeoutError')
      for (const { ms, over } of limits) if (ms === limitMs) over.abort(late)
    },
    async passBackoff() {
      const backoff = () => clock.shortWait(LONGEST_BACKOFF_MS)
      await harness.until(() => backoff() !== undefined)
      clock.advance(backoff() ?? 0)
    },
    tasks: async () => (await inbox.list({ limit: 1_000 })).toReversed(),
    async claim() {
      const claim = await inbox.claim({ worker: 'test', leaseMs: 3_600_000 })
      if (!claim) throw new Error('There is nothing to claim.')
      return claim
    },
    async park(claim, calls) {
      const full = calls.map((call, at) => waitingCall({ toolCallId: `call-${at}`, ...call }))
      const waiting: JSONValue = JSON.parse(JSON.stringify({ calls: full, refused: [] }))
      await inbox.park(claim, waiting)
    },
    last(chatId) {
      const message = api.shown(chatId).at(-1)
      if (!message) throw new Error(`The bot has written nothing in ${chatId}.`)
      return message
    },
    async close() {
      for (const channel of opened) await channel.stop()
      await api.close()
      database.close()
      scratch.remove()
    },
  }
  return harness
}

export function waitingCall(call: Partial<TaskCall>): TaskCall {
  return {
    messageId: 'answer-1',
    step: 1,
    toolCallId: 'call-1',
    toolName: 'write',
    kind: 'approval',
    input: { path: 'notes.md' },
    fingerprint: undefined,
    summary: undefined,
    preview: undefined,
    risk: undefined,
    requestReason: undefined,
    checkFailed: false,
    isElsewhere: false,
    expiresAt: undefined,
    ...call,
  }
}

/** A message of Ada that has come to a question about a call. */
export async function askAda(
  harness: ChannelHarness,
  call: Partial<TaskCall> = {},
  options: Partial<TelegramChannelOptions> = {},
): Promise<{ ada: Person; claim: Claim; taskId: string; question: ShownMessage }> {
  const { api } = harness
  const ada = api.person(ADA)
  await harness.start(options)
  ada.says('Write it down')
  await harness.until(async () => (await harness.tasks()).length === 1)
  const claim = await harness.claim()
  await harness.park(claim, [call])
  await harness.until(() => api.shown(ADA).some(({ buttons }) => buttons.length > 0))
  return { ada, claim, taskId: claim.task.id, question: harness.last(ADA) }
}
