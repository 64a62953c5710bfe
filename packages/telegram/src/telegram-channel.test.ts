import { openDatabase } from '@assent/node'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ADA, openHarness, type ChannelHarness } from '../test/channel-harness.ts'
import { sqliteTelegramRecords } from './sqlite-records.ts'
import { telegramChannel, type TelegramChannelOptions } from './telegram-channel.ts'
import { telegramSettings } from './telegram-settings.ts'

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
    for (let tries = 0; tries < 5; tries++) await harness.passBackoff()
    expect(errors).toEqual([expect.objectContaining({ code: 'unreachable' })])
    await harness.passBackoff()
    await harness.until(() => api.isPolled())
    await fetch(`${api.url}/bot${api.token}/getUpdates`)
    await harness.until(() => errors.length === 2)
    expect(errors[1]).toMatchObject({ code: 'conflict', retryable: true })
    await harness.passBackoff()
    api.person(ADA).says('one')
    await harness.until(count(1))
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
      allowed_updates: ['message', 'callback_query'],
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
