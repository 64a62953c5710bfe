import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type AssentDatabase, openDatabase } from '@assent/node'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Inbox } from './inbox.ts'
import { inboxConformance } from './testing/inbox-conformance.ts'
import type { TestedInbox } from './testing/inbox-conformance/inbox-test.ts'
import { sqliteInbox, type SqliteInboxOptions } from './sqlite-inbox.ts'

let folder = ''
const opened: AssentDatabase[] = []

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'assent-inbox-'))
})

afterEach(() => {
  for (const database of opened.splice(0)) database.close()
  rmSync(folder, { recursive: true })
})

function open(path = join(folder, 'data.db')): AssentDatabase {
  const database = openDatabase(path, { synchronous: 'normal' })
  opened.push(database)
  return database
}

describe('sqliteInbox', () => {
  describe('with three connections to one file', () => {
    it.each(inboxConformance())('$name', async ({ run }) => {
      const made = run(async () => tested(open(), open(), open()))
      await expect(made).resolves.toBeUndefined()
    })
  })

  describe('in no file', () => {
    it.each(inboxConformance())('$name', async ({ run }) => {
      const database = open(':memory:')
      const made = run(async () => tested(database, database))
      await expect(made).resolves.toBeUndefined()
    })
  })

  describe('where a clock was ahead', () => {
    const LEASE_MS = 3_000
    const DAY_MS = 86_400_000

    beforeEach(() => {
      vi.useFakeTimers({ toFake: ['performance'] })
    })

    afterEach(() => {
      vi.useRealTimers()
    })

    const setUp = async () => {
      const clock = { ahead: DAY_MS, now: () => 1_000_000 + clock.ahead + performance.now() }
      const inbox = sqliteInbox(open(), clock)
      const take = () => inbox.claim({ worker: 'next', leaseMs: LEASE_MS })
      const pass = (ms: number) => vi.advanceTimersByTime(ms)
      await inbox.add({ id: 'one', conversationId: 'c', input: 1 })
      const claim = await inbox.claim({ worker: 'dead', leaseMs: LEASE_MS })
      if (!claim) throw new Error('There is nothing to claim.')
      return { clock, inbox, take, pass, claim }
    }

    it('a task of a dead worker is free once its lease was not extended for as long as it lasts', async () => {
      const { clock, take, pass } = await setUp()
      clock.ahead = 0
      pass(500)
      expect(await take()).toBeUndefined()
      pass(LEASE_MS - 1)
      expect(await take()).toBeUndefined()
      pass(500)
      expect(await take()).toMatchObject({ task: { id: 'one' }, isTakenOver: true })
    })

    it('a task of a worker that lives stays with it', async () => {
      const { clock, inbox, take, pass, claim } = await setUp()
      clock.ahead = 0
      for (let at = 0; at < 10; at++) {
        expect(await take()).toBeUndefined()
        pass(LEASE_MS / 3)
        // Its clock is ahead in a process of its own for a while.
        clock.ahead = at < 5 ? DAY_MS : 0
        expect(await inbox.heartbeat(claim, LEASE_MS)).toBe(true)
        clock.ahead = 0
      }
      expect(await take()).toBeUndefined()
    })

    it('what was put off, or came then, does not wait for that time; what is for a time of its own does', async () => {
      const { clock, inbox, take, pass, claim } = await setUp()
      await inbox.fail(claim, { code: 'x', message: 'Not now.' }, 2_000)
      await inbox.add({ id: 'new', conversationId: 'd', input: 1 })
      await inbox.add({ id: 'later', conversationId: 'e', input: 1, dueAt: clock.now() + 5 })
      clock.ahead = 0
      pass(500)
      expect((await take())?.task.id).toBe('new')
      expect(await take()).toBeUndefined()
      pass(2_000)
      expect((await take())?.task.id).toBe('one')
      pass(10_000)
      expect(await take()).toMatchObject({ task: { id: 'new' } })
    })
  })

  it('refuses what SQLite could not tell apart', async () => {
    const inbox = sqliteInbox(open())
    for (const name of ['half \ud83d', 'zero \0', '']) {
      await expect(inbox.add({ id: name, conversationId: 'c', input: 1 })).rejects.toMatchObject({
        code: 'invalid_argument',
      })
      await expect(inbox.add({ conversationId: name, input: 1 })).rejects.toMatchObject({
        code: 'invalid_argument',
      })
    }
    expect(() => sqliteInbox(open(), { maxAttempts: 0 })).toThrow(/maxAttempts/)
  })

  it('goes on when a listener throws, and says so', async () => {
    const errors: unknown[] = []
    const inbox = sqliteInbox(open(), { onError: (error) => errors.push(error) })
    let told = 0
    inbox.subscribe(() => {
      throw new Error('a bug')
    })
    inbox.subscribe(() => told++)
    await inbox.add({ id: 'a', conversationId: 'c', input: 1 })
    expect([told, errors]).toEqual([1, [new Error('a bug')]])
    expect(await inbox.get('a')).toMatchObject({ state: 'queued' })
  })

  it('forgets what has been over for long enough', async () => {
    let now = 1_000
    const inbox = sqliteInbox(open(), { now: () => now })
    for (const id of ['old', 'dead', 'new', 'waiting']) {
      await inbox.add({ id, conversationId: id, input: 1 })
    }
    const claim = async () => {
      const claimed = await inbox.claim({ worker: 'w', leaseMs: 1_000 })
      if (!claimed) throw new Error('Nothing was there.')
      return claimed
    }
    await inbox.complete(await claim())
    await inbox.fail(await claim(), { code: 'x', message: 'x' }, undefined)
    now = 2_000
    await inbox.complete(await claim())
    expect(await inbox.forget(2_000)).toBe(1)
    expect((await inbox.list()).map(({ id }) => id)).toEqual(['waiting', 'new', 'dead'])
  })
})

function tested(one: AssentDatabase, ...others: readonly AssentDatabase[]): TestedInbox {
  let now = 1_700_000_000_000
  const options: SqliteInboxOptions = { now: () => now }
  return {
    inbox: sqliteInbox(one, options),
    other: inTurn(others.map((database) => sqliteInbox(database, options))),
    now: () => now,
    advance(ms) {
      now += ms
    },
  }
}

/** Several processes, of which each call is another one's. */
function inTurn(all: readonly Inbox[]): Inbox {
  let turn = 0
  const next = (): Inbox => all[turn++ % all.length]!
  return {
    add: (task) => next().add(task),
    claim: (by) => next().claim(by),
    heartbeat: (...given) => next().heartbeat(...given),
    progress: (...given) => next().progress(...given),
    park: (...given) => next().park(...given),
    complete: (claim) => next().complete(claim),
    fail: (...given) => next().fail(...given),
    release: (...given) => next().release(...given),
    edit: (...given) => next().edit(...given),
    answer: (...given) => next().answer(...given),
    get: (id) => next().get(id),
    list: (filter) => next().list(filter),
    count: () => next().count(),
    replay: (id) => next().replay(id),
    discard: (id) => next().discard(id),
    msUntilDue: () => next().msUntilDue(),
    subscribe: (listener) => next().subscribe(listener),
  }
}
