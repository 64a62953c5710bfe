import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { urlOf } from '../test/cluster.ts'
import { createTestDatabase, type TestDatabase } from '../test/test-database.ts'
import { postgresStorage } from './conversations/postgres-storage.ts'
import { MIGRATIONS } from './migrations.ts'
import { openPostgres, openWith, type AssentPostgres } from './open-postgres.ts'

let test: TestDatabase

beforeAll(async () => {
  test = await createTestDatabase()
})

afterEach(() => test.close())

afterAll(() => test.end())

/** A URL like that of the tests, but for something. */
function urlWith(change: (url: URL) => void): string {
  const url = new URL(test.url)
  change(url)
  return url.href
}

describe('openPostgres', () => {
  it('says what is wrong with a database that it cannot open, and no password', async () => {
    const cases: [url: string, code: string][] = [
      ['assent.db', 'invalid_argument'],
      ['https://localhost/x', 'invalid_argument'],
      [urlWith((url) => (url.port = '1')), 'database_unreachable'],
      [urlWith((url) => (url.hostname = 'nowhere.invalid')), 'database_unreachable'],
      [urlWith((url) => (url.password = 'secret-and-wrong')), 'database_unreadable'],
      [urlWith((url) => (url.pathname = '/nowhere')), 'database_unreadable'],
    ]
    for (const [url, code] of cases) {
      const error: unknown = await openPostgres({ url }).catch((thrown: unknown) => thrown)
      expect(error).toMatchObject({ name: 'DatabaseError', code })
      expect(String(error)).not.toContain('secret-and-wrong')
    }
    const missing = openPostgres({ url: urlWith((url) => (url.pathname = '/nowhere')) })
    await expect(missing).rejects.toThrow('nowhere does not exist; make it')
    const none = openPostgres({ url: test.url, maxConnections: 0 })
    await expect(none).rejects.toMatchObject({ code: 'invalid_argument' })
  })

  it('leaves a database alone that is newer than it can be', async () => {
    const newer = await createTestDatabase()
    await newer.client.query('update assent.version set current = 99, oldest = 98')
    await expect(newer.open()).rejects.toMatchObject({ code: 'database_newer' })
    await newer.end()
  })

  it('works beside the release after it, which has added to the tables', async () => {
    const shared = await createTestDatabase()
    const before = await shared.open()
    const next = [...MIGRATIONS, 'alter table assent.records add column colour text']
    const after = await openWith({ url: shared.url }, next)
    const again = await shared.open()
    await postgresStorage(before).write('a', { put: new Map([['x', 1]]) })
    await postgresStorage(again).write('a', { put: new Map([['y', 2]]) })
    expect([...(await postgresStorage(after).read('a')).keys()]).toEqual(['x', 'y'])
    const { rows } = await shared.client.query('select current, oldest from assent.version')
    expect(rows).toEqual([{ current: MIGRATIONS.length + 1, oldest: 0 }])
    await after.close()
    await shared.end()
  })

  it('makes all of the tables or nothing', async () => {
    const bare = await createTestDatabase('template0')
    const broken = [...MIGRATIONS, 'select 1 / 0']
    await expect(openWith({ url: bare.url }, broken)).rejects.toThrow('division by zero')
    const { rows } = await bare.client.query(
      "select 1 from information_schema.schemata where schema_name = 'assent'",
    )
    expect(rows).toEqual([])
    await bare.end()
  })
})

describe('an open database', () => {
  it('goes on after its connections were cut, also while they lay idle', async () => {
    const database = await test.open()
    await Promise.all([database.query('select 1'), database.query('select 1')])
    await cutOff()
    await vi.waitFor(async () => expect(await database.query('select 1 as x')).toEqual([{ x: 1 }]))
  })

  it('fails with a typed error, and ends nothing, when a transaction loses its connection', async () => {
    const database = await test.open()
    const losing = database.transaction(async (client) => {
      // Not `once`, which hears errors, too.
      const ended = new Promise<void>((resolve) => client.on('end', () => resolve()))
      await cutOff()
      await ended
      await client.query('select 1')
    })
    await expect(losing).rejects.toMatchObject({ code: 'database_unreachable' })
    expect(await database.query('select 1 as x')).toEqual([{ x: 1 }])
  })

  it('lets nobody wait for long who stands still in the middle of a transaction', async () => {
    const still = await openWith({ url: test.url }, MIGRATIONS, 500)
    onTestFinished(() => still.close())
    const other = await test.open()
    await still.query('create table held (x integer)')
    const [held, over] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const standing = still.transaction(async (client) => {
      await client.query('lock table held')
      held.resolve()
      await over.promise
      await client.query('insert into held values (1)')
    })
    await held.promise
    await other.query('insert into held values (2)')
    over.resolve()
    await expect(standing).rejects.toMatchObject({ code: 'database_unreachable' })
    expect(await other.query('select x from held')).toEqual([{ x: 2 }])
  })

  it('makes a transaction whole, or nothing of it', async () => {
    const database = await test.open()
    await database.query('create table if not exists pair (x integer)')
    const failing = database.transaction(async (client) => {
      await client.query('insert into pair values (1)')
      throw new Error('in the middle')
    })
    await expect(failing).rejects.toThrow('in the middle')
    expect(await database.query('select * from pair')).toEqual([])
  })

  it('runs a transaction again that was undone, since two stood in each other’s way', async () => {
    const [one, other] = [await test.open(), await test.open()]
    await one.query('create table cross_over (id integer primary key, x integer)')
    await one.query('insert into cross_over values (1, 0), (2, 0)')
    let here = 0
    const both = Promise.withResolvers<void>()
    const add = (database: AssentPostgres, ids: readonly number[]) =>
      database.transaction(async (client) => {
        for (const id of ids) {
          await client.query('update cross_over set x = x + 1 where id = $1', [id])
          if (++here === 2) both.resolve()
          await both.promise
        }
      })
    await Promise.all([add(one, [1, 2]), add(other, [2, 1])])
    expect(await one.query('select x from cross_over order by id')).toEqual([{ x: 2 }, { x: 2 }])
  })

  /** Cuts the connections of the database that nobody uses, and those that listen. */
  async function cutOff(): Promise<void> {
    await test.client.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid()`,
    )
  }

  describe('and another one', () => {
    function hear(database: AssentPostgres) {
      const heard: string[] = []
      let missed = 0
      const stop = database.news.on('assent_tasks', {
        onRung: (names) => heard.push(...names),
        onMissed: () => missed++,
      })
      return { heard, missed: () => missed, stop }
    }

    it('hear what the other rings, once each, and not what they ring themselves', async () => {
      const [one, other] = [await test.open(), await test.open()]
      const [here, there] = [hear(one), hear(other)]
      await vi.waitFor(() => expect([here.missed(), there.missed()]).toEqual([1, 1]))
      const names = Array.from({ length: 1_000 }, (_, index) => `name-of-a-task-${index}`)
      for (const name of [...names, ...names]) one.news.ring('assent_tasks', name)
      await vi.waitFor(() => expect(there.heard).toHaveLength(1_000))
      expect(new Set(there.heard)).toEqual(new Set(names))
      expect(here.heard).toEqual([])
      there.stop()
      one.news.ring('assent_tasks', 'late')
      await one.close()
      expect(there.heard).toHaveLength(1_000)
    })

    it('look at everything when they are back after their connections were cut', async () => {
      const told: unknown[] = []
      const one = await test.open({ onError: (error) => told.push(error) })
      const other = await test.open({ onError: (error) => told.push(error) })
      const there = hear(other)
      await vi.waitFor(() => expect(there.missed()).toBe(1))
      expect(other.news.isLive).toBe(true)
      await cutOff()
      // Once when it was lost, and once when it is back: what was rung meanwhile was not heard.
      await vi.waitFor(() => expect(there.missed()).toBe(3), { timeout: 10_000 })
      expect(other.news.isLive).toBe(true)
      expect(told).toHaveLength(2)
      one.news.ring('assent_tasks', 'again')
      await vi.waitFor(() => expect(there.heard).toEqual(['again']))
    })

    it('look often where bells do not arrive, as behind a pooler, and say so once', async () => {
      const told: unknown[] = []
      // A bell is heard in its own database only: here one listens, and never hears anything.
      const deaf = await test.open({
        listenUrl: urlOf(test.url, 'postgres'),
        onError: (error) => told.push(error),
      })
      expect(deaf.news.isLive).toBe(false)
      expect(deaf.news.patienceMs).toBeLessThan(1_000)
      expect(told).toEqual([
        expect.objectContaining({ message: expect.stringMatching(/listenUrl/) }),
      ])

      const heard = vi.fn<() => void>()
      const stop = postgresStorage(deaf).watch?.('everywhere', heard)
      await vi.waitFor(() => expect(heard).toHaveBeenCalledTimes(1))
      const other = await test.open()
      await postgresStorage(other).write('everywhere', { put: new Map([['x', 1]]) })
      await vi.waitFor(() => expect(heard).toHaveBeenCalledTimes(2))
      await postgresStorage(other).write('everywhere', { put: new Map([['x', 2]]) })
      await vi.waitFor(() => expect(heard).toHaveBeenCalledTimes(3))
      stop?.()
    })
  })
})
