import { openDatabase } from '@assent/node'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ADA, openHarness, type ChannelHarness } from '../test/channel-harness.ts'
import { sqliteTelegramRecords } from './sqlite-records.ts'
import type { TelegramChannelOptions } from './channel-options.ts'
import { telegramChannel } from './telegram-channel.ts'
import type { TelegramError } from './telegram-error.ts'
import type { TelegramHealth } from './telegram-health.ts'
import type { BotRecords } from './telegram-records.ts'
import { telegramSettings } from './telegram-settings.ts'
import { FILE_LIMIT_MS, POLL_LIMIT_MS } from './time-limits.ts'

let harness: ChannelHarness

beforeEach(async () => {
  harness = await openHarness()
})

afterEach(() => harness.close())

const SECRET = 'a-secret-of-the-webhook'
const methods = () => harness.api.calls.map(({ method }) => method)
const count = (many: number) => async () => (await harness.tasks()).length === many

function post(body: string, headers: Record<string, string> = {}, method = 'POST'): Request {
  return new Request('https://bot.example/telegram', {
    method,
    headers: { 'x-telegram-bot-api-secret-token': SECRET, ...headers },
    ...(method === 'POST' && { body }),
  })
}

describe('a channel', () => {
  it('does not start with a token that Telegram does not know, and does not tell it', async () => {
    const token = '4242:another-token'
    const failed = await harness.start({ token }).catch((error: unknown) => error)
    expect(failed).toMatchObject({ name: 'TelegramError', code: 'unauthorized' })
    expect(String(failed)).not.toContain(token)
  })

  it('refuses options that cannot work', () => {
    const database = openDatabase(':memory:')
    const records = sqliteTelegramRecords(database)
    const make = (options: Partial<TelegramChannelOptions>) => () =>
      telegramChannel({ token: '1:x', inbox: harness.inbox, records, ...options })
    for (const options of [
      { token: 'nonsense' },
      { allow: [{ may: ['talk'] as const }] },
      { allow: [{ user: 0.5, may: ['talk'] as const }] },
      { quotas: { perUser: { hour: 0 } } },
      { webhook: { secretToken: 'short' } },
      { maxFileBytes: 0 },
      { words: { repeated: 'x'.repeat(99) } },
    ]) {
      expect(make(options)).toThrow(expect.objectContaining({ code: 'invalid_option' }))
    }
    database.close()
  })

  it('reads its settings from the environment, and refuses values that cannot be used', () => {
    expect(telegramSettings({})).toEqual({ pendingWindowSeconds: 600, pendingMaxMessages: 50 })
    expect(
      telegramSettings({ TG_PENDING_WINDOW_SECONDS: '60', TG_PENDING_MAX_MESSAGES: '5' }),
    ).toEqual({ pendingWindowSeconds: 60, pendingMaxMessages: 5 })
    for (const value of ['0', '-1', '1.5', 'ten']) {
      expect(() => telegramSettings({ TG_PENDING_MAX_MESSAGES: value })).toThrow(
        /TG_PENDING_MAX_MESSAGES must be a whole number/,
      )
    }
  })

  it('goes on asking for updates after failures, and when another process asks too', async () => {
    const { api, errors } = harness
    api.person(ADA)
    api.fail({ method: 'getUpdates', by: 502, times: 6 })
    await harness.start()
    for (let tries = 0; tries < 6; tries++) await harness.passBackoff()
    expect(errors).toEqual([expect.objectContaining({ code: 'unreachable' })])
    await harness.until(() => api.isPolled())
    await fetch(`${api.url}/bot${api.token}/getUpdates`)
    await harness.until(() => errors.length === 2)
    expect(errors[1]).toMatchObject({ code: 'conflict', retryable: true })
    await harness.passBackoff()
    api.person(ADA).says('one')
    await harness.until(count(1))
  })

  it.each([401, 404] as const)(
    'asks on for updates when its token is not known for a while (%i)',
    async (status) => {
      const { api, errors } = harness
      api.fail({ method: 'getUpdates', by: status, times: 7 })
      await harness.start()
      api.person(ADA).says('one')
      for (let tries = 0; tries < 7; tries++) await harness.passBackoff()
      await harness.until(count(1))
      expect(errors).toEqual([expect.objectContaining({ code: 'unauthorized', retryable: true })])
    },
  )

  it('hears of a network that breaks in the middle of an answer', async () => {
    const { api, errors } = harness
    api.fail({ method: 'getUpdates', by: 'half-body' })
    api.person(ADA).says('one')
    await harness.start()
    await harness.until(() => api.heldCalls() === 1)
    harness.timeOut(POLL_LIMIT_MS)
    await harness.passBackoff()
    await harness.until(count(1))
    expect(errors).toEqual([expect.objectContaining({ code: 'unreachable' })])
  })

  it('takes a file in whose content stops in the middle once', async () => {
    const { api } = harness
    const ada = api.person(ADA)
    await harness.start()
    api.fail({ method: 'file', by: 'half-body' })
    ada.sendsFile({ name: 'a.txt', bytes: new Uint8Array([65, 66, 67, 68]), type: 'text/plain' })
    await harness.until(() => api.heldCalls() === 1)
    harness.timeOut(FILE_LIMIT_MS)
    await harness.passBackoff()
    await harness.until(count(1))
    expect((await harness.tasks())[0]?.input).toEqual([
      expect.objectContaining({ url: 'data:text/plain;base64,QUJDRA==' }),
    ])
  })

  it('says later what it could not say in an outage, and takes a file in after one', async () => {
    const { api, errors } = harness
    const ada = api.person(ADA)
    await harness.start()
    api.fail({ method: 'sendMessage', by: 502, times: 12 })
    api.fail({ method: 'getFile', by: 502, times: 27 })
    ada.says('/help')
    ada.sendsFile({ name: 'a.txt', bytes: new Uint8Array([65]), type: 'text/plain' })
    // Once each for its own tries, and once in a while for all of them.
    for (let tries = 0; tries < 12 + 27; tries++) await harness.passBackoff()
    await harness.until(() => api.shown(ADA).length === 1)
    await harness.until(count(1))
    expect(new Set(errors.map((error) => (error as TelegramError).code))).toEqual(
      new Set(['unreachable']),
    )
  })

  it('can be started again after a start that failed', async () => {
    const { api } = harness
    api.fail({ method: 'getMe', by: 401 })
    await expect(harness.start()).rejects.toMatchObject({ code: 'unauthorized' })
    expect(harness.channel.health()).toMatchObject({ polling: 'off' })
    await harness.channel.start()
    await expect(harness.channel.start()).rejects.toMatchObject({ code: 'invalid_option' })
    api.person(ADA).says('one')
    await harness.until(count(1))
  })

  it('notes how it is, when that changes and every minute, for those who look from elsewhere', async () => {
    const noted: string[] = []
    const channel = await harness.start({
      healthRecords: {
        note: async (name, { state, isWell }) => void noted.push(`${name} ${state} ${isWell}`),
        list: async () => [],
      },
    })
    await harness.until(() => harness.clock.waits().includes(60_000))
    harness.clock.advance(60_000)
    await harness.until(() => noted.length === 4)
    await channel.stop()
    expect(noted).toEqual([
      'telegram:4242 starting false',
      ...Array.from({ length: 3 }, () => 'telegram:4242 working true'),
      'telegram:4242 off false',
    ])
  })

  it('tells people once that their messages cannot be stored for now, and takes them afterwards', async () => {
    let isAway = false
    const fail = () => {
      if (isAway) throw new Error('The database is away.')
    }
    const ofBot = (botId: number) => {
      const bot = harness.records.ofBot(botId)
      const updates: BotRecords['updates'] = {
        ...bot.updates,
        async nextOffset() {
          fail()
          return bot.updates.nextOffset()
        },
        async keep(...given) {
          fail()
          return bot.updates.keep(...given)
        },
      }
      return { ...bot, updates }
    }
    const ada = harness.api.person(ADA)
    const stranger = harness.api.person(99, { name: 'Eve' })
    await harness.start({ records: { ofBot } })
    ada.says('before')
    await harness.until(async () => (await harness.tasks()).length === 1)
    await harness.until(() => harness.api.isPolled())
    isAway = true
    ada.says('one')
    ada.says('two')
    stranger.says('me too')
    for (let failures = 0; failures < 6; failures++) await harness.passBackoff()
    await harness.until(() => harness.api.shown(ADA).length === 1)
    isAway = false
    for (let tasks = 1; tasks < 3; tasks = (await harness.tasks()).length) {
      if (harness.clock.shortWait(30_000) !== undefined) await harness.passBackoff()
      await harness.until(async () => {
        const isThere = (await harness.tasks()).length === 3
        return isThere || harness.clock.shortWait(30_000) !== undefined
      })
    }
    const texts = (chat: number) => harness.api.shown(chat).map(({ text }) => text)
    expect(texts(ADA)).toEqual([
      "I can't store messages right now. You don't need to send yours again: I'll answer as soon as I can.",
    ])
    expect(texts(99).join()).not.toContain('store')
  })

  it('says how it is, and when that changes', async () => {
    const { api, clock } = harness
    const told: TelegramHealth[] = []
    api.person(ADA)
    const channel = await harness.start({ onHealth: (health) => told.push(health) })
    const startedAt = clock.now()
    await harness.until(() => api.isPolled())
    api.fail({ method: 'getUpdates', by: 502, times: 2 })
    api.person(ADA).says('one')
    await harness.until(() => channel.health().polling === 'failing')
    expect(channel.health()).toEqual({
      polling: 'failing',
      since: startedAt,
      lastSuccessAt: startedAt,
      lastError: { code: 'unreachable', message: expect.stringContaining('502'), at: startedAt },
      sending: 0,
      heldChats: 0,
    })
    await harness.passBackoff()
    await harness.passBackoff()
    await harness.until(() => channel.health().polling === 'working')
    await channel.stop()
    expect(told.map(({ polling }) => polling)).toEqual([
      'starting',
      'working',
      'failing',
      'working',
      'off',
    ])
    expect(JSON.stringify(told)).not.toContain(api.token)
  })

  it('stops at once while it waits for updates and for a chat that is held up', async () => {
    const { api, clock } = harness
    const channel = await harness.start()
    api.person(ADA).says('one')
    await harness.until(count(1))
    api.flood(ADA, 20)
    const [task] = await harness.tasks()
    const reply = channel.reply({ task: task!, text: 'x', mayBeRepeated: false }).catch(String)
    await harness.until(() => clock.waits().includes(20_000))
    await channel.stop()
    expect(await reply).toContain('was stopped')
    await expect(channel.start()).rejects.toMatchObject({ code: 'invalid_option' })
  })

  it('takes more in than it has under way at once, in order', async () => {
    const { api } = harness
    const ada = api.person(ADA)
    for (let at = 0; at < 250; at++) ada.says(`message ${at}`)
    await harness.start({ settings: { pendingWindowSeconds: 600, pendingMaxMessages: 1_000 } })
    await harness.until(async () => (await harness.inbox.count()).get('queued') === 250)
    expect((await harness.tasks()).map(({ input }) => input)).toEqual(
      Array.from({ length: 250 }, (_, at) => `message ${at}`),
    )
  }, 30_000)
})

describe('a webhook', () => {
  it('is set, and takes what Telegram posts with the secret only', async () => {
    const { api } = harness
    api.person(ADA).says('one')
    const channel = await harness.start({
      webhook: { secretToken: SECRET, url: 'https://bot.example/telegram' },
    })
    const set = api.calls.find(({ method }) => method === 'setWebhook')
    expect(set?.payload).toMatchObject({
      url: 'https://bot.example/telegram',
      secret_token: SECRET,
      allowed_updates: ['message', 'edited_message', 'callback_query'],
    })
    const body = JSON.stringify(api.sent[0])
    const statuses = [
      post(body, { 'x-telegram-bot-api-secret-token': 'guessed' }),
      post('', {}, 'GET'),
      post('nonsense'),
      post('{"update_id":"x"}'),
      post(' '.repeat(1_000_001)),
      post(body),
      post(body),
    ].map(async (request) => (await channel.handleWebhook(request)).status)
    expect(await Promise.all(statuses)).toEqual([401, 405, 400, 400, 413, 200, 200])
    await harness.until(count(1))
    expect(methods()).not.toContain('getUpdates')
  })

  it('is refused without a secret', async () => {
    const channel = await harness.start()
    await expect(channel.handleWebhook(post('{}'))).rejects.toMatchObject({
      code: 'invalid_option',
    })
  })
})
