import type { LedgerKey } from '@assent/node'
import { ledgerConformance, type TestedLedger } from '@assent/node/testing'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/test-database.ts'
import type { AssentPostgres } from '../open-postgres.ts'
import { postgresLedger } from './postgres-ledger.ts'

const START = 2_000_000_000_000
const DAY_MS = 86_400_000
const runner = { holder: 'x', leaseMs: 1_000 }

let test: TestDatabase
let one: AssentPostgres
let other: AssentPostgres
let now = START

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

async function setClock(at: number): Promise<void> {
  now = at
  await test.setClock(at)
}

const keyOf = (approvalId: string): LedgerKey => ({
  owner: '',
  conversationId: 'one',
  approvalId,
  fingerprint: 'f',
})

describe('postgresLedger', () => {
  it.each(ledgerConformance())('$name', async ({ run }) => {
    const made = run(async (): Promise<TestedLedger> => {
      await setClock(START)
      return {
        ledger: postgresLedger(one),
        other: postgresLedger(other),
        now: () => now,
        advance: (ms) => setClock(now + ms),
      }
    })
    await expect(made).resolves.toBeUndefined()
  })

  it('keeps what a run gave byte for byte, with what jsonb refuses', async () => {
    const ledger = postgresLedger(one)
    const output = { z: '\u0000 \ud83d', a: [1e21, -0.5] }
    await ledger.claim(keyOf('a'), runner, Date.now())
    await ledger.end(keyOf('a'), 'x', { status: 'done', output })
    const entry = await postgresLedger(other).look(keyOf('a'))
    expect(JSON.stringify(entry)).toBe(JSON.stringify({ status: 'done', output }))
  })

  it('forgets what cannot be used any more, and lets it be claimed by nobody', async () => {
    await setClock(START)
    const ledger = postgresLedger(one, { keepMs: 1_000 })
    await ledger.decide(keyOf('a'), false, START)
    await setClock(START + 1_000)
    await ledger.decide(keyOf('b'), false, now)
    expect(await ledger.decide(keyOf('a'), true, START)).toBe(false)
    await setClock(START + 1_500)
    await ledger.decide(keyOf('c'), false, now)
    const { rows } = await test.client.query('select approval_id from assent.approvals order by 1')
    expect(rows).toEqual([{ approval_id: 'b' }, { approval_id: 'c' }])
    // It may have run.
    expect(await ledger.claim(keyOf('a'), runner, START)).toEqual({ status: 'unknown' })
  })

  it('forgets nothing by a clock that jumps, forward or back', async () => {
    await setClock(START)
    const ledger = postgresLedger(one)
    await ledger.claim(keyOf('a'), runner, START)
    await ledger.end(keyOf('a'), 'x', { status: 'done', output: 1 })
    for (const jump of [400, -400, 800, -1_000, 5]) {
      await setClock(START + jump * DAY_MS)
      await ledger.decide(keyOf(`at ${jump}`), true, now)
      const known = await postgresLedger(other).claim(keyOf('a'), runner, START)
      expect(known).toEqual({ status: 'done', output: 1 })
    }
  })

  it('has another name once its tables were deleted and made anew, and none without its row', async () => {
    const replaced = await createTestDatabase('template0')
    const before = await postgresLedger(await replaced.open()).identity()
    expect(await postgresLedger(await replaced.open()).identity()).toBe(before)
    await replaced.close()
    await replaced.client.query('drop schema assent cascade')
    const ledger = postgresLedger(await replaced.open())
    const after = await ledger.identity()
    expect(after).toMatch(/^[0-9a-f-]{36}$/)
    expect(after).not.toBe(before)
    await replaced.client.query('delete from assent.ledger_store')
    await expect(ledger.identity()).rejects.toMatchObject({ code: 'database_unreadable' })
    await replaced.end()
  })

  it('refuses to keep decisions for no time', () => {
    for (const keepMs of [0, -1, Number.NaN, 0.5]) {
      expect(() => postgresLedger(one, { keepMs })).toThrow(/keepMs/)
    }
  })
})
