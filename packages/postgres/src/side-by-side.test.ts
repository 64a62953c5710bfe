import { hash } from 'node:crypto'
import type { Client } from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../test/test-database.ts'
import { postgresLedger } from './chat/postgres-ledger.ts'
import { MIGRATIONS } from './migrations.ts'
import { openWith, type AssentPostgres } from './open-postgres.ts'
import { postgresInbox } from './tasks/postgres-inbox.ts'

/** What the release before knows. */
const BEFORE = MIGRATIONS.slice(0, 5)

let test: TestDatabase
let old: AssentPostgres
let latest: AssentPostgres
/** How the tables and functions of the release before were, when nobody had brought them up to date. */
let shapeBefore: ReadonlyMap<string, string>

beforeAll(async () => {
  test = await createTestDatabase('template0')
  const { url } = test
  old = await openWith({ url, maxConnections: 2 }, BEFORE)
  shapeBefore = await shapeOf(test.client)
  latest = await openWith({ url, maxConnections: 2 }, MIGRATIONS)
})

beforeEach(() => test.empty())

afterAll(async () => {
  await Promise.all([old, latest].map((database) => database.close()))
  await test.end()
})

/** The columns of tables, and the functions with what they do. */
async function shapeOf(client: Client): Promise<ReadonlyMap<string, string>> {
  const { rows } = await client.query<{ name: string; shape: string }>(`
    select 'column ' || table_name || '.' || column_name as name, data_type as shape
      from information_schema.columns where table_schema = 'assent'
    union all
    select 'function ' || p.oid::regprocedure::text, pg_get_functiondef(p.oid)
      from pg_proc p join pg_namespace n on n.oid = p.pronamespace where n.nspname = 'assent'`)
  return new Map(rows.map(({ name, shape }) => [name, shape]))
}

describe('processes of the release before', () => {
  it('find every column and function as it was, and need to know no new column', async () => {
    const now = await shapeOf(test.client)
    expect(shapeBefore.size).toBeGreaterThan(60)
    const changed = [...shapeBefore].filter(([name, shape]) => now.get(name) !== shape)
    expect(changed).toEqual([])
    const { rows } = await test.client.query<{ name: string }>(`
      select table_name || '.' || column_name as name from information_schema.columns
      where table_schema = 'assent' and is_nullable = 'NO' and column_default is null
        and is_identity = 'NO'`)
    const tables = new Set([...shapeBefore.keys()].map((name) => name.split('.')[0]))
    const required = rows.filter(({ name }) => tables.has(`column ${name.split('.')[0]}`))
    expect(required.length).toBeGreaterThan(30)
    expect(required.filter(({ name }) => !shapeBefore.has(`column ${name}`))).toEqual([])
  })

  it('open a database that a newer one has brought up to date, and leave its version', async () => {
    const late = await openWith({ url: test.url, maxConnections: 1 }, BEFORE)
    await late.close()
    const { rows } = await test.client.query('select current, oldest from assent.version')
    expect(rows).toEqual([{ current: MIGRATIONS.length, oldest: 0 }])
  })

  it('refuse a database whose tables they cannot use any more, and say what to do', async () => {
    await test.client.query(`update assent.version set oldest = ${BEFORE.length + 1}`)
    const opening = openWith({ url: test.url, maxConnections: 1 }, BEFORE)
    await expect(opening).rejects.toMatchObject({
      code: 'database_newer',
      message: expect.stringContaining('update @assent/postgres'),
    })
    await test.client.query('update assent.version set oldest = 0')
  })

  it('work off tasks beside a newer worker: each runs in one of them, in order', async () => {
    const inbox = postgresInbox(latest)
    for (const id of ['a', 'b', 'c']) await inbox.add({ id, conversationId: 'one', input: 1 })
    const claimOld = async () => {
      const [row] = await old.query(
        `select (c.task).id, (c.task).epoch::int as epoch
         from assent.claim_task_v1('old', 60000, 'worker_lost', 'It ended.') c`,
      )
      return row
    }
    const first = await claimOld()
    expect(first?.['id']).toBe('a')
    expect(await inbox.claim({ worker: 'new', leaseMs: 60_000 })).toBeUndefined()
    await old.query(`select assent.end_task_v1('a', 'old', $1, 'done', null, null)`, [
      first?.['epoch'],
    ])
    const second = await inbox.claim({ worker: 'new', leaseMs: 60_000 })
    expect(second?.task.id).toBe('b')
    expect(await claimOld()).toBeUndefined()
    await inbox.complete(second!)
    expect((await claimOld())?.['id']).toBe('c')
  })

  it('take over from a newer worker, and it from them, without an attempt lost twice', async () => {
    const inbox = postgresInbox(latest)
    await inbox.add({ id: 'a', conversationId: 'one', input: 1, maxAttempts: 3 })
    await inbox.claim({ worker: 'new', leaseMs: 0 })
    await old.query(`select assent.claim_task_v1('old', 0, 'worker_lost', 'It ended.')`)
    const claim = await inbox.claim({ worker: 'new', leaseMs: 60_000 })
    expect(claim).toMatchObject({ isTakenOver: true, isSuspect: true, isSpent: false })
    expect(claim?.task.attempts).toBe(2)
  })

  it('keep to the decisions of newer ones, and these to theirs', async () => {
    const ledger = postgresLedger(latest)
    const key = { owner: 'ada', conversationId: 'c', approvalId: 'a', fingerprint: 'f' }
    const name = ['a', JSON.stringify(['ada', 'c', 'f'])]
    const decideOld = async (approved: boolean) => {
      const [row] = await old.query(
        'select assent.decide_approval_v1($1, $2, $3, $4, 1000000000) as stands',
        [...name, approved, Date.now()],
      )
      return row?.['stands']
    }
    expect(await decideOld(true)).toBe(true)
    expect(await ledger.decision(key)).toEqual({ approved: true, by: undefined })
    expect(await ledger.decide(key, false, Date.now(), 'bob')).toBe(false)
    expect(await decideOld(true)).toBe(false)
    expect(await ledger.decision(key)).toEqual({ approved: false, by: 'bob' })
  })

  it('have made what was never changed since', () => {
    const hashes = MIGRATIONS.map((sql) => hash('sha256', sql, 'hex').slice(0, 8))
    expect(hashes.slice(0, 5)).toMatchInlineSnapshot(`
      [
        "28f9402c",
        "240892d2",
        "1ed242f7",
        "4bcf8044",
        "780c1cb0",
      ]
    `)
  })
})
