import assert from 'node:assert/strict'
import { GROUP, recordsTest, type RecordsTest } from './records-test.ts'

/** Chats that move. */
export const chatTests: readonly RecordsTest[] = [
  recordsTest('know where a chat is now', async ({ one, same, stranger }) => {
    assert.deepEqual(await one.chats.moves(), [])
    await one.chats.move(-900, GROUP)
    await same.chats.move(-901, -5)
    await same.chats.move(-901, -6)
    const moves = (await one.chats.moves()).toSorted((a, b) => b.from - a.from)
    assert.deepEqual(moves, [
      { from: -900, to: GROUP },
      { from: -901, to: -6 },
    ])
    assert.deepEqual(await stranger.chats.moves(), [])
  }),

  recordsTest('ask again in the new chat what nobody decided in the old one', async (of) => {
    const { one, same } = of
    for (const [at, token] of ['open', 'decided', 'over', 'elsewhere'].entries()) {
      const chatId = token === 'elsewhere' ? -901 : -900
      const ask = { token, chatId, taskId: token, callKey: 'k', round: 0, call: null }
      await one.asks.open({ ...ask, askedAt: at, expiresAt: undefined })
      await one.asks.setMessage(token, 100 + at)
    }
    await one.asks.decide('decided', { outcome: 'no', userName: 'Ada', at: 5 })
    await one.asks.setOver('over')
    await same.chats.move(-900, GROUP)
    const shown = ['open', 'decided', 'over', 'elsewhere'].map(
      async (token) => (await one.asks.get(token))?.messageId,
    )
    assert.deepEqual(await Promise.all(shown), [undefined, 101, 102, 103])
  }),
]
