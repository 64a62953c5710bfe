import assert from 'node:assert/strict'
import { conversationsIn, erasureTest, fill, type ErasureTest } from './erasure-test.ts'

const SAID = 'marigold'
const KEPT = 'tulip'
/** What databases and JSON stumble over. */
const ODD = 'a"b\\c,"\\u0041%_ 👍'
const NOTHING = { records: 0, calls: 0, tasks: 0, messages: 0, entries: 0 }

export const erasingTests: readonly ErasureTest[] = [
  erasureTest('erases a conversation wherever something of it is kept', async (tested) => {
    const { stores, other, contents } = tested
    await fill(tested, { conversationId: ODD }, SAID)
    await fill(tested, { conversationId: 'kept' }, KEPT)
    assert.ok((await contents()).includes(SAID), 'it was not kept')
    const erased = await stores.erase({ conversationId: ODD }, { who: 'grace' })
    assert.deepEqual(erased, { records: 5, calls: 2, tasks: 1, messages: 0, entries: 3 })
    const all = await contents()
    assert.ok(!all.includes(SAID), 'it is still there')
    assert.ok(all.includes(KEPT), 'another one is gone')
    assert.deepEqual(await conversationsIn(tested), [{ id: 'kept', owner: undefined }])
    assert.equal((await other.inbox.get('task of kept'))?.input, KEPT)
    assert.deepEqual(await other.erase({ conversationId: ODD }), NOTHING)
    if (other.audit) assert.equal((await other.audit.verify()).valid, true)
  }),

  erasureTest(
    'erases the conversation of one owner, and leaves those of others',
    async (tested) => {
      const { stores, contents } = tested
      await fill(tested, { conversationId: 'c', owner: ODD }, SAID)
      await fill(tested, { conversationId: 'c', owner: 'bob' }, KEPT)
      await fill(tested, { conversationId: 'c' }, 'daisy')
      const erased = await stores.erase({ conversationId: 'c', owner: ODD })
      assert.deepEqual([erased.records, erased.calls, erased.tasks], [5, 2, 0])
      const all = await contents()
      assert.deepEqual(
        [all.includes(SAID), all.includes(KEPT), all.includes('daisy')],
        [false, true, true],
      )
      assert.equal((await conversationsIn(tested)).length, 2)
      await stores.erase({ conversationId: 'c' })
      const rest = await contents()
      assert.deepEqual([rest.includes(KEPT), rest.includes('daisy')], [false, false])
      assert.deepEqual(await conversationsIn(tested), [])
    },
  ),

  erasureTest('erases everything of a user, and what the user decided', async (tested) => {
    const { stores, ledger, contents } = tested
    await fill(tested, { conversationId: 'one', owner: 'ada' }, SAID)
    await fill(tested, { conversationId: 'two', owner: 'ada' }, SAID)
    await fill(tested, { conversationId: 'one', owner: 'ada2' }, KEPT)
    const key = { owner: 'bob', conversationId: 'c', approvalId: 'a', fingerprint: 'f' }
    await ledger.decide(key, false, Date.now(), 'ada')
    const erased = await stores.erase({ user: 'ada' }, { who: 'ada' })
    assert.deepEqual([erased.records, erased.calls], [10, 4])
    assert.deepEqual(await ledger.decision(key), { approved: false, by: undefined })
    const all = await contents()
    assert.deepEqual([all.includes(SAID), all.includes(KEPT)], [false, true])
    assert.deepEqual(await conversationsIn(tested), [{ id: 'one', owner: 'ada2' }])
    assert.deepEqual(await stores.erase({ user: 'ada' }), NOTHING)
  }),

  erasureTest('erases what a user of Telegram said to a bot alone', async (tested) => {
    const { stores, contents } = tested
    await fill(tested, { conversationId: 'telegram:7:11' }, SAID)
    await fill(tested, { conversationId: 'telegram:7:-11' }, KEPT)
    const erased = await stores.erase({ user: 'telegram:11' })
    assert.deepEqual([erased.records, erased.calls, erased.tasks], [5, 2, 1])
    const all = await contents()
    assert.deepEqual([all.includes(SAID), all.includes(KEPT)], [false, true])
  }),

  erasureTest('refuses to erase what is not named', async (tested) => {
    const { stores } = tested
    await fill(tested, { conversationId: 'c' }, KEPT)
    for (const subject of [
      { user: '' },
      { conversationId: '' },
      { conversationId: 'c', owner: '' },
    ]) {
      await assert.rejects(stores.erase(subject), { code: 'invalid_argument' })
    }
    assert.equal((await conversationsIn(tested)).length, 1)
  }),
]
