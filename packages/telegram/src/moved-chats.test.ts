import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { BOT_ID } from '../test/fake-bot-api.ts'
import { ADA, GROUP, openHarness, type ChannelHarness } from '../test/channel-harness.ts'

let harness: ChannelHarness

beforeEach(async () => {
  harness = await openHarness()
})

afterEach(() => harness.close())

const records = () => harness.records.ofBot(BOT_ID).chats
const MOVED = -1_002_003_004_005
const texts = (chatId: number) => harness.api.shown(chatId).map(({ text }) => text)
const count = (many: number) => async () => (await harness.tasks()).length === many

describe('a group that becomes a supergroup', () => {
  it('gets its replies where it is now, also after a restart', async () => {
    const { api } = harness
    const channel = await harness.start()
    api.person(ADA, { groupId: GROUP }).says('@helper_bot one')
    await harness.until(count(1))
    const [task] = await harness.tasks()
    api.migrate(GROUP, MOVED, { isTold: false })
    await channel.reply({ task: task!, text: 'First', mayBeRepeated: false })
    await channel.stop()
    const next = await harness.start()
    await next.reply({ task: task!, text: 'Second', mayBeRepeated: false })
    expect(texts(MOVED)).toEqual(['First', 'Second'])
    const refused = api.calls.filter(({ status }) => status === 400)
    expect(refused).toHaveLength(1)
  })

  it('keeps its conversation and who may what', async () => {
    const { api } = harness
    await harness.start()
    api.person(ADA, { groupId: GROUP }).says('@helper_bot one')
    await harness.until(count(1))
    api.migrate(GROUP, MOVED)
    api.person(ADA, { groupId: MOVED }).says('@helper_bot two')
    await harness.until(count(2))
    const [one, two] = await harness.tasks()
    expect(two?.conversationId).toBe(one?.conversationId)
  })

  it('may be allowed by the number that it has now', async () => {
    const { api } = harness
    await harness.start({ allow: [{ chat: MOVED, may: ['talk'] }] })
    api.migrate(GROUP, MOVED)
    api.person(ADA, { groupId: MOVED }).says('@helper_bot two')
    await harness.until(count(1))
    expect((await harness.tasks())[0]?.conversationId).toContain(String(GROUP))
  })

  it('is asked again there what nobody had decided', async () => {
    const { api } = harness
    await harness.start()
    api.person(ADA, { groupId: GROUP }).says('@helper_bot one')
    await harness.until(count(1))
    const claim = await harness.claim()
    await harness.park(claim, [{}])
    await harness.until(() => api.shown(GROUP).length === 1)
    api.migrate(GROUP, MOVED)
    const ada = api.person(ADA, { groupId: MOVED })
    await harness.until(async () => (await records().moves()).length > 0)
    await harness.pass(60_000)
    await harness.until(() => api.shown(MOVED).length === 1)
    ada.presses(harness.last(MOVED).id, 'Approve')
    await harness.until(
      async () => ((await harness.inbox.get(claim.task.id))?.answers.length ?? 0) > 0,
    )
    expect((await harness.tasks())[0]?.state).toBe('queued')
  })
})

it('a topic that was deleted gets its reply in its group', async () => {
  const { api } = harness
  const channel = await harness.start()
  api.person(ADA, { groupId: GROUP, threadId: 7 }).says('@helper_bot one')
  await harness.until(count(1))
  const [task] = await harness.tasks()
  await channel.reply({ task: task!, text: 'In the topic', mayBeRepeated: false })
  api.deleteTopic(GROUP, 7)
  await channel.reply({ task: task!, text: 'In the group', mayBeRepeated: false })
  expect(harness.api.shown(GROUP).map(({ text, threadId }) => [text, threadId])).toEqual([
    ['In the topic', 7],
    ['In the group', undefined],
  ])
})
