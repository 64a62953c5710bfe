import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ADA, openHarness, type ChannelHarness } from '../test/channel-harness.ts'
import type { Person } from '../test/fake-chats.ts'

let harness: ChannelHarness
let ada: Person

beforeEach(async () => {
  harness = await openHarness()
  ada = harness.api.person(ADA)
})

afterEach(() => harness.close())

const texts = (chatId: number) => harness.api.shown(chatId).map(({ text }) => text)
const count = (many: number) => async () => (await harness.tasks()).length === many

describe('commands', () => {
  it('greet, help and tell what goes on', async () => {
    await harness.start()
    for (const command of ['/start', '/help', '/status', '/nonsense']) ada.says(command)
    await harness.until(() => texts(ADA).length === 4)
    expect(texts(ADA)).toEqual([
      expect.stringContaining('Hello.'),
      expect.stringContaining('/stop ends what I am doing'),
      'I am not working on anything. Nothing waits.',
      'I do not know /nonsense. /help lists what I know.',
    ])
    ada.says('work')
    await harness.until(count(1))
    const claim = await harness.claim()
    ada.says('/status')
    await harness.until(() => texts(ADA).length === 5)
    expect(texts(ADA)[4]).toBe('I am working. 1 message not answered yet.')
    await harness.park(claim, [{}])
    await harness.until(() => texts(ADA).length === 6)
    ada.says('/status')
    await harness.until(() => texts(ADA).length === 7)
    expect(texts(ADA)[6]).toContain('1 question waits for a decision.')
  })

  it('stop what is being worked on, or all that waits', async () => {
    await harness.start()
    for (const text of ['one', 'two', 'three']) ada.says(text)
    await harness.until(count(3))
    const claim = await harness.claim()
    ada.says('/stop')
    await harness.until(() => texts(ADA).length === 1)
    expect(texts(ADA)[0]).toBe('Stopped: 1 message will not be answered.')
    const answers = async () => (await harness.tasks()).map(({ answers }) => answers)
    const abort = { abort: { reason: 'The person stopped it.' }, by: 'Ada (telegram:11)' }
    expect(await answers()).toEqual([[abort], [], []])
    await harness.inbox.complete(claim)
    ada.says('/stop all')
    await harness.until(() => texts(ADA).length === 2)
    expect(texts(ADA)[1]).toBe('Stopped: 2 messages will not be answered.')
    expect(await answers()).toEqual([[], [abort], [abort]])
    for (let left = 2; left > 0; left--) await harness.inbox.complete(await harness.claim())
    ada.says('/stop')
    await harness.until(() => texts(ADA).length === 3)
    expect(texts(ADA)[2]).toBe('There is nothing to stop.')
  })
})
