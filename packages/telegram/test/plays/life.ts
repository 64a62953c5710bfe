import { setTimeout as pause } from 'node:timers/promises'
import { EngineError } from '@assent/engine'
import { type AssentDatabase, openDatabase } from '@assent/node'
import {
  createWorker,
  modelEngine,
  ReplyError,
  sqliteStores,
  standingPermissions,
  type SqliteStores,
} from '@assent/worker'
import { jsonSchema, simulateReadableStream, tool } from 'ai'
import type { LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { MockLanguageModelV4 } from 'ai/test'
import { answerTo, textOf } from '../../../node/test/kills/model-answer.ts'
import {
  sqliteTelegramRecords,
  telegramChannel,
  type BotRecords,
  type Clock,
  type TelegramChannelOptions,
} from '../../src/index.ts'
import type { FakeBotApi } from '../fake-bot-api.ts'
import type { Fault } from './faults.ts'

/** One process of a play, from its start to its kill. */
export interface Life {
  readonly stores: SqliteStores
  readonly records: BotRecords
  /** Whether nothing is on its way to Telegram. */
  isQuiet(): boolean
  /** Ends it at once: it writes nothing any more, and nobody hears it. */
  kill(): void
  /** Resolves once nothing of it is left in memory. */
  readonly over: Promise<unknown>
}

export interface LifeOptions {
  readonly api: FakeBotApi
  readonly databasePath: string
  readonly name: string
  /** Telegram's clock, which goes so many times faster. */
  readonly clock: Clock
  readonly speed: number
  readonly allow: NonNullable<TelegramChannelOptions['allow']>
  readonly isModelDown: () => boolean
  /** Does what a tool does, where it is seen from outside. */
  readonly act: (key: string) => void
  /** Updates were stored, and nothing else has become of them. */
  readonly onKept: () => void
  readonly fault: Fault | undefined
}

/** Begins a bot with a worker, and waits for neither. */
export function beginLife(options: LifeOptions): Life {
  const { api, name, clock, speed, allow, isModelDown, act, onKept, fault } = options
  const database: AssentDatabase = openDatabase(options.databasePath, { synchronous: 'normal' })
  const stores = fault?.stores?.(sqliteStores(database)) ?? sqliteStores(database)
  const given = sqliteTelegramRecords(database, { now: clock.now })
  const records = {
    ofBot(id: number): BotRecords {
      const real = given.ofBot(id)
      const updates: BotRecords['updates'] = {
        ...real.updates,
        async keep(news, source) {
          const kept = await real.updates.keep(news, source)
          if (isAlive && kept.length > 0) onKept()
          return kept
        },
      }
      const watched = { ...real, updates }
      return fault?.records?.(watched) ?? watched
    },
  }
  let isAlive = true

  const acting = tool({
    inputSchema: jsonSchema<{ key: string }>({ type: 'object' }),
    execute: ({ key }) => {
      if (!isAlive) throw new Error('It was killed before.')
      act(key)
      return `done: ${key}`
    },
  })
  const model = new MockLanguageModelV4({
    doStream: async ({ prompt }) => {
      if (isModelDown()) {
        const details = { kind: 'unreachable' }
        throw new EngineError('http_network', 'down', { retryable: true, details })
      }
      const said = prompt.findLastIndex(({ role }) => role === 'user')
      const [kind = '', key = ''] =
        /(?:say|effect|ask) k[\w-]+/.exec(textOf(prompt[said]))?.[0].split(' ') ?? []
      const text = [{ type: 'text' as const, text: `${kind} ${key}` }]
      const plain = prompt.map((one, at) =>
        at === said ? { role: 'user' as const, content: text } : one,
      )
      return {
        // Slowly, so that people see it grow.
        stream: simulateReadableStream<LanguageModelV4StreamPart>({
          chunks: [...answerTo(plain)],
          chunkDelayInMs: 3,
        }),
      }
    },
  })

  const channel = telegramChannel({
    token: api.token,
    apiRoot: api.urlOf(name),
    inbox: stores.inbox,
    records,
    permissions: standingPermissions(stores),
    allow,
    clock,
    lookMs: 40 * speed,
    // The buttons of a group that has moved unseen are pressed by nobody.
    approvalMaxAgeMs: 60 * 60_000,
    onError: () => undefined,
  })
  const worker = createWorker({
    ...stores,
    name,
    leaseMs: 2_000,
    replyTimeoutMs: 4_000,
    pollMs: 25,
    retryBaseMs: 4,
    random: () => Math.random() * 0.5,
    createEngine: modelEngine({
      model,
      settings: { maxRetries: 0 },
      tools: { effect: acting, ask: acting },
      defaultApproval: 'approved',
      toolApproval: { ask: 'user-approval' },
      ...fault?.engine,
    }),
    onText: (said) => channel.progress(said),
    async onReply(reply) {
      try {
        await channel.reply({ ...reply, waitedMs: reply.waitedMs * speed })
      } catch (error) {
        if (!(error instanceof ReplyError) || error.retryAfterMs === undefined) throw error
        const { message, retryable, isUnsent, retryAfterMs } = error
        throw new ReplyError(message, {
          retryable,
          isUnsent,
          retryAfterMs: retryAfterMs / speed,
          cause: error,
        })
      }
    },
    onError: () => undefined,
  })

  async function begin(): Promise<void> {
    try {
      await channel.start()
    } catch {
      await pause(10)
      return isAlive ? begin() : undefined
    }
    if (isAlive) worker.start()
  }
  const beginning = begin()
  const ended = Promise.withResolvers<unknown>()

  return {
    stores,
    records: given.ofBot(channel.botId),
    isQuiet: () => channel.health().sending === 0,
    kill() {
      if (!isAlive) return
      isAlive = false
      api.cutOff(name)
      database.close()
      const ends = [beginning, channel.stop({ graceMs: 0 }), worker.stop({ graceMs: 0 })]
      void Promise.allSettled(ends).then(ended.resolve)
    },
    over: ended.promise,
  }
}
