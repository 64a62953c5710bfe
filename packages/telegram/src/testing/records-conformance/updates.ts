import assert from 'node:assert/strict'
import type { Update } from 'grammy/types'
import { DAY_MS, GROUP, recordsTest, type RecordsTest } from './records-test.ts'

function update(id: number, text = 'hi'): Update {
  const chat = { id: GROUP, type: 'supergroup', title: 'office' } as const
  const from = { id: 11, is_bot: false, first_name: 'Ada' }
  return { update_id: id, message: { message_id: id, date: 1, chat, from, text } }
}

function idsOf(updates: readonly Update[]): number[] {
  return updates.map((one) => one.update_id)
}

/** Updates, notices, and how much of a reply went out. */
export const updateTests: readonly RecordsTest[] = [
  recordsTest('keep an update once, as it came', async ({ one, same, stranger }) => {
    const first = update(5, 'zero \0, half \ud83d, "quote"')
    assert.deepEqual(await one.updates.keep([first, update(6)], 'polling'), [first, update(6)])
    assert.deepEqual(idsOf(await same.updates.keep([update(6), update(7)], 'polling')), [7])
    assert.deepEqual(idsOf(await one.updates.keep([update(5), update(8)], 'webhook')), [8])
    assert.deepEqual(await same.updates.open(), [first, update(6), update(7), update(8)])
    assert.deepEqual(await stranger.updates.open(), [])
    assert.deepEqual(await one.updates.keep([], 'polling'), [])
  }),

  recordsTest('keep an update for one of two who bring it at once', async ({ one, same }) => {
    const kept = await Promise.all(
      Array.from({ length: 10 }, (_, at) =>
        (at % 2 ? one : same).updates.keep([update(1)], 'webhook'),
      ),
    )
    assert.equal(kept.flat().length, 1)
  }),

  recordsTest('forget what an update said once it is dealt with', async ({ one, same }) => {
    await one.updates.keep([update(1), update(2)], 'polling')
    await same.updates.close(1)
    assert.deepEqual(idsOf(await one.updates.open()), [2])
    assert.deepEqual(await one.updates.keep([update(1)], 'polling'), [])
  }),

  recordsTest('know from where to ask, for six days', async ({ one, same, stranger, advance }) => {
    assert.equal(await one.updates.nextOffset(), undefined)
    await one.updates.keep([update(3), update(4)], 'polling')
    assert.equal(await same.updates.nextOffset(), 5)
    await same.updates.keep([update(9)], 'webhook')
    assert.equal(await one.updates.nextOffset(), 5, 'a webhook moves the offset')
    assert.equal(await stranger.updates.nextOffset(), undefined)
    await advance(6 * DAY_MS)
    assert.equal(await one.updates.nextOffset(), undefined)
    await one.updates.keep([update(2)], 'polling')
    assert.equal(await one.updates.nextOffset(), 3, 'the numbers began anew')
  }),

  recordsTest('tell a chat once a day', async ({ one, same, stranger, advance }) => {
    assert.equal(await one.notices.isDue(GROUP, 'stranger'), true)
    assert.equal(await same.notices.isDue(GROUP, 'stranger'), false)
    assert.equal(await one.notices.isDue(GROUP, 'other'), true)
    assert.equal(await stranger.notices.isDue(GROUP, 'stranger'), true)
    await advance(DAY_MS - 1)
    assert.equal(await one.notices.isDue(GROUP, 'stranger'), false)
    await advance(1)
    assert.equal(await same.notices.isDue(GROUP, 'stranger'), true)
  }),

  recordsTest('forget what is over for 30 days, and nothing else', async (tested) => {
    const { one, stranger, advance } = tested
    for (const { updates } of [one, stranger]) {
      await updates.keep([update(1), update(2)], 'polling')
      await updates.close(1)
    }
    await advance(30 * DAY_MS)
    await one.notices.prune()
    assert.deepEqual(await one.updates.keep([update(1)], 'webhook'), [], 'it is forgotten too soon')
    await advance(1)
    await one.notices.prune()
    assert.deepEqual(idsOf(await one.updates.keep([update(1), update(2)], 'webhook')), [1])
    assert.deepEqual(await stranger.updates.keep([update(1)], 'webhook'), [])
  }),

  recordsTest('know how much of a reply went out', async ({ one, same, stranger }) => {
    const { replies } = one
    assert.deepEqual(await replies.progress('t'), { sentParts: 0, isSending: false })
    assert.deepEqual(await replies.begin('t', 'a', false), { sentParts: 0, isSending: false })
    await replies.sending('t')
    await replies.sent('t', 1)
    await replies.sending('t')
    const half = { sentParts: 1, isSending: true }
    assert.deepEqual(await same.replies.progress('t'), half)
    assert.deepEqual(await same.replies.begin('t', 'a', true), half)
    assert.deepEqual(await stranger.replies.progress('t'), { sentParts: 0, isSending: false })
    const none = { sentParts: 0, isSending: false }
    assert.deepEqual(await same.replies.begin('t', 'b', true), none, 'another text goes on')
    await same.replies.sent('t', 1)
    assert.deepEqual(await one.replies.begin('t', 'b', false), none, 'a new one goes on')
    assert.deepEqual(await one.replies.progress('t'), none)
  }),
]
