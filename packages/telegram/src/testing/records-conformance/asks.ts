import assert from 'node:assert/strict'
import type { AskRecord, KeptDecision, NewAskRecord } from '../../telegram-records.ts'
import { DAY_MS, GROUP, recordsTest, type RecordsTest } from './records-test.ts'

function ask(token: string, more: Partial<NewAskRecord> = {}): NewAskRecord {
  return {
    token,
    chatId: GROUP,
    taskId: 'task',
    callKey: '["m",1,"call"]',
    round: 0,
    call: { toolName: 'write', input: { z: 1, a: 'zero \0, half \ud83d', list: [null, 0.1] } },
    askedAt: 1_700_000_000_000,
    expiresAt: undefined,
    ...more,
  }
}

const YES: KeptDecision = { outcome: 'yes', userId: 11, userName: 'Ada', at: 1 }
const NO: KeptDecision = { outcome: 'no', words: 'zero \0', userName: 'Ben', at: 2 }

function tokensOf(asks: readonly AskRecord[]): string[] {
  return asks.map(({ token }) => token)
}

/** Questions to people, and what they decided. */
export const askTests: readonly RecordsTest[] = [
  recordsTest('keep a question as it was asked', async ({ one, same, stranger }) => {
    const { askedAt: _askedAt, ...asked } = ask('a', { expiresAt: 1_700_000_000_005 })
    assert.equal(await one.asks.open(ask('a', { expiresAt: 1_700_000_000_005 })), true)
    assert.deepEqual(await same.asks.get('a'), {
      ...asked,
      messageId: undefined,
      confirmingBy: undefined,
      decision: undefined,
      isDelivered: false,
      isOver: false,
    })
    const { call } = (await same.asks.get('a')) ?? {}
    assert.equal(JSON.stringify(call), JSON.stringify(asked.call), 'its JSON changed')
    assert.equal(await stranger.asks.get('a'), undefined)
    assert.equal(await one.asks.get('b'), undefined)
  }),

  recordsTest('ask about a call once in a round', async ({ one, same }) => {
    const opened = await Promise.all([
      one.asks.open(ask('a')),
      same.asks.open(ask('b')),
      one.asks.open(ask('c', { round: 1 })),
      same.asks.open(ask('d', { callKey: '["m",1,"other"]' })),
    ])
    assert.equal(opened[0] !== opened[1], true, 'two ask the same')
    assert.deepEqual(opened.slice(2), [true, true])
  }),

  recordsTest('list what was asked, oldest first', async ({ one, same, stranger }) => {
    await one.asks.open(ask('later', { askedAt: 1_700_000_000_001, callKey: 'x' }))
    await one.asks.open(ask('round 1', { round: 1 }))
    await one.asks.open(ask('round 0'))
    await one.asks.open(ask('other', { taskId: 'other', askedAt: 1_700_000_000_002 }))
    assert.deepEqual(tokensOf(await same.asks.ofTask('task')), ['round 0', 'round 1', 'later'])
    await one.asks.setOver('round 1')
    assert.deepEqual(tokensOf(await same.asks.notOver()), ['round 0', 'later', 'other'])
    assert.deepEqual(tokensOf(await same.asks.ofTask('task')), ['round 0', 'round 1', 'later'])
    assert.deepEqual(await stranger.asks.notOver(), [])
  }),

  recordsTest('find a question by its message, in its own chat', async ({ one, same }) => {
    await one.asks.open(ask('a'))
    assert.equal(await same.asks.byMessage(GROUP, 9), undefined)
    await one.asks.setMessage('a', 9)
    assert.equal((await same.asks.byMessage(GROUP, 9))?.token, 'a')
    assert.equal(await same.asks.byMessage(11, 9), undefined)
  }),

  recordsTest('note who confirms, and take it back', async ({ one, same, stranger }) => {
    await one.asks.open(ask('a'))
    await one.asks.setConfirming('a', 11)
    assert.equal((await same.asks.get('a'))?.confirmingBy, 11)
    await stranger.asks.setConfirming('a', 12)
    assert.equal((await same.asks.get('a'))?.confirmingBy, 11, 'another bot changes it')
    await same.asks.setConfirming('a', undefined)
    assert.equal((await one.asks.get('a'))?.confirmingBy, undefined)
  }),

  recordsTest('keep the first decision', async ({ one, same, stranger }) => {
    await one.asks.open(ask('a'))
    await stranger.asks.decide('a', NO)
    assert.equal((await same.asks.get('a'))?.decision, undefined, 'another bot decides')
    assert.deepEqual(await one.asks.decide('a', YES), { decision: YES, isFirst: true })
    assert.deepEqual(await same.asks.decide('a', NO), { decision: YES, isFirst: false })
    assert.deepEqual((await one.asks.get('a'))?.decision, YES)
    await one.asks.open(ask('b', { round: 1 }))
    assert.deepEqual(await same.asks.decide('b', NO), { decision: NO, isFirst: true })
  }),

  recordsTest('keep one of many decisions at once', async ({ one, same }) => {
    await one.asks.open(ask('a'))
    const held = await Promise.all(
      Array.from({ length: 10 }, (_, at) =>
        (at % 2 ? one : same).asks.decide('a', { ...YES, userId: at }),
      ),
    )
    assert.equal(held.filter(({ isFirst }) => isFirst).length, 1)
    assert.equal(new Set(held.map(({ decision }) => decision.userId)).size, 1, 'two hold')
  }),

  recordsTest('know what was handed over, and forget it in the end', async (tested) => {
    const { one, same, advance } = tested
    await one.asks.open(ask('a'))
    await one.asks.setDelivered('a')
    assert.equal((await same.asks.get('a'))?.isDelivered, true)
    await one.asks.setOver('a')
    assert.equal((await same.asks.get('a'))?.isOver, true)
    await advance(30 * DAY_MS + 1)
    await one.asks.open(ask('open', { round: 1 }))
    await one.notices.prune()
    assert.equal(await same.asks.get('a'), undefined)
    assert.equal((await same.asks.get('open'))?.token, 'open')
  }),
]
