import assert from 'node:assert/strict'
import type { JSONValue } from 'ai'
import type { TaskNews } from '../../inbox.ts'
import { addTasks, claimTask, inboxTest, type InboxTest } from './inbox-test.ts'

const HOSTILE = ['__proto__', 'a:b/c', "'; DROP TABLE tasks; --", ' ', '字🙂', 'é', 'e\u0301']

export const addingTests: readonly InboxTest[] = [
  inboxTest('keeps what was added', async ({ inbox, other, now }) => {
    const input: JSONValue = [{ type: 'text', text: 'half \ud83d, zero \0, end' }]
    const replyTo = { chat: 7, thread: null }
    const added = await inbox.add({
      id: 'a',
      conversationId: 'one',
      input,
      replyTo,
      maxAttempts: 5,
    })
    assert.deepEqual(added, {
      id: 'a',
      conversationId: 'one',
      input,
      replyTo,
      state: 'queued',
      attempts: 0,
      maxAttempts: 5,
      dueAt: now(),
      createdAt: now(),
      updatedAt: now(),
      lease: undefined,
      error: undefined,
      waitingFor: undefined,
      answers: [],
    })
    assert.deepEqual(await inbox.get('a'), added)
    assert.deepEqual(await other.get('a'), added)
    assert.equal(await inbox.get('b'), undefined)
  }),

  inboxTest('gives ids of its own, and three attempts, where none are given', async ({ inbox }) => {
    const one = await inbox.add({ conversationId: 'one', input: 1 })
    const other = await inbox.add({ conversationId: 'one', input: 1 })
    assert.notEqual(one.id, other.id)
    assert.equal(one.replyTo, undefined)
    assert.equal(one.maxAttempts, 3)
  }),

  inboxTest('adds nothing under an id that is taken', async ({ inbox, other }) => {
    await inbox.add({ id: 'a', conversationId: 'one', input: 'first' })
    await claimTask(inbox, 'a')
    const again = await other.add({ id: 'a', conversationId: 'two', input: 'second' })
    assert.equal(again.input, 'first')
    assert.equal(again.state, 'in_progress')
    assert.equal((await inbox.list()).length, 1)
  }),

  inboxTest('tells hostile ids and conversations apart', async ({ inbox }) => {
    for (const name of HOSTILE) await inbox.add({ id: name, conversationId: name, input: name })
    const found = await Promise.all(HOSTILE.map((name) => inbox.get(name)))
    assert.deepEqual(
      found.map((task) => [task?.id, task?.conversationId, task?.input]),
      HOSTILE.map((name) => [name, name, name]),
    )
    for (const name of HOSTILE) await claimTask(inbox, name)
  }),

  inboxTest('refuses what cannot be a task', async ({ inbox }) => {
    const good = { id: 'a', conversationId: 'one', input: 1 }
    await assert.rejects(inbox.add({ ...good, id: '' }), 'an empty id')
    await assert.rejects(inbox.add({ ...good, conversationId: '' }), 'an empty conversation')
    await assert.rejects(inbox.add({ ...good, maxAttempts: 0 }), 'no attempt')
    await assert.rejects(inbox.add({ ...good, dueAt: Number.NaN }), 'a time that is none')
    assert.deepEqual(await inbox.list(), [])
  }),

  inboxTest('lists the newest first, by state, conversation and place', async ({ inbox }) => {
    await addTasks(inbox, { a: 'one', b: 'two', c: 'one', d: 'two' })
    const claim = await claimTask(inbox, 'a')
    const ids = async (...filter: Parameters<typeof inbox.list>) =>
      (await inbox.list(...filter)).map(({ id }) => id).join('')
    assert.equal(await ids(), 'dcba')
    assert.equal(await ids({ limit: 2 }), 'dc')
    assert.equal(await ids({ before: 'c' }), 'ba')
    assert.equal(await ids({ before: 'd', conversationId: 'two' }), 'b')
    assert.equal(await ids({ states: ['queued'] }), 'dcb')
    await inbox.complete(claim)
    assert.equal(await ids({ states: ['done', 'parked'] }), 'a')
    assert.equal(await ids({ states: [] }), '')
  }),

  inboxTest('counts the tasks of each state that has any', async ({ inbox }) => {
    assert.deepEqual(await inbox.count(), new Map())
    await addTasks(inbox, { a: 'one', b: 'two', c: 'one' })
    await claimTask(inbox, 'a')
    assert.deepEqual(
      new Map([...(await inbox.count())].sort()),
      new Map([
        ['in_progress', 1],
        ['queued', 2],
      ]),
    )
  }),

  inboxTest('replaces what is said by a task that nobody has claimed', async (tested) => {
    const { inbox, other } = tested
    await addTasks(inbox, { a: 'one', b: 'one' })
    assert.equal(await other.edit('b', { text: 'better' }), true)
    const claim = await claimTask(inbox, 'a')
    assert.equal(await inbox.edit('a', 'too late'), false, 'a task that is claimed was changed')
    await inbox.release(claim)
    assert.equal(await inbox.edit('a', 'too late'), false, 'a task that was begun was changed')
    await inbox.complete(await claimTask(inbox, 'a'))
    assert.equal(await inbox.edit('a', 'too late'), false, 'a task that is over was changed')
    assert.equal(await inbox.edit('nobody', 'none'), false, 'there is no such task')
    assert.deepEqual((await claimTask(inbox, 'b')).task.input, { text: 'better' })
  }),

  inboxTest('says no less than what became another one', async ({ inbox }) => {
    const told: TaskNews[] = []
    inbox.subscribe((news = 'any') => void told.push(news))
    const during = async (change: () => Promise<unknown>) => {
      told.length = 0
      await change()
      return told
    }
    const says = (news: readonly TaskNews[], ...some: readonly TaskNews[]) =>
      assert.ok(news.some((one) => some.includes(one)))
    const add = (id: string) => inbox.add({ id, conversationId: 'one', input: 1 })
    says(await during(() => add('a')), 'free', 'any')
    await add('b')
    const claim = await claimTask(inbox, 'a')
    says(await during(() => inbox.progress(claim, 'model_round')), 'progress', 'free', 'any')
    says(await during(() => inbox.answer('a', 1)), 'any')
    says(await during(() => inbox.complete(claim)), 'free', 'any')
    const next = await claimTask(inbox, 'b')
    says(await during(() => inbox.release(next)), 'free', 'any')
  }),

  inboxTest('tells its listeners of what it changes, until they leave', async ({ inbox }) => {
    let told = 0
    const stop = inbox.subscribe(() => told++)
    const since = async (change: () => Promise<unknown>) => {
      const before = told
      await change()
      return told > before
    }
    assert.ok(await since(() => inbox.add({ id: 'a', conversationId: 'one', input: 1 })), 'added')
    const claim = await claimTask(inbox, 'a')
    assert.ok(await since(() => inbox.park(claim, 1)), 'parked')
    assert.ok(await since(() => inbox.answer('a', 1)), 'answered')
    stop()
    assert.ok(!(await since(() => inbox.answer('a', 2))), 'told after it left')
  }),
]
