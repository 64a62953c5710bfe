import assert from 'node:assert/strict'
import type { TakenMessage } from '../../telegram-records.ts'
import { DAY_MS, GROUP, recordsTest, type RecordsTest } from './records-test.ts'

function message(messageId: number, more: Partial<TakenMessage> = {}): TakenMessage {
  return {
    taskId: `task ${messageId}`,
    conversationId: 'c',
    chatId: GROUP,
    userId: 11,
    messageId,
    takenAt: 1_700_000_000_000 + messageId,
    ...more,
  }
}

function idsOf(messages: readonly TakenMessage[]): number[] {
  return messages.map(({ messageId }) => messageId)
}

/** Messages that became tasks. */
export const messageTests: readonly RecordsTest[] = [
  recordsTest('take a message once', async ({ one, same, stranger }) => {
    assert.equal(await one.messages.has('task 1'), false)
    assert.equal(await one.messages.take(message(1)), true)
    assert.equal(await same.messages.take(message(1, { conversationId: 'other' })), false)
    assert.equal(await same.messages.has('task 1'), true)
    assert.equal(await stranger.messages.has('task 1'), false)
    assert.deepEqual(await same.messages.openOf('c'), [message(1)])
  }),

  recordsTest('say once that a task is over', async ({ one, same }) => {
    await one.messages.take(message(1))
    await one.messages.take(message(2))
    const ends = await Promise.all([one.messages.end('task 1'), same.messages.end('task 1')])
    assert.deepEqual(ends.toSorted(), [false, true])
    assert.equal(await one.messages.end('nothing'), false)
    assert.deepEqual(idsOf(await same.messages.openOf('c')), [2])
  }),

  recordsTest('list what is open, oldest first', async ({ one, same, stranger }) => {
    const early = 1_700_000_000_000
    await one.messages.take(message(3, { takenAt: early }))
    await one.messages.take(message(2, { takenAt: early }))
    await one.messages.take(message(1, { takenAt: early + 1, chatId: 11 }))
    await one.messages.take(message(4, { takenAt: early + 2, conversationId: 'd' }))
    assert.deepEqual(idsOf(await same.messages.openOf('c')), [2, 3, 1])
    assert.deepEqual(idsOf(await same.messages.openInChat(GROUP, early - 1)), [2, 3, 4])
    assert.deepEqual(idsOf(await same.messages.openInChat(GROUP, early)), [4])
    assert.deepEqual(await stranger.messages.openOf('c'), [])
  }),

  recordsTest('know the first that is open of every conversation', async ({ one, same }) => {
    await one.messages.take(message(10))
    await one.messages.take(message(9))
    await one.messages.take(message(11, { conversationId: 'd' }))
    const heads = async () => idsOf(await same.messages.heads()).toSorted((a, b) => a - b)
    assert.deepEqual(await heads(), [9, 11])
    const [first] = await same.messages.heads()
    assert.deepEqual(first && first.messageId === 9 ? first : undefined, message(9))
    await one.messages.end('task 9')
    assert.deepEqual(await heads(), [10, 11])
    await one.messages.end('task 11')
    assert.deepEqual(await heads(), [10])
  }),

  recordsTest('count what somebody said, also what is over', async ({ one, same, stranger }) => {
    await one.messages.take(message(2))
    await one.messages.take(message(1, { userId: 12 }))
    await one.messages.end('task 2')
    const at = (id: number) => message(id).takenAt
    assert.deepEqual(await same.messages.takenSince('chat', GROUP, 0), [at(1), at(2)])
    assert.deepEqual(await same.messages.takenSince('user', 11, 0), [at(2)])
    assert.deepEqual(await same.messages.takenSince('chat', GROUP, at(1)), [at(2)])
    assert.deepEqual(await stranger.messages.takenSince('chat', GROUP, 0), [])
  }),

  recordsTest('know whether something was said after it', async ({ one, same, stranger }) => {
    await one.messages.take(message(1))
    await one.messages.take(message(2, { conversationId: 'd' }))
    await stranger.messages.take(message(3))
    assert.equal(await same.messages.hasLater('task 1'), false)
    await one.messages.take(message(3))
    assert.equal(await same.messages.hasLater('task 1'), true)
    assert.equal(await same.messages.hasLater('task 3'), false)
  }),

  recordsTest('forget messages whose tasks are over for 30 days', async ({ one, advance }) => {
    await one.messages.take(message(1))
    await one.messages.take(message(2))
    await one.messages.end('task 1')
    await advance(30 * DAY_MS + 1)
    await one.notices.prune()
    assert.deepEqual(
      [await one.messages.has('task 1'), await one.messages.has('task 2')],
      [false, true],
    )
  }),

  recordsTest('know which conversation a chat is in, also after a long time', async (tested) => {
    const { one, same, stranger, advance, erase } = tested
    const begun = (messageId: number, conversationId: string) => ({
      place: 'telegram:1:11',
      chatId: 11,
      conversationId,
      messageId,
    })
    assert.equal(await one.places.conversation('telegram:1:11'), undefined)
    assert.equal(await one.places.begin(begun(5, 'second')), true)
    assert.equal(await same.places.begin(begun(5, 'second')), false, 'the same message began twice')
    assert.equal(await same.places.begin(begun(9, 'third')), true)
    assert.equal(await one.places.begin(begun(5, 'second')), false, 'an older message won')
    await advance(60 * DAY_MS)
    await one.notices.prune()
    assert.equal(await same.places.conversation('telegram:1:11'), 'third')
    assert.equal(await same.places.conversation('telegram:1:12'), undefined)
    assert.equal(await stranger.places.conversation('telegram:1:11'), undefined)
    await erase({ user: 'telegram:11' })
    assert.equal(await one.places.conversation('telegram:1:11'), undefined)
  }),
]
