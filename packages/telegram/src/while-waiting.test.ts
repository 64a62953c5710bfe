import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  ADA,
  askAda,
  BEN,
  GROUP,
  openHarness,
  type ChannelHarness,
} from '../test/channel-harness.ts'
import { BOT_ID } from '../test/fake-bot-api.ts'

let harness: ChannelHarness

beforeEach(async () => {
  harness = await openHarness()
})

afterEach(() => harness.close())

const shown = (chatId: number) => harness.api.shown(chatId)
const count = (many: number) => async () => (await harness.tasks()).length === many
const labels = (chatId: number) =>
  harness
    .last(chatId)
    .buttons.flat()
    .map(({ text }) => text)

describe('while a question waits', () => {
  it('a message is queued and answered at once, with the question and its buttons again', async () => {
    const { ada, taskId, question } = await askAda(harness, { summary: 'Write “notes.md”' })
    ada.says('And then send it')
    await harness.until(() => shown(ADA).length === 2)
    const reminder = harness.last(ADA)
    expect(reminder.text).toContain('Your message is queued. I need a decision first:')
    expect(reminder.text).toContain('Write “notes.md”')
    expect(reminder.repliesTo).toBe(question.id)
    expect(labels(ADA)).toEqual(['Approve', 'Always …', 'Deny'])
    expect(await harness.tasks()).toHaveLength(2)
    ada.presses(reminder.id, 'Approve')
    await harness.until(() => question.buttons.length + reminder.buttons.length === 0)
    expect(reminder.text).toContain('✓ Approved by Ada')
    expect((await harness.inbox.get(taskId))?.answers).toHaveLength(1)
  })

  it('what is shown again says how it ended when the question itself was decided', async () => {
    const { ada, question } = await askAda(harness)
    ada.says('And then send it')
    await harness.until(() => shown(ADA).length === 2)
    ada.presses(question.id, 'Deny')
    await harness.until(() => harness.last(ADA).buttons.length === 0)
    expect(harness.last(ADA).text).toContain('✗ Denied by Ada')
  })

  it.each(['yes', 'Ok!', 'go ahead', '👍🏽', '好的。', 'Approve it', 'Yes, approve!', '批准吧'])(
    '“%s” as a reply denies nothing',
    async (yes) => {
      const { ada, taskId, question } = await askAda(harness)
      ada.repliesTo(question.id, yes)
      await harness.until(() => shown(ADA).length === 2)
      expect(harness.last(ADA).text).toContain('Use the buttons to decide.')
      expect(labels(ADA)).toContain('Approve')
      expect((await harness.inbox.get(taskId))?.state).toBe('parked')
      // A reply to what is shown again is one to the question.
      ada.repliesTo(harness.last(ADA).id, 'ok, but on Monday')
      await harness.until(() => question.buttons.length === 0)
      expect((await harness.inbox.get(taskId))?.answers).toMatchObject([
        { decisions: [{ outcome: 'no', reason: 'ok, but on Monday' }] },
      ])
    },
  )

  it('a yes or no that replies to nothing is pointed to the buttons, and is no message', async () => {
    const { ada } = await askAda(harness)
    ada.says('yes')
    ada.says('No.')
    await harness.until(() => shown(ADA).length === 3)
    expect(harness.last(ADA).text).toContain('Use the buttons to decide.')
    expect(await harness.tasks()).toHaveLength(1)
  })

  it('/stop ends what waits, also as a reply to the question', async () => {
    const { ada, taskId, question } = await askAda(harness)
    ada.repliesTo(question.id, '/stop')
    await harness.until(() => shown(ADA).length === 2)
    expect(harness.last(ADA).text).toBe("Stopped: I won't answer 1 message.")
    expect((await harness.inbox.get(taskId))?.answers).toMatchObject([{ abort: {} }])
  })

  it('/stop works in a group, with and without the name of the bot, for whoever may approve', async () => {
    const { api } = harness
    const [ada, ben] = [ADA, BEN].map((id) => api.person(id, { groupId: GROUP }))
    await harness.start({
      allow: [
        { chat: GROUP, user: BEN, may: ['talk'] },
        { chat: GROUP, user: ADA, may: ['approve'] },
      ],
    })
    for (const stop of ['/stop@helper_bot', '/stop']) {
      const known = (await harness.tasks()).length
      ben!.says('@helper_bot write it down')
      await harness.until(count(known + 1))
      const claim = await harness.claim()
      await harness.park(claim, [{}])
      await harness.until(() => shown(GROUP).some(({ buttons }) => buttons.length > 0))
      const question = harness.last(GROUP)
      ada!.says(stop)
      await harness.until(() => harness.last(GROUP).text.startsWith('Stopped'))
      await harness.inbox.complete(await harness.claim())
      await harness.until(() => question.buttons.length === 0)
      expect(question.text).toContain('No longer waits for you')
    }
  })

  it('/status says that, what is queued, and what failed', async () => {
    const { ada, claim, question } = await askAda(harness)
    ada.says('And then send it')
    await harness.until(count(2))
    ada.says('/status')
    await harness.until(() => shown(ADA).length === 3)
    expect(harness.last(ADA).text).toContain("I'm waiting for a decision.\nQueued: 1 message.")
    ada.presses(question.id, 'Deny')
    await harness.until(() => question.buttons.length === 0)
    const again = await harness.claim()
    expect(again.task.id).toBe(claim.task.id)
    await harness.inbox.fail(
      again,
      { code: 'http_status', message: 'The model could not be reached.' },
      120_000,
    )
    ada.says('/status')
    await harness.until(() => harness.last(ADA).text.includes('attempt'))
    expect(harness.last(ADA).text).toBe(
      "The last attempt failed: The model could not be reached. I'll try again in 2 minutes.\nQueued: 2 messages.",
    )
  })
})

describe('a press that cannot be checked', () => {
  /** Ada approves while who may do that cannot be looked up so many times. */
  async function approve(failures: number) {
    let left = failures
    await askAda(harness).then(() => harness.channel.stop())
    await harness.start({
      allow() {
        if (left-- > 0) throw new Error('The directory is down.')
        return ['talk', 'approve'] as const
      },
    })
    const question = harness.last(ADA)
    const ada = harness.api.person(ADA)
    const query = ada.presses(question.id, 'Approve')
    await harness.until(() => harness.api.answerOf(query) !== undefined)
    expect(harness.api.answerOf(query)).toEqual({
      text: "I couldn't check this just now. I'll try again in a moment.",
      isAlert: true,
    })
    expect(question.buttons).not.toEqual([])
    return { ada, question }
  }

  it('is told, and checked again without another press', async () => {
    const { question } = await approve(3)
    await harness.passBackoff()
    await harness.passBackoff()
    await harness.passBackoff()
    await harness.until(() => question.buttons.length === 0)
    expect(question.text).toContain('✓ Approved by Ada')
    expect(harness.errors).toEqual([expect.objectContaining({ message: 'The directory is down.' })])
  })

  it('decides nothing when another one has decided meanwhile', async () => {
    const { ada, question } = await approve(1)
    const { updates } = harness.records.ofBot(BOT_ID)
    ada.presses(question.id, 'Deny')
    await harness.until(() => question.buttons.length === 0)
    await harness.passBackoff()
    await vi.waitUntil(async () => (await updates.open()).length === 0)
    expect(question.text).toContain('✗ Denied by Ada')
    expect((await harness.tasks())[0]?.answers).toHaveLength(1)
  })

  it('is checked again after the end of the process', async () => {
    const { question } = await approve(1)
    await harness.channel.stop()
    await harness.start()
    await harness.until(() => question.buttons.length === 0)
    expect(question.text).toContain('✓ Approved by Ada')
  })
})
