import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ADA, askAda, openHarness, type ChannelHarness } from '../test/channel-harness.ts'
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
      expect.stringContaining('/stop – Stop the current message'),
      'Nothing to do. Send me a message.',
      "I don't know /nonsense. Send /help for what I know.",
    ])
    ada.says('work')
    await harness.until(count(1))
    const claim = await harness.claim()
    ada.says('/status')
    await harness.until(() => texts(ADA).length === 5)
    expect(texts(ADA)[4]).toBe("I'm working on your message.")
    await harness.park(claim, [{}])
    await harness.until(() => texts(ADA).length === 6)
    ada.says('/status')
    await harness.until(() => texts(ADA).length === 7)
    expect(texts(ADA)[6]).toContain("I'm waiting for a decision.")
    expect(
      harness
        .last(ADA)
        .buttons.flat()
        .map(({ text }) => text),
    ).toContain('Approve')
  })

  it('stop what is being worked on, or all that waits', async () => {
    await harness.start()
    for (const text of ['one', 'two', 'three']) ada.says(text)
    await harness.until(count(3))
    const claim = await harness.claim()
    ada.says('/stop')
    await harness.until(() => texts(ADA).length === 1)
    expect(texts(ADA)[0]).toBe("Stopped: I won't answer 1 message.")
    const answers = async () => (await harness.tasks()).map(({ answers }) => answers)
    const abort = { abort: { reason: 'The person stopped it.' }, by: 'Ada (telegram:11)' }
    expect(await answers()).toEqual([[abort], [], []])
    await harness.inbox.complete(claim)
    ada.says('/stop all')
    await harness.until(() => texts(ADA).length === 2)
    expect(texts(ADA)[1]).toBe("Stopped: I won't answer 2 messages.")
    expect(await answers()).toEqual([[], [abort], [abort]])
    for (let left = 2; left > 0; left--) await harness.inbox.complete(await harness.claim())
    ada.says('/stop')
    await harness.until(() => texts(ADA).length === 3)
    expect(texts(ADA)[2]).toBe('Nothing to stop.')
  })

  it('are shown in the menu of the app, and a menu that cannot be set stops nothing', async () => {
    harness.api.fail({ method: 'setMyCommands', by: 400 })
    await harness.start()
    await harness.until(() => harness.errors.length === 1)
    expect(harness.errors).toEqual([expect.objectContaining({ code: 'refused' })])
    await harness.channel.stop()
    await harness.start({ commands: [{ name: 'report', description: 'Weekly', run: () => '' }] })
    const set = () => harness.api.calls.filter(({ method }) => method === 'setMyCommands')
    await harness.until(() => set().length === 2)
    expect(set()[1]?.payload['commands']).toEqual([
      { command: 'report', description: 'Weekly' },
      ...['new', 'status', 'stop', 'help'].map((command) => ({
        command,
        description: expect.any(String),
      })),
    ])
  })

  it('of your own answer, become a message, or fail once', async () => {
    let failures = 0
    await harness.start({
      commands: [
        { name: 'hi', description: 'Say hi', run: ({ userName, text }) => `${userName}: ${text}` },
        {
          name: 'report',
          description: 'Weekly',
          run: ({ text }) => ({ prompt: `Report ${text}` }),
        },
        {
          name: 'broken',
          description: 'Fails',
          run: () => {
            failures++
            throw new Error('No such host')
          },
        },
      ],
    })
    for (const text of ['/hi there', '/broken', '/report May', '/help']) ada.says(text)
    await harness.until(() => texts(ADA).length === 3)
    expect(texts(ADA)[0]).toBe('Ada: there')
    expect(texts(ADA)[1]).toContain("This command didn't work.")
    expect(texts(ADA)[2]).toContain('/report – Weekly')
    expect(failures).toBe(1)
    expect(await harness.tasks()).toMatchObject([{ input: 'Report May' }])
    const bad = { name: 'stop', description: 'Mine', run: () => '' }
    await expect(harness.start({ commands: [bad] })).rejects.toMatchObject({
      code: 'invalid_option',
    })
  })

  it('/new begins another conversation, for good, and ends what is open', async () => {
    const { question, claim } = await askAda(harness)
    ada.says('/new')
    await harness.until(() => texts(ADA).length === 2)
    expect(texts(ADA)[1]).toContain('New conversation. I stopped 1 message')
    await harness.inbox.complete(await harness.claim())
    await harness.until(() => question.buttons.length === 0)
    await harness.channel.stop()
    const channel = await harness.start()
    ada.says('Hello again')
    await harness.until(count(2))
    const [first, second] = await harness.tasks()
    expect(first?.id).toBe(claim.task.id)
    expect(second?.conversationId).toMatch(/^telegram:4242:11\/\d+$/)
    expect(second?.replyTo).toMatchObject({ chat: ADA })
    ada.says('/status')
    await harness.until(() => texts(ADA).length === 3)
    expect(texts(ADA)[2]).toBe('Queued: 1 message.')
    const file = { name: 'a.txt', bytes: new TextEncoder().encode('a') }
    await channel.sendFile(second?.conversationId ?? '', file)
    expect(harness.last(ADA).document?.name).toBe('a.txt')
  })
})
