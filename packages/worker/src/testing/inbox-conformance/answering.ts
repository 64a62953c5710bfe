import assert from 'node:assert/strict'
import {
  addTasks,
  assertNothingToClaim,
  claimTask,
  inboxTest,
  LEASE_MS,
  type InboxTest,
} from './inbox-test.ts'

export const answeringTests: readonly InboxTest[] = [
  inboxTest(
    'holds a parked task back, and those behind it, until it is answered',
    async (tested) => {
      const { inbox, other, advance } = tested
      await addTasks(inbox, { a: 'one', b: 'one' })
      const claim = await claimTask(inbox, 'a')
      assert.equal(await inbox.park(claim, { calls: ['x'] }), true)
      const parked = await other.get('a')
      assert.deepEqual(
        [parked?.state, parked?.waitingFor, parked?.attempts, parked?.lease],
        ['parked', { calls: ['x'] }, 0, undefined],
      )
      await advance(100 * LEASE_MS)
      await assertNothingToClaim(inbox, 'a parked task, or one behind it, was given out')
      assert.equal(await other.answer('a', 'yes'), true)
      const { task, isTakenOver } = await claimTask(inbox, 'a')
      assert.deepEqual(task.answers, ['yes'])
      assert.deepEqual(task.waitingFor, { calls: ['x'] }, 'what it waited for was forgotten')
      assert.deepEqual([task.attempts, isTakenOver], [1, false])
    },
  ),

  inboxTest('uses up no attempt by parking, however often', async ({ inbox }) => {
    await inbox.add({ id: 'a', conversationId: 'one', input: 1, maxAttempts: 1 })
    for (let times = 0; times < 4; times++) {
      const claim = await claimTask(inbox, 'a')
      assert.equal(claim.task.attempts, 1)
      await inbox.park(claim, times)
      await inbox.answer('a', times)
    }
  }),

  inboxTest(
    'keeps all answers in order, and forgets those that were dealt with',
    async (tested) => {
      const { inbox, other } = tested
      await addTasks(inbox, { a: 'one' })
      await inbox.park(await claimTask(inbox, 'a'), 1)
      await inbox.answer('a', 'first')
      await other.answer('a', { second: [null] })
      const claim = await claimTask(inbox, 'a')
      assert.deepEqual(claim.task.answers, ['first', { second: [null] }])
      await inbox.park(claim, 2)
      const parked = await inbox.get('a')
      assert.deepEqual([parked?.state, parked?.answers, parked?.waitingFor], ['parked', [], 2])
    },
  ),

  inboxTest(
    'queues a task at once whose next answer came while it was worked on',
    async (tested) => {
      const { inbox, other } = tested
      await addTasks(inbox, { a: 'one' })
      await inbox.park(await claimTask(inbox, 'a'), 'asked before')
      await inbox.answer('a', 'first')
      const claim = await claimTask(inbox, 'a')
      assert.equal(await other.answer('a', 'late'), true)
      assert.deepEqual((await inbox.get('a'))?.answers, ['first', 'late'])
      assert.equal(await inbox.park(claim, 'asked now'), true)
      const again = await claimTask(inbox, 'a')
      assert.deepEqual(again.task.answers, ['late'])
      assert.equal(again.task.waitingFor, 'asked before', 'nobody was asked anew')
    },
  ),

  inboxTest('shows answers again that an attempt did not get to deal with', async (tested) => {
    const { inbox, advance } = tested
    await addTasks(inbox, { a: 'one' })
    await inbox.park(await claimTask(inbox, 'a'), 1)
    await inbox.answer('a', 'yes')
    await claimTask(inbox, 'a')
    await advance(LEASE_MS)
    const second = await claimTask(inbox, 'a')
    assert.deepEqual(second.task.answers, ['yes'])
    await inbox.fail(second, { code: 'x', message: 'x' }, 0)
    const third = await claimTask(inbox, 'a')
    assert.deepEqual(third.task.answers, ['yes'])
    await inbox.release(third)
    assert.deepEqual((await claimTask(inbox, 'a')).task.answers, ['yes'])
  }),

  inboxTest('takes no answer to a task that is over, or is not there', async ({ inbox }) => {
    await addTasks(inbox, { a: 'one', b: 'one' })
    assert.equal(await inbox.answer('none', 1), false)
    await inbox.complete(await claimTask(inbox, 'a'))
    assert.equal(await inbox.answer('a', 1), false)
    await inbox.fail(await claimTask(inbox, 'b'), { code: 'x', message: 'x' }, undefined)
    assert.equal(await inbox.answer('b', 1), false)
    await inbox.discard('b')
    assert.equal(await inbox.answer('b', 1), false)
  }),
]
