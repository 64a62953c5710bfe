import assert from 'node:assert/strict'
import type { Claim, Inbox } from '../../inbox.ts'
import {
  addTasks,
  assertNothingToClaim,
  claimNext,
  claimTask,
  inboxTest,
  LEASE_MS,
  type InboxTest,
} from './inbox-test.ts'

/** Every change that a claim can make. */
const CHANGES: Readonly<Record<string, (inbox: Inbox, claim: Claim) => Promise<boolean>>> = {
  heartbeat: (inbox, claim) => inbox.heartbeat(claim, LEASE_MS),
  progress: (inbox, claim) => inbox.progress(claim, 'tool_round'),
  park: (inbox, claim) => inbox.park(claim, 'x'),
  complete: (inbox, claim) => inbox.complete(claim),
  fail: (inbox, claim) => inbox.fail(claim, { code: 'x', message: 'x' }, undefined),
  release: (inbox, claim) => inbox.release(claim),
}

export const claimingTests: readonly InboxTest[] = [
  inboxTest('gives out the tasks of a conversation one by one, in order', async (tested) => {
    const { inbox, other } = tested
    await addTasks(inbox, { a: 'one', b: 'one', c: 'one' })
    for (const id of ['a', 'b', 'c']) {
      const claim = await claimTask(inbox, id)
      await assertNothingToClaim(other, 'a task was given out beside another of its conversation')
      assert.equal(await inbox.complete(claim), true)
    }
    await assertNothingToClaim(inbox, 'a task was given out once more')
  }),

  inboxTest('gives out tasks of several conversations side by side', async ({ inbox, other }) => {
    await addTasks(inbox, { a: 'one', b: 'one', c: 'two', d: 'three' })
    await claimTask(inbox, 'a', 'first')
    await claimTask(other, 'c', 'second')
    await claimTask(inbox, 'd', 'first')
    await assertNothingToClaim(other, 'b came before a was over')
  }),

  inboxTest('gives a task to one of many who ask at once', async ({ inbox, other }) => {
    await addTasks(inbox, { a: 'one', b: 'two', c: 'two' })
    const claims = await Promise.all(
      Array.from({ length: 20 }, (_, index) => claimNext(index % 2 ? inbox : other, `${index}`)),
    )
    const ids = claims.flatMap((claim) => claim?.task.id ?? [])
    assert.deepEqual(ids.sort(), ['a', 'b'])
  }),

  inboxTest('shows with a claim who has the task, and for how long', async ({ inbox, now }) => {
    await addTasks(inbox, { a: 'one' })
    const claim = await claimTask(inbox, 'a', 'me')
    const { task } = claim
    assert.deepEqual([task.state, task.attempts, claim.isTakenOver], ['in_progress', 1, false])
    assert.deepEqual(task.lease, {
      worker: 'me',
      epoch: claim.epoch,
      expiresAt: now() + LEASE_MS,
    })
    assert.deepEqual((await inbox.get('a'))?.lease, task.lease)
    await inbox.progress(claim, 'model_round')
    assert.equal((await inbox.get('a'))?.state, 'model_round')
  }),

  inboxTest('begins nothing before it is due, and nothing behind that', async (tested) => {
    const { inbox, now, advance } = tested
    await inbox.add({ id: 'a', conversationId: 'one', input: 1, dueAt: now() + 500 })
    await addTasks(inbox, { b: 'one', c: 'two' })
    await claimTask(inbox, 'c')
    await assertNothingToClaim(inbox, 'a task began before it was due')
    await advance(499)
    await assertNothingToClaim(inbox, 'a task began a moment before it was due')
    await advance(1)
    await claimTask(inbox, 'a')
  }),

  inboxTest(
    'gives a task to another when its lease runs out',
    async ({ inbox, other, advance }) => {
      await addTasks(inbox, { a: 'one' })
      const before = await claimTask(inbox, 'a', 'first')
      await advance(LEASE_MS - 1)
      await assertNothingToClaim(other, 'a task was taken over while its lease held')
      await advance(1)
      const claim = await claimTask(other, 'a', 'second')
      assert.ok(claim.isTakenOver, 'it was not said that the task was taken over')
      assert.ok(claim.epoch > before.epoch, 'the epoch did not grow')
    },
  ),

  inboxTest('extends a lease from now on', async ({ inbox, advance }) => {
    await addTasks(inbox, { a: 'one' })
    const claim = await claimTask(inbox, 'a')
    for (let beats = 0; beats < 3; beats++) {
      await advance(LEASE_MS - 1)
      assert.equal(await inbox.heartbeat(claim, LEASE_MS), true)
    }
    await advance(LEASE_MS - 1)
    await assertNothingToClaim(inbox, 'a lease ended that was extended')
    await advance(1)
    await claimTask(inbox, 'a')
  }),

  ...Object.entries(CHANGES).map(([name, change]) =>
    inboxTest(`refuses ${name} by a claim that was lost`, async ({ inbox, other, advance }) => {
      await addTasks(inbox, { a: 'one' })
      const lost = await claimTask(inbox, 'a', 'same name')
      await advance(LEASE_MS)
      const claim = await claimTask(other, 'a', 'same name')
      const task = await inbox.get('a')
      assert.equal(await change(inbox, lost), false)
      assert.deepEqual(await inbox.get('a'), task)
      assert.equal(await inbox.complete(claim), true)
      assert.equal(await change(inbox, claim), false, 'a task that is over was changed')
      assert.equal((await inbox.get('a'))?.state, 'done')
    }),
  ),

  inboxTest('tries a task alone when its worker ended, without an attempt lost', async (tested) => {
    const { inbox, other, advance } = tested
    await addTasks(inbox, { a: 'one', b: 'two', c: 'three' })
    assert.equal((await claimTask(inbox, 'a')).isSuspect, false)
    await claimTask(inbox, 'b')
    await advance(LEASE_MS)
    assert.equal(await inbox.complete(await claimTask(inbox, 'c')), true)
    await assertNothingToClaim(other, 'a suspect was given out beside another task', false)
    const alone = await claimTask(other, 'a')
    assert.deepEqual([alone.isSuspect, alone.isSpent, alone.task.attempts], [true, false, 1])
    assert.equal((await claimTask(inbox, 'b')).task.attempts, 1)
  }),

  inboxTest('counts the attempt of a suspect whose worker ended, too', async (tested) => {
    const { inbox, advance } = tested
    await inbox.add({ id: 'a', conversationId: 'one', input: 1, maxAttempts: 2 })
    for (const [attempts, isSuspect] of [
      [1, false],
      [1, true],
      [2, true],
    ] as const) {
      const claim = await claimTask(inbox, 'a')
      assert.deepEqual(
        [claim.task.attempts, claim.isSuspect, claim.isSpent],
        [attempts, isSuspect, false],
      )
      await advance(LEASE_MS)
    }
  }),

  inboxTest(
    'gives a suspect out once more after its last attempt, to be buried',
    async (tested) => {
      const { inbox, other, advance } = tested
      await inbox.add({ id: 'a', conversationId: 'one', input: 1, maxAttempts: 1 })
      await addTasks(inbox, { b: 'one' })
      await claimTask(inbox, 'a')
      await advance(LEASE_MS)
      assert.equal((await claimTask(inbox, 'a')).isSpent, false)
      // Whoever is to bury it may end as well.
      for (const one of [inbox, other]) {
        await advance(LEASE_MS)
        const spent = await claimNext(one, 'w', false)
        assert.deepEqual([spent?.isSpent, spent?.task.attempts], [true, 1])
      }
      await advance(LEASE_MS)
      const claim = await claimTask(inbox, 'a')
      assert.equal(await inbox.fail(claim, { code: 'x', message: 'x' }, undefined), true)
      assert.equal((await inbox.get('a'))?.state, 'dead')
      await claimTask(inbox, 'b')
    },
  ),

  inboxTest('counts no loss of a claim whose worker says that it lives', async (tested) => {
    const { inbox, other, advance } = tested
    if (!inbox.vouch || !other.vouch) return
    await inbox.add({ id: 'a', conversationId: 'one', input: 1, maxAttempts: 2 })
    let lost = await claimTask(inbox, 'a')
    const first = lost
    for (let losses = 0; losses < 5; losses++) {
      await advance(LEASE_MS)
      const claim = await claimTask(other, 'a')
      assert.deepEqual(
        [claim.task.attempts, claim.isSuspect, claim.isSpent],
        [1, true, false],
        'a loss was counted although its worker lives',
      )
      assert.equal(await inbox.vouch(lost), true)
      assert.equal(await inbox.vouch(lost), false, 'it was said already')
      lost = claim
    }
    // It came too late for one that was alone: what it was counted is taken back.
    await advance(LEASE_MS)
    const alone = await claimTask(other, 'a')
    await advance(LEASE_MS)
    const counted = await claimTask(other, 'a')
    assert.equal(counted.task.attempts, 2)
    assert.equal(await inbox.vouch(alone), true)
    assert.equal((await inbox.get('a'))?.attempts, 1)
    assert.equal(await inbox.vouch(first), false, 'more has happened since')
    assert.equal(await inbox.complete(counted), true)
    assert.equal(await inbox.vouch(counted), false, 'it is over')
  }),

  inboxTest('keeps a released task a suspect, and one that failed no longer', async (tested) => {
    const { inbox, advance } = tested
    await addTasks(inbox, { a: 'one' })
    await claimTask(inbox, 'a')
    await advance(LEASE_MS)
    await inbox.release(await claimTask(inbox, 'a'))
    await assertNothingToClaim(inbox, 'a released suspect was given out beside another task', false)
    const claim = await claimTask(inbox, 'a')
    assert.equal(claim.isSuspect, true)
    await inbox.fail(claim, { code: 'x', message: 'x' }, 0)
    const again = await claimNext(inbox, 'w', false)
    assert.deepEqual([again?.isSuspect, again?.task.attempts], [false, 2])
  }),

  inboxTest('takes a released task back as if nobody had begun it', async (tested) => {
    const { inbox, advance } = tested
    await addTasks(inbox, { a: 'one', b: 'one' })
    assert.equal(await inbox.release(await claimTask(inbox, 'a')), true)
    assert.equal((await inbox.get('a'))?.attempts, 0)
    const claim = await claimTask(inbox, 'a')
    assert.equal(claim.isTakenOver, false)
    assert.equal(await inbox.release(claim, 300), true)
    await assertNothingToClaim(inbox, 'a released task began before it was due')
    await advance(300)
    assert.equal((await inbox.get('a'))?.error, undefined)
    const why = { code: 'down', message: 'It is down.' }
    assert.equal(await inbox.release(await claimTask(inbox, 'a'), 0, why), true)
    const { attempts, error } = (await claimTask(inbox, 'a')).task
    assert.deepEqual([attempts, error], [1, why])
  }),

  inboxTest('tells when it has something to give out again', async (tested) => {
    const { inbox, now, advance } = tested
    assert.equal(await inbox.msUntilDue(), undefined)
    await inbox.add({ id: 'a', conversationId: 'one', input: 1, dueAt: now() + 500 })
    await inbox.add({ id: 'b', conversationId: 'one', input: 1 })
    assert.equal(await inbox.msUntilDue(), 500)
    await advance(500)
    const claim = await claimTask(inbox, 'a')
    assert.equal(await inbox.msUntilDue(), LEASE_MS)
    await inbox.park(claim, 'x')
    assert.equal(await inbox.msUntilDue(), undefined)
  }),
]
