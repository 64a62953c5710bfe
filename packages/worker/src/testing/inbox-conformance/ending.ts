import assert from 'node:assert/strict'
import {
  addTasks,
  assertNothingToClaim,
  claimTask,
  inboxTest,
  type InboxTest,
} from './inbox-test.ts'

const ERROR = { code: 'http_status', message: 'The model was busy.' }

export const endingTests: readonly InboxTest[] = [
  inboxTest('tries a failed task again when it is due, before those behind it', async (tested) => {
    const { inbox, now, advance } = tested
    await addTasks(inbox, { a: 'one', b: 'one' })
    assert.equal(await inbox.fail(await claimTask(inbox, 'a'), ERROR, 700), true)
    const failed = await inbox.get('a')
    assert.deepEqual(
      [failed?.state, failed?.attempts, failed?.error, failed?.dueAt],
      ['queued', 1, ERROR, now() + 700],
    )
    await assertNothingToClaim(inbox, 'it, or the one behind it, came too early')
    await advance(700)
    assert.equal((await claimTask(inbox, 'a')).task.attempts, 2)
  }),

  inboxTest('buries a task when its attempts are used up', async ({ inbox }) => {
    await inbox.add({ id: 'a', conversationId: 'one', input: 1, maxAttempts: 2 })
    await inbox.fail(await claimTask(inbox, 'a'), ERROR, 0)
    await inbox.fail(await claimTask(inbox, 'a'), ERROR, 0)
    const dead = await inbox.get('a')
    assert.deepEqual([dead?.state, dead?.attempts, dead?.error], ['dead', 2, ERROR])
    await assertNothingToClaim(inbox, 'a dead task was given out')
  }),

  inboxTest(
    'buries a task at once when another attempt is in vain, and goes on',
    async (tested) => {
      const { inbox } = tested
      await addTasks(inbox, { a: 'one', b: 'one' })
      await inbox.fail(await claimTask(inbox, 'a'), ERROR, undefined)
      assert.equal((await inbox.get('a'))?.state, 'dead')
      await claimTask(inbox, 'b')
    },
  ),

  inboxTest('replays a dead task with all its attempts, behind the others', async (tested) => {
    const { inbox, other } = tested
    await addTasks(inbox, { a: 'one', b: 'one' })
    await inbox.fail(await claimTask(inbox, 'a'), ERROR, undefined)
    const claim = await claimTask(inbox, 'b')
    await addTasks(inbox, { c: 'one' })
    assert.equal(await other.replay('a'), true)
    assert.equal(await other.replay('a'), false)
    await assertNothingToClaim(inbox, 'a replayed task came beside another of its conversation')
    await inbox.complete(claim)
    await inbox.complete(await claimTask(inbox, 'c'))
    const { task } = await claimTask(inbox, 'a')
    assert.deepEqual([task.attempts, task.error], [1, ERROR])
  }),

  inboxTest('replays the only task of a conversation', async ({ inbox }) => {
    await addTasks(inbox, { a: 'one' })
    await inbox.fail(await claimTask(inbox, 'a'), ERROR, undefined)
    assert.equal(await inbox.replay('a'), true)
    await claimTask(inbox, 'a')
  }),

  inboxTest('gives a dead task up for good', async ({ inbox }) => {
    await addTasks(inbox, { a: 'one' })
    await inbox.fail(await claimTask(inbox, 'a'), ERROR, undefined)
    assert.equal(await inbox.discard('a'), true)
    assert.equal((await inbox.get('a'))?.state, 'failed')
    assert.equal(await inbox.discard('a'), false)
    assert.equal(await inbox.replay('a'), false)
    await assertNothingToClaim(inbox, 'a task that was given up was given out')
  }),

  inboxTest('replays and discards dead tasks only', async ({ inbox }) => {
    await addTasks(inbox, { a: 'one', b: 'two', c: 'three' })
    await inbox.complete(await claimTask(inbox, 'a'))
    await inbox.park(await claimTask(inbox, 'b'), 1)
    for (const id of ['a', 'b', 'c', 'none']) {
      assert.equal(await inbox.replay(id), false, `${id} was replayed`)
      assert.equal(await inbox.discard(id), false, `${id} was discarded`)
    }
  }),
]
