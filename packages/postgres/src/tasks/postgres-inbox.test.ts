import type { TaskNews } from '@assent/worker'
import { inboxConformance, type TestedInbox } from '@assent/worker/testing'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/test-database.ts'
import type { AssentPostgres } from '../open-postgres.ts'
import { postgresInbox } from './postgres-inbox.ts'
import { postgresStores } from './postgres-stores.ts'

const START = 1_700_000_000_000

let test: TestDatabase
let one: AssentPostgres
let other: AssentPostgres

beforeAll(async () => {
  test = await createTestDatabase()
  one = await test.open()
  other = await test.open()
})

afterEach(async () => {
  await test.setClock(undefined)
  await test.empty()
})

afterAll(() => test.end())

describe('postgresInbox', () => {
  it.each(inboxConformance())('$name', async ({ run }) => {
    const made = run(async (): Promise<TestedInbox> => {
      let now = START
      await test.setClock(now)
      return {
        inbox: postgresInbox(one),
        other: postgresInbox(other),
        now: () => now,
        advance: (ms) => test.setClock((now += ms)),
      }
    })
    await expect(made).resolves.toBeUndefined()
  })

  it('refuses what PostgreSQL could not keep', async () => {
    const inbox = postgresInbox(one)
    for (const name of ['half \ud83d', 'zero \0', '']) {
      await expect(inbox.add({ id: name, conversationId: 'c', input: 1 })).rejects.toMatchObject({
        code: 'invalid_argument',
      })
      await expect(inbox.add({ conversationId: name, input: 1 })).rejects.toMatchObject({
        code: 'invalid_argument',
      })
    }
    expect(() => postgresInbox(one, { maxAttempts: 0 })).toThrow(/maxAttempts/)
  })

  it('goes on when a listener throws, and says so', async () => {
    const errors: unknown[] = []
    const inbox = postgresInbox(one, { onError: (error) => errors.push(error) })
    let told = 0
    inbox.subscribe(() => {
      throw new Error('a bug')
    })
    inbox.subscribe(() => told++)
    await inbox.add({ id: 'a', conversationId: 'c', input: 1 })
    expect(told).toBeGreaterThan(0)
    expect(errors[0]).toEqual(new Error('a bug'))
    expect(await inbox.get('a')).toMatchObject({ state: 'queued' })
  })

  it('tells its listeners of what another process adds', async () => {
    const told = vi.fn<() => void>()
    const stop = postgresInbox(one).subscribe(told)
    // It says so once it listens.
    await vi.waitFor(() => expect(told).toHaveBeenCalledTimes(1))
    await postgresInbox(other).add({ id: 'a', conversationId: 'c', input: 1 })
    await vi.waitFor(() => expect(told).toHaveBeenCalledTimes(2))
    stop()
  })

  it('tells other processes of a step of a task, and of its end, without making them look for work', async () => {
    const told: (TaskNews | undefined)[] = []
    const inbox = postgresInbox(one)
    for (const id of ['a', 'b']) await inbox.add({ id, conversationId: 'c', input: 1 })
    const stop = postgresInbox(other).subscribe((news) => void told.push(news))
    await vi.waitFor(() => expect(told).toContain('any'))
    /** What was said before may come late, but never after it. */
    const says = async (news: TaskNews, change: () => Promise<unknown>) => {
      const { length } = told
      await change()
      await vi.waitFor(() => {
        expect(told.length).toBeGreaterThan(length)
        expect(told.at(-1)).toBe(news)
      })
    }
    const claim = async () => {
      const claimed = await inbox.claim({ worker: 'w', leaseMs: 10_000 })
      if (!claimed) throw new Error('Nothing was there.')
      return claimed
    }
    const first = await claim()
    await says('progress', () => inbox.progress(first, 'model_round'))
    await says('any', () => inbox.answer(first.task.id, 1))
    // Another task of the conversation waits for it; nothing waits for the last one.
    await says('free', () => inbox.complete(first))
    const last = await claim()
    await says('progress', () => inbox.complete(last))
    stop()
  })

  it('forgets what has been over for long enough', async () => {
    await test.setClock(1_000)
    const inbox = postgresInbox(one)
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
    await test.setClock(2_000)
    await inbox.complete(await claim())
    expect(await inbox.forget(2_000)).toBe(1)
    expect((await inbox.list()).map(({ id }) => id)).toEqual(['waiting', 'new', 'dead'])
    const { rows } = await test.client.query('select id from assent.task_conversations order by id')
    expect(rows.map(({ id }) => id)).toEqual(['dead', 'new', 'waiting'])
  })

  it('forgets replies with their tasks', async () => {
    const { inbox, replies } = postgresStores(one)
    await inbox.add({ id: 'a', conversationId: 'c', input: 1 })
    const claim = await inbox.claim({ worker: 'w', leaseMs: 1_000 })
    if (!claim) throw new Error('Nothing was there.')
    await replies.record(claim, { text: 'done', message: undefined })
    await replies.sent(claim)
    await inbox.complete(claim)
    expect(await inbox.forget(Date.now() + 60_000)).toBe(1)
    expect(await replies.find('a')).toBeUndefined()
  })

  it('forgets no conversation to which somebody adds at that moment', async () => {
    const inbox = postgresInbox(one)
    await inbox.add({ id: 'old', conversationId: 'c', input: 1 })
    const claim = await inbox.claim({ worker: 'w', leaseMs: 1_000 })
    if (!claim) throw new Error('Nothing was there.')
    await inbox.complete(claim)
    let forgetting: Promise<number> | undefined
    await other.transaction(async (client) => {
      await client.query(`select assent.add_task_v1('new', 'c', '1', null, null, 3)`)
      forgetting = inbox.forget(Date.now() + 60_000)
      // It waits for the row: PostgreSQL says so.
      await vi.waitFor(async () => {
        const { rows } = await test.client.query(
          "select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like '%forget_tasks%'",
        )
        expect(rows).toHaveLength(1)
      })
    })
    expect(await forgetting).toBe(1)
    expect((await inbox.list()).map(({ id }) => id)).toEqual(['new'])
    await inbox.add({ id: 'newer', conversationId: 'c', input: 1 })
    const next = await inbox.claim({ worker: 'w', leaseMs: 1_000 })
    expect(next?.task.id).toBe('new')
  })

  it('keeps the order of what is added while tasks end, and loses nothing', async () => {
    const inboxes = [postgresInbox(one), postgresInbox(other)]
    const conversations = ['a', 'b', 'c']
    const [each, adders] = [30, 4]
    const order = new Map<string, string[]>()
    let over = 0
    const add = async (adder: number): Promise<void> => {
      for (let index = 0; index < each; index++) {
        const conversationId = conversations[(adder + index) % conversations.length]!
        const id = `${adder}/${String(index).padStart(3, '0')}`
        await inboxes[adder % 2]!.add({ id, conversationId, input: id })
      }
    }
    const take = async (taker: number): Promise<void> => {
      const inbox = inboxes[taker % 2]!
      while (over < each * adders) {
        const claim = await inbox.claim({ worker: `${taker}`, leaseMs: 60_000 })
        if (!claim) continue
        const { id, conversationId } = claim.task
        order.set(conversationId, [...(order.get(conversationId) ?? []), id])
        expect(await inbox.complete(claim)).toBe(true)
        over += 1
      }
    }
    await Promise.all([0, 1, 2, 3].flatMap((index) => [add(index), take(index)]))
    const { rows } = await test.client.query<{ id: string; conversation_id: string }>(
      'select id, conversation_id from assent.tasks order by seq',
    )
    for (const conversation of conversations) {
      const added = rows.filter((row) => row.conversation_id === conversation)
      expect(order.get(conversation)).toEqual(added.map(({ id }) => id))
    }
    expect(await inboxes[0]!.count()).toEqual(new Map([['done', each * adders]]))
  })
})
