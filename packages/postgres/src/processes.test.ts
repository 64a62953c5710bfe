import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { startNode, type NodeProcess } from '../../node/test/node-process.ts'
import { openWorld, type World } from '../../node/test/kills/world.ts'
import { createTestDatabase, type TestDatabase } from '../test/test-database.ts'
import { postgresConversations } from './conversations/postgres-conversations.ts'
import type { AssentPostgres } from './open-postgres.ts'

const HOLDER = new URL('../test/holding-process.fixture.ts', import.meta.url).pathname
const AT = 1_800_000_000_000

let test: TestDatabase
let world: World
let running: NodeProcess | undefined

beforeAll(async () => {
  test = await createTestDatabase()
  world = await openWorld()
})

afterEach(async () => {
  running?.kill()
  await running?.ended
  running = undefined
  await test.setClock(undefined)
  await test.close()
  await test.empty()
})

afterAll(async () => {
  await world.close()
  await test.end()
})

/** A process that holds the conversation `c`. */
async function startHolder(): Promise<NodeProcess> {
  running = startNode(HOLDER, test.url, world.url, 'c')
  expect(await running.line()).toBe('holds')
  return running
}

/** How many processes are taken for dead now. */
async function sweep(database: AssentPostgres): Promise<number> {
  const [row] = await database.query('select assent.sweep_v1(2000) as swept')
  return Number(row?.['swept'])
}

async function sessionOf(database: AssentPostgres): Promise<number | undefined> {
  const sql = 'select session_pid as pid from assent.processes where name = $1 and lost_at is null'
  const [row] = await database.query(sql, [database.process])
  return row && Number(row['pid'])
}

describe('what a process holds', () => {
  it('is free long before its lease is over when the process was killed', async () => {
    const holder = await startHolder()
    // As if it had been renewed for an hour.
    await test.client.query('update assent.leases set expires_at = expires_at + 3600000')
    const conversations = postgresConversations(await test.open())
    expect(await conversations.hold('c')).toBeUndefined()
    const free = new Promise<void>((resolve) => {
      conversations.onFree({ conversationId: 'c' }, resolve)
    })
    holder.kill()
    await free
    expect(await conversations.hold('c')).toMatchObject({ isTakenOver: true, epoch: 2 })
  })

  it('is not free for as long as it only stands still', async () => {
    const holder = await startHolder()
    const database = await test.open()
    process.kill(holder.pid, 'SIGSTOP')
    await test.setClock(Date.now())
    expect(await sweep(database)).toBe(0)
    await test.setClock(Date.now() + 5_000)
    expect(await sweep(database)).toBe(0)
    expect(await postgresConversations(database).hold('c')).toBeUndefined()
  })

  it('stays its own when its connection was cut, and it comes back', async () => {
    await test.setClock(AT)
    const [one, other] = [await test.open({ onError: () => undefined }), await test.open()]
    const hold = await postgresConversations(one).hold('c')
    const before = await sessionOf(one)
    await test.client.query('select pg_terminate_backend($1)', [before])
    // Before it is back others see that it is gone: it has two seconds.
    await sweep(other)
    await expect.poll(() => sessionOf(one), { timeout: 20_000 }).not.toBe(undefined)
    await expect
      .poll(() => sessionOf(one), { timeout: 20_000 })
      .toSatisfy((pid) => typeof pid === 'number' && pid !== before)
    await test.setClock(AT + 10_000)
    expect(await sweep(other)).toBe(0)
    await hold?.check()
    expect(await postgresConversations(other).hold('c')).toBeUndefined()
  })

  it('is free only after a while, and nothing of the next holder is touched', async () => {
    const holder = await startHolder()
    const database = await test.open()
    const [row] = await database.query('select assent.clock_v1()::float8 as at')
    const at = Number(row?.['at'])
    await test.setClock(at)
    const pid = await pidOfHolder(database)
    holder.kill()
    await untilGone(database, pid)
    expect(await sweep(database)).toBe(0)
    await test.setClock(at + 1_999)
    expect(await sweep(database)).toBe(0)
    const conversations = postgresConversations(database)
    expect(await conversations.hold('c')).toBeUndefined()
    // Somebody has it already when the dead one is swept.
    await test.client.query('update assent.leases set expires_at = 0')
    const next = await conversations.hold('c')
    await test.setClock(at + 2_000)
    expect(await sweep(database)).toBe(1)
    await next?.check()
    expect(await postgresConversations(await test.open()).hold('c')).toBeUndefined()
  })
})

async function pidOfHolder(database: AssentPostgres): Promise<number> {
  const sql = 'select session_pid as pid from assent.processes where name <> $1'
  return Number((await database.query(sql, [database.process])).at(0)?.['pid'])
}

async function untilGone(database: AssentPostgres, pid: number): Promise<void> {
  const sql = 'select 1 from pg_stat_activity where pid = $1'
  await expect.poll(() => database.query(sql, [pid]), { timeout: 20_000 }).toEqual([])
}
