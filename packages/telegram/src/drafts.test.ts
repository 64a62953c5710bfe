import type { Task } from '@assent/worker'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ADA, GROUP, openHarness, type ChannelHarness } from '../test/channel-harness.ts'

let harness: ChannelHarness

beforeEach(async () => {
  harness = await openHarness()
})

afterEach(() => harness.close())

const shown = (chatId = ADA) => harness.api.shown(chatId)
const texts = (chatId = ADA) => shown(chatId).map(({ text }) => text)

/** Lets a wait of a draft pass. */
async function pass(ms: number): Promise<void> {
  await harness.until(() => harness.clock.waits().includes(ms))
  harness.clock.advance(ms)
}

/** A message of Ada that is worked on. */
async function begin(groupId?: number) {
  const channel = await harness.start()
  const ada = harness.api.person(ADA, groupId === undefined ? {} : { groupId })
  ada.says(groupId === undefined ? 'Tell me' : '@helper_bot tell me')
  await harness.until(async () => (await harness.tasks()).length === 1)
  const claim = await harness.claim()
  const { task } = claim
  const say = (text: string) => channel.progress({ task, text })
  const reply = (text: string, of: Task = task) =>
    channel.reply({ task: of, text, mayBeRepeated: false })
  return { channel, ada, claim, say, reply }
}

describe('an answer that is being written', () => {
  it('is shown by a message that is edited now and then, and becomes the reply', async () => {
    const { say, reply } = await begin()
    say('One')
    say('One **two**')
    await pass(1_000)
    await harness.until(() => shown().length === 1)
    expect(texts()).toEqual(['One two …'])
    for (const text of ['One two three', 'One two three four']) say(text)
    await pass(2_500)
    await harness.until(() => texts()[0] === 'One two three four …')
    await reply('One two three four five.')
    expect(texts()).toEqual(['One two three four five.'])
    expect(shown()[0]?.edits).toBe(2)
  })

  it('is shown as a reply in a group, with fewer edits', async () => {
    const { say, reply } = await begin(GROUP)
    say('One')
    await pass(1_000)
    await harness.until(() => shown(GROUP).length === 1)
    say('One two')
    await pass(6_000)
    await harness.until(() => texts(GROUP)[0] === 'One two …')
    await reply('One two three.')
    expect(texts(GROUP)).toEqual(['One two three.'])
    expect(shown(GROUP)[0]?.repliesTo).toBe(101)
  })

  it('is not shown when it is there at once', async () => {
    const { say, reply } = await begin()
    say('One')
    await reply('One.')
    expect(texts()).toEqual(['One.'])
    expect(harness.api.calls.filter(({ method }) => method === 'editMessageText')).toEqual([])
  })

  it('goes away when a question comes in its place', async () => {
    const { say, claim } = await begin()
    say('I will write it down')
    await pass(1_000)
    await harness.until(() => shown().length === 1)
    await harness.park(claim, [{}])
    await harness.until(() => shown().some(({ buttons }) => buttons.length > 0))
    await harness.until(() => shown().length === 1)
    expect(texts()[0]).toContain('May I do this?')
  })

  it('comes anew below messages that came meanwhile, and the draft goes', async () => {
    const { ada, say, reply } = await begin()
    say('One')
    await pass(1_000)
    await harness.until(() => shown().length === 1)
    ada.says('Another thing')
    await harness.until(async () => (await harness.tasks()).length === 2)
    await reply('One two.')
    expect(texts()).toEqual(['One two.'])
    expect(shown()[0]?.repliesTo).toBe(101)
  })

  it('waits for nothing: what does not get through is left out, and the reply comes', async () => {
    const { say, reply } = await begin()
    harness.api.fail({ method: 'sendMessage', by: 502 })
    say('One')
    await pass(1_000)
    await harness.until(() => harness.api.calls.some(({ status }) => status === 502))
    say('One two')
    await reply('One two three.')
    expect(texts()).toEqual(['One two three.'])
  })

  it('is sent anew when an edit of the draft may still come, which is removed', async () => {
    const { say, reply } = await begin()
    say('One')
    await pass(1_000)
    await harness.until(() => shown().length === 1)
    const [{ id } = { id: 0 }] = shown()
    harness.api.fail({ method: 'editMessageText', by: 'cut-after' })
    say('One two')
    await pass(2_500)
    await harness.until(() => texts()[0] === 'One two …')
    await reply('One two three.')
    await harness.until(() => shown().length === 1)
    expect(texts()).toEqual(['One two three.'])
    expect(shown()[0]?.id).not.toBe(id)
  })

  it('goes when its process ends and another one sends the reply', async () => {
    const { say, claim } = await begin()
    say('One')
    await pass(1_000)
    await harness.until(() => shown().length === 1)
    await harness.channel.stop({ graceMs: 0 })
    const next = await harness.start()
    await next.reply({ task: claim.task, text: 'One two.', mayBeRepeated: true })
    expect(texts()).toEqual(['One two.'])
  })

  it('goes when its process ends and another one writes the answer anew', async () => {
    const { say, claim } = await begin()
    say('One')
    await pass(1_000)
    await harness.until(() => shown().length === 1)
    await harness.channel.stop({ graceMs: 0 })
    const next = await harness.start()
    next.progress({ task: claim.task, text: 'Uno' })
    await pass(1_000)
    await harness.until(() => texts()[0] === 'Uno …')
    expect(texts()).toEqual(['Uno …'])
    await next.reply({ task: claim.task, text: 'Uno due.', mayBeRepeated: true })
    expect(texts()).toEqual(['Uno due.'])
  })

  it('goes when its process ends and another one asks in its place', async () => {
    const { say, claim } = await begin()
    say('I will write it down')
    await pass(1_000)
    await harness.until(() => shown().length === 1)
    await harness.channel.stop({ graceMs: 0 })
    await harness.start()
    await harness.park(claim, [{}])
    await harness.until(() => shown().length === 1 && shown()[0]?.buttons.length !== 0)
    expect(texts()[0]).toContain('May I do this?')
  })

  it('that became the reply stays when the next process looks for drafts', async () => {
    const { say, reply, claim } = await begin()
    say('One')
    await pass(1_000)
    await harness.until(() => shown().length === 1)
    await reply('One two.')
    await harness.inbox.complete(claim)
    await harness.channel.stop({ graceMs: 0 })
    await harness.start()
    await harness.pass(1)
    expect(texts()).toEqual(['One two.'])
    expect(await harness.records.ofBot(harness.channel.botId).drafts.taskIds()).toEqual([])
  })

  it('is sent anew when somebody has deleted the draft', async () => {
    const { say, reply } = await begin()
    say('One')
    await pass(1_000)
    await harness.until(() => shown().length === 1)
    harness.api.answer('deleteMessage', { chat_id: ADA, message_id: shown()[0]!.id })
    await reply('One two.')
    expect(texts()).toEqual(['One two.'])
  })
})
