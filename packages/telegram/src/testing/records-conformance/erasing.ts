import assert from 'node:assert/strict'
import type { Update } from 'grammy/types'
import type { BotRecords, KeptDecision } from '../../telegram-records.ts'
import { GROUP, recordsTest, type RecordsTest } from './records-test.ts'

const BOT = 7_000_000_001
const ADA = 11
const BEN = 12
const ALONE = `telegram:${BOT}:${ADA}`
const TOGETHER = `telegram:${BOT}:${GROUP}`
const TOPIC = `telegram:${BOT}:${GROUP}:5`

const YES: KeptDecision = {
  outcome: 'no',
  words: 'as I said',
  userId: ADA,
  userName: 'Ada',
  at: 1,
}

/** A message that became a task, and a question about that. */
async function fill(
  bot: BotRecords,
  task: {
    readonly taskId: string
    readonly conversationId: string
    readonly userId: number
    readonly chatId: number
  },
): Promise<void> {
  const { taskId, chatId } = task
  await bot.messages.take({ ...task, messageId: 1, takenAt: 1_700_000_000_000 })
  await bot.replies.begin(taskId, 'digest', false)
  await bot.replies.sent(taskId, 2)
  await bot.drafts.note(taskId, { chatId, messageId: 2 })
  await ask(bot, taskId, chatId, 0)
}

function ask(bot: BotRecords, taskId: string, chatId: number, round: number): Promise<boolean> {
  const call = { input: 'what was said' }
  const one = { callKey: 'k', round, call, askedAt: 1, expiresAt: undefined }
  return bot.asks.open({ token: `${taskId} ${round}`, taskId, chatId, ...one })
}

function update(id: number, chatId: number, userId: number, topic?: number): Update {
  const user = { id: userId, is_bot: false, first_name: 'Name' }
  const chat = { id: chatId, type: 'private' as const, first_name: 'Name' }
  const thread = topic === undefined ? {} : { is_topic_message: true, message_thread_id: topic }
  const message = { message_id: id, date: 1, chat, from: user, text: 'not read yet', ...thread }
  // As the API sends them: the types ask for more than the channel reads.
  return JSON.parse(JSON.stringify({ update_id: id, message }))
}

const openIds = async (bot: BotRecords) => (await bot.updates.open()).map((one) => one.update_id)

/** What is erased with a conversation or a user, by the stores of the same backend. */
export const erasingTests: readonly RecordsTest[] = [
  recordsTest('forget what was said in a conversation, not that it came', async (tested) => {
    const { one, same, erase } = tested
    await fill(one, { taskId: 'a', conversationId: TOGETHER, userId: ADA, chatId: GROUP })
    await fill(one, { taskId: 'b', conversationId: TOPIC, userId: ADA, chatId: GROUP })
    await one.updates.keep(
      [update(1, GROUP, ADA), update(2, GROUP, ADA, 5), update(3, ADA, ADA)],
      'polling',
    )
    assert.equal((await erase({ conversationId: TOGETHER })).messages, 4)
    assert.equal(await same.asks.get('a 0'), undefined)
    assert.deepEqual(await same.replies.progress('a'), { sentParts: 0, isSending: false })
    assert.equal(await same.drafts.find('a'), undefined)
    assert.deepEqual(await openIds(same), [2, 3])
    assert.equal(await same.messages.has('a'), true, 'it would be taken again')
    assert.deepEqual(await same.messages.openOf(TOGETHER), [])
    assert.deepEqual(await same.messages.takenSince('user', ADA, 0), [1_700_000_000_000])
    assert.equal((await same.asks.get('b 0'))?.taskId, 'b', 'another topic is gone')
    assert.equal((await erase({ conversationId: TOGETHER })).messages, 0)
  }),

  recordsTest('ask nobody about a task that was erased', async ({ one, same, erase }) => {
    await fill(one, { taskId: 'a', conversationId: TOGETHER, userId: ADA, chatId: GROUP })
    await erase({ conversationId: TOGETHER })
    assert.equal(await ask(same, 'a', GROUP, 1), false)
    assert.deepEqual(await same.asks.ofTask('a'), [])
    await fill(one, { taskId: 'b', conversationId: TOGETHER, userId: ADA, chatId: GROUP })
    assert.equal((await same.asks.ofTask('b')).length, 1, 'the chat does not go on')
  }),

  recordsTest('forget a user, also among others', async ({ one, same, erase }) => {
    await fill(one, { taskId: 'alone', conversationId: ALONE, userId: ADA, chatId: ADA })
    await fill(one, { taskId: 'own', conversationId: TOGETHER, userId: ADA, chatId: GROUP })
    await fill(one, { taskId: 'of ben', conversationId: TOGETHER, userId: BEN, chatId: GROUP })
    await one.asks.decide('of ben 0', YES)
    await one.notices.isDue(ADA, 'stranger')
    await one.updates.keep([update(1, GROUP, ADA), update(2, GROUP, BEN)], 'polling')
    await erase({ user: `telegram:${ADA}` })
    assert.deepEqual(await openIds(same), [2])
    assert.deepEqual([await same.asks.ofTask('alone'), await same.asks.ofTask('own')], [[], []])
    assert.deepEqual(await same.messages.takenSince('user', ADA, 0), [])
    const [asked] = await same.asks.ofTask('of ben')
    assert.deepEqual(asked?.decision, { outcome: 'no', userId: 0, userName: '', at: 1 })
    assert.deepEqual(asked.call, { input: 'what was said' })
    assert.equal((await same.messages.openOf(TOGETHER)).length, 1)
    assert.equal(await same.notices.isDue(ADA, 'stranger'), true)
  }),
]
