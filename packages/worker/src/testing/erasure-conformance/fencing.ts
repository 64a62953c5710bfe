import assert from 'node:assert/strict'
import { namespaceOf } from '@assent/engine/storage'
import { conversationsIn, erasureTest, fill, type ErasureTest } from './erasure-test.ts'

export const fencingTests: readonly ErasureTest[] = [
  erasureTest('takes an erased conversation from who holds it', async (tested) => {
    const { stores, other } = tested
    const hold = await stores.conversations.hold('c', { leaseMs: 60_000 })
    assert.ok(hold)
    const put = new Map([['about', { title: 'x' }]])
    const write = () =>
      stores.conversations.storage.write(namespaceOf('c'), { put }, { fence: hold.epoch })
    await write()
    await other.erase({ conversationId: 'c' })
    await assert.rejects(write(), { code: 'fenced' })
    await assert.rejects(hold.check(), { code: 'hold_lost' })
    assert.equal(hold.lost.aborted, true)
    assert.deepEqual(await conversationsIn(tested), [])
    await hold.release()
    // Whoever begins it anew has it.
    const next = await other.conversations.hold('c', { leaseMs: 60_000 })
    assert.ok(next && next.epoch > hold.epoch)
    await next.release()
  }),

  erasureTest('takes a conversation from its holder before anything was stored', async (tested) => {
    const { stores, other } = tested
    const hold = await stores.conversations.hold('c', { conversationOwner: 'ada', leaseMs: 60_000 })
    assert.ok(hold)
    await other.erase({ user: 'ada' })
    const put = new Map([['about', { title: 'x' }]])
    const name = namespaceOf('c', 'ada')
    const { storage } = stores.conversations
    await assert.rejects(storage.write(name, { put }, { fence: hold.epoch }), { code: 'fenced' })
    await hold.release()
  }),

  erasureTest(
    'takes a task from its worker, with its reply, and lets others go on',
    async (tested) => {
      const { stores, other } = tested
      const { inbox, replies } = stores
      await inbox.add({ id: 'a', conversationId: 'c', input: 'x' })
      await inbox.add({ id: 'b', conversationId: 'c', input: 'x' })
      await inbox.add({ id: 'z', conversationId: 'other', input: 'x' })
      const claim = await inbox.claim({ worker: 'w', leaseMs: 60_000 })
      assert.equal(claim?.task.id, 'a')
      await other.erase({ conversationId: 'c' })
      assert.equal(await replies.record(claim, { text: 'said', message: undefined }), undefined)
      assert.equal(await inbox.heartbeat(claim, 60_000), false)
      assert.equal(await inbox.park(claim, 'said'), false)
      assert.equal(await inbox.complete(claim), false)
      assert.equal(await inbox.answer('a', 'said'), false)
      const erased = await inbox.get('b')
      assert.deepEqual(
        [erased?.state, erased?.input, erased?.error?.code],
        ['failed', null, 'erased'],
      )
      assert.deepEqual(erased?.answers, [])
      assert.equal(await inbox.replay('b'), false)
      // The same task is not added again.
      assert.equal((await inbox.add({ id: 'b', conversationId: 'c', input: 'y' })).input, null)
      await inbox.add({ id: 'n', conversationId: 'c', input: 'new' })
      const next = [await inbox.claim({ worker: 'w', leaseMs: 60_000 })]
      next.push(await inbox.claim({ worker: 'w', leaseMs: 60_000 }))
      assert.deepEqual(next.map((one) => one?.task.id).toSorted(), ['n', 'z'])
    },
  ),

  erasureTest('tells lists that a conversation was taken away', async (tested) => {
    const { stores } = tested
    await fill(tested, { conversationId: 'c', owner: 'ada' }, 'x')
    await fill(tested, { conversationId: 'c' }, 'x')
    await stores.erase({ conversationId: 'c' })
    const removed = (name: string) => stores.conversations.storage.read(name)
    assert.deepEqual([...(await removed('owner/3/ada/removed')).keys()], ['c'])
    // A chat with tasks goes on.
    await fill(tested, { conversationId: 'chat' }, 'x')
    await stores.erase({ conversationId: 'chat' })
    assert.deepEqual([...(await removed('removed')).keys()], [])
  }),
]
