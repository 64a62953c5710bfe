import { openDatabase } from '@assent/node'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ADA, BEN, GROUP, openHarness, type ChannelHarness } from '../test/channel-harness.ts'
import type { Person } from '../test/fake-chats.ts'
import { sqliteTelegramRecords } from './sqlite-records.ts'
import { telegramChannel } from './telegram-channel.ts'

let harness: ChannelHarness
let ada: Person

beforeEach(async () => {
  harness = await openHarness()
  ada = harness.api.person(ADA)
})

afterEach(() => harness.close())

const texts = (chatId: number) => harness.api.shown(chatId).map(({ text }) => text)
const taken = async () => (await harness.tasks()).map(({ input }) => input)
const count = (many: number) => async () => (await harness.tasks()).length === many

describe('messages', () => {
  it('become tasks of one conversation, in order, each one of its own', async () => {
    await harness.start()
    for (const text of ['one', 'two', 'three']) ada.says(text)
    await harness.until(count(3))
    expect(await taken()).toEqual(['one', 'two', 'three'])
    expect(await harness.tasks()).toMatchObject(
      [1, 2, 3].map(() => ({
        conversationId: 'telegram:4242:11',
        replyTo: { channel: 'telegram', bot: 4242, chat: ADA },
      })),
    )
  })

  it('are taken in once, however often an update comes, and by whichever way', async () => {
    const channel = await harness.start()
    ada.says('one')
    await harness.until(count(1))
    const [update] = harness.api.sent
    await channel.handleUpdate(update!)
    for (const garbage of [null, {}, { update_id: 'x' }, { update_id: 1.5 }]) {
      await expect(channel.handleUpdate(JSON.parse(JSON.stringify(garbage)))).rejects.toMatchObject(
        {
          code: 'not_ours',
        },
      )
    }
    await channel.handleUpdate({ ...update!, update_id: update!.update_id })
    ada.says('two')
    await harness.until(count(2))
    await harness.channel.stop()
    const again = await harness.start()
    await again.handleUpdate(update!)
    ada.says('three')
    await harness.until(count(3))
    expect(await taken()).toEqual(['one', 'two', 'three'])
  })

  it('that are commands are answered once, however often their update comes', async () => {
    const channel = await harness.start()
    ada.says('/help')
    await harness.until(() => texts(ADA).length === 1)
    await channel.handleUpdate(harness.api.sent[0]!)
    ada.says('/start')
    await harness.until(() => texts(ADA).some((text) => text.startsWith('Hello')))
    expect(texts(ADA)).toHaveLength(2)
  })

  it('are asked for from where it stopped, and those meanwhile are not lost', async () => {
    await harness.start()
    ada.says('one')
    await harness.until(count(1))
    await harness.channel.stop()
    ada.says('two')
    await harness.start()
    await harness.until(count(2))
    const offsets = harness.api.calls
      .filter(({ method }) => method === 'getUpdates')
      .map(({ payload }) => payload['offset'])
    expect(offsets[0]).toBeUndefined()
    // The call that waits for more has no answer yet.
    expect(offsets.at(-1)).toBe(harness.api.sent[0]!.update_id + 1)
  })

  it('numbered anew after a week of silence are taken in as well', async () => {
    await harness.start()
    ada.says('one')
    await harness.until(count(1))
    await harness.channel.stop()
    harness.clock.advance(8 * 24 * 3_600_000)
    harness.api.numberFrom(5)
    ada.says('two')
    await harness.start()
    await harness.until(count(2))
    expect(await taken()).toEqual(['one', 'two'])
  })

  it('that were kept and not dealt with when a process ended are dealt with by the next', async () => {
    const { api, inbox, clock } = harness
    const database = openDatabase(harness.databasePath)
    const records = sqliteTelegramRecords(database, { now: harness.clock.now })
    // A channel that keeps what comes, and ends before it looks at it.
    const ended = telegramChannel({ token: api.token, apiRoot: api.url, records, inbox, clock })
    ada.says('one')
    await ended.handleUpdate(api.sent[0]!)
    await ended.stop()
    database.close()
    await harness.start()
    await harness.until(count(1))
    expect(await taken()).toEqual(['one'])
  })

  it('that flood are refused with a word and a time, and none is dropped silently', async () => {
    await harness.start({ settings: { pendingWindowSeconds: 600, pendingMaxMessages: 3 } })
    for (const text of ['1', '2', '3', '4', '5']) ada.says(text)
    await harness.until(() => texts(ADA).length === 2)
    expect(await taken()).toEqual(['1', '2', '3'])
    const refusal =
      '3 messages are already waiting here, so I skipped this one. Send it again in 10 minutes.'
    expect(texts(ADA)).toEqual([refusal, refusal])
    // Others are not held up.
    harness.api.person(BEN).says('hello')
    await harness.until(count(4))
    // One that is answered makes room.
    await harness.inbox.complete(await harness.claim())
    ada.says('6')
    await harness.until(count(5))
    // So does time.
    ada.says('7')
    await harness.until(() => texts(ADA).length === 3)
    await harness.pass(600_000)
    ada.says('8')
    await harness.until(count(6))
    expect(await taken()).toEqual(['1', '2', '3', 'hello', '6', '8'])
  })

  it('beyond a quota are refused until an hour or a day is over', async () => {
    await harness.start({ quotas: { perUser: { hour: 2, day: 3 } } })
    for (const text of ['1', '2', '3']) ada.says(text)
    await harness.until(() => texts(ADA).length === 1)
    expect(texts(ADA)[0]).toBe(
      'The limit is 2 messages per hour, so I skipped this one. Send it again in 60 minutes.',
    )
    await harness.pass(3_600_000)
    ada.says('4')
    ada.says('5')
    await harness.until(() => texts(ADA).length === 2)
    expect(texts(ADA)[1]).toContain('3 messages per day')
    expect(texts(ADA)[1]).toContain('23 hours')
    expect(await taken()).toEqual(['1', '2', '4'])
  })

  it('of strangers become nothing: in private they are told once how to be let in', async () => {
    await harness.start()
    const stranger = harness.api.person(666, { name: 'Eve' })
    const inGroup = harness.api.person(666, { groupId: -901 })
    stranger.says('hello')
    stranger.says('/status')
    inGroup.says('@helper_bot hello')
    ada.says('one')
    await harness.until(count(1))
    await harness.until(() => texts(666).length === 1)
    expect(texts(666)[0]).toContain('user 666, chat 666')
    expect(texts(-901)).toEqual([])
    await harness.pass(25 * 3_600_000)
    stranger.says('hello?')
    await harness.until(() => texts(666).length === 2)
    expect(await taken()).toEqual(['one'])
  })

  it('of somebody who is allowed in private become nothing in a group that is not', async () => {
    await harness.start()
    harness.api.person(ADA, { groupId: -902 }).says('@helper_bot tell all')
    ada.says('one')
    await harness.until(count(1))
    expect(await taken()).toEqual(['one'])
    expect(texts(-902)).toEqual([])
  })

  it('become nothing while nobody is allowed', async () => {
    await harness.start({ allow: [] })
    ada.says('one')
    await harness.until(() => texts(ADA).length === 1)
    expect(await taken()).toEqual([])
  })

  it('in a group are those that are said to the bot, with the name of who says them', async () => {
    await harness.start()
    const inGroup = harness.api.person(BEN, { name: 'Ben', groupId: GROUP })
    inGroup.says('nothing for you')
    inGroup.says('hey @helper_bot, what is it?')
    inGroup.says('/status@other_bot')
    inGroup.says('a@helper_bot.example is an address')
    inGroup.says('/stop@other_bot @helper_bot')
    const call = (text: string) => ({
      type: 'text_mention' as const,
      offset: text.indexOf('Helper'),
      length: 6,
      user: { id: 4_242, is_bot: true, first_name: 'Helper' },
    })
    await harness.until(count(1))
    inGroup.sends({ text: '😀 Helper, and this?', entities: [call('😀 Helper, and this?')] })
    await harness.until(count(2))
    // The command comes after the name, for those who write it first.
    inGroup.says('@helper_bot /status')
    await harness.until(() => texts(GROUP).length === 1)
    inGroup.says('/status@helper_bot')
    await harness.until(() => texts(GROUP).length === 2)
    expect(await taken()).toEqual([
      'Ben: hey @helper_bot, what is it?',
      'Ben: 😀 Helper, and this?',
    ])
  })

  it('with files bring them along, up to a size', async () => {
    await harness.start({ maxFileBytes: 2_000_000 })
    const bytes = new TextEncoder().encode('a,b\n1,2\n')
    ada.sendsFile({ name: 'table.csv', type: 'text/csv', bytes, caption: 'Look' })
    await harness.until(count(1))
    ada.sendsFile({ bytes })
    await harness.until(count(2))
    expect(await taken()).toEqual([
      [
        { type: 'text', text: 'Look' },
        {
          type: 'file',
          mediaType: 'text/csv',
          filename: 'table.csv',
          url: `data:text/csv;base64,${Buffer.from(bytes).toString('base64')}`,
        },
      ],
      [expect.objectContaining({ type: 'file', mediaType: 'image/jpeg' })],
    ])
    ada.sendsFile({ name: 'big.bin', bytes: new Uint8Array(2_000_001) })
    // One that Telegram says nothing about is measured as it comes.
    ada.sendsFile({ name: 'quiet.bin', bytes: new Uint8Array(2_000_001), isSizeUnknown: true })
    await harness.until(() => texts(ADA).length === 2)
    expect(texts(ADA)).toEqual([
      expect.stringContaining('larger than 2 MB'),
      expect.stringContaining('larger than 2 MB'),
    ])
    expect(await harness.tasks()).toHaveLength(2)
  })

  it('that are edited while they wait are read as they are then', async () => {
    await harness.start()
    ada.says('one')
    ada.says('tow')
    await harness.until(count(2))
    const claim = await harness.claim()
    ada.edits({ text: 'two' })
    await harness.until(async () => (await taken())[1] === 'two')
    ada.says('/status')
    await harness.until(() => texts(ADA).length === 1)
    // What is begun stays as it is, and what is over is nobody's concern.
    const next = await harness.inbox.complete(claim).then(() => harness.claim())
    ada.says('three')
    await harness.until(count(3))
    ada.edits({ text: 'four' })
    await harness.until(async () => (await taken())[2] === 'four')
    await harness.inbox.complete(next)
    const last = await harness.claim()
    ada.edits({ text: 'five' })
    await harness.until(() => texts(ADA).length === 2)
    expect(texts(ADA)[1]).toContain("I've already started on the message as it was.")
    await harness.inbox.complete(last)
    ada.edits({ text: 'six' })
    ada.says('/status')
    await harness.until(() => texts(ADA).length === 3)
    expect(await taken()).toEqual(['one', 'two', 'four'])
  })

  it('without anything to read are answered with what can be read', async () => {
    await harness.start()
    ada.says('')
    await harness.until(() => texts(ADA).length === 1)
    expect(texts(ADA)[0]).toContain('only read text and files')
  })

  it('that cannot be taken in are given up after a few tries, and the person is told', async () => {
    let failures = 0
    const inbox = {
      ...harness.inbox,
      add: () => {
        failures++
        return Promise.reject(new Error('disk full'))
      },
    }
    await harness.start({ inbox })
    ada.says('one')
    for (let tries = 1; tries < 5; tries++) {
      await harness.until(() => harness.errors.length === tries)
      await harness.passBackoff()
    }
    await harness.until(() => texts(ADA).length === 1)
    expect(texts(ADA)[0]).toContain('Please send it again')
    expect(failures).toBe(5)
  })
})
