import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createScratch, type Scratch } from '../../test/scratch.ts'
import { MIGRATIONS } from '../sqlite/migrations.ts'
import { openDatabase, openWith, type AssentDatabase } from '../sqlite/open-database.ts'
import { ledgerConformance } from '../testing/ledger-conformance.ts'
import type { ApprovalLedger, LedgerKey } from './approval-ledger.ts'
import { memoryLedger } from './memory-ledger.ts'
import { sqliteLedger } from './sqlite-ledger.ts'

let scratch: Scratch
let now = 0
let askedAt = 0
const databases: AssentDatabase[] = []
const clock = { now: () => now, advance: (ms: number) => void (now += ms) }
const key: LedgerKey = { owner: '', conversationId: 'one', approvalId: 'a', fingerprint: 'f' }
const keyOf = (approvalId: string): LedgerKey => ({ ...key, approvalId })
const runner = { holder: 'x', leaseMs: 1_000 }

function open(): AssentDatabase {
  const database = openDatabase(`${scratch.path}/data.db`)
  databases.push(database)
  return database
}

beforeEach(() => {
  scratch = createScratch()
  now = 2_000_000_000_000
  askedAt = now
})

afterEach(() => {
  for (const database of databases.splice(0)) database.close()
  scratch.remove()
})

describe('a ledger in memory', () => {
  it.each(ledgerConformance())('$name', async ({ run }) => {
    const ledger = memoryLedger(clock)
    const tested = async () => ({ ledger, other: ledger, ...clock })
    await expect(run(tested)).resolves.toBeUndefined()
  })

  it('forgets what cannot be used any more', async () => {
    const ledger = memoryLedger({ keepMs: 1_000, now: clock.now })
    await ledger.decide(keyOf('a'), false, askedAt)
    now += 1_000
    await ledger.decide(keyOf('b'), false, now)
    expect(await ledger.decide(keyOf('a'), true, askedAt)).toBe(false)
    now += 1
    await ledger.decide(keyOf('c'), false, now)
    expect(await ledger.decide(keyOf('a'), true, askedAt)).toBe(true)
    // It may have run.
    expect(await ledger.claim(keyOf('a'), runner, askedAt)).toEqual({ status: 'unknown' })
  })

  it('never runs a call again whose outcome it has no room for', async () => {
    const ledger = memoryLedger({ maxOutcomes: 2, now: clock.now })
    for (const id of ['a', 'b', 'c']) {
      await ledger.claim(keyOf(id), runner, askedAt)
      await ledger.end(keyOf(id), 'x', { status: 'done', output: id })
    }
    const answers = await Promise.all(
      ['a', 'b', 'c'].map((id) => ledger.claim(keyOf(id), runner, askedAt)),
    )
    expect(answers).toEqual([
      { status: 'unknown' },
      { status: 'done', output: 'b' },
      { status: 'done', output: 'c' },
    ])
  })
})

/** Of several processes, each call is another one's. */
function inTurn(first: ApprovalLedger, ...others: readonly ApprovalLedger[]): ApprovalLedger {
  const all = [first, ...others]
  let turn = 0
  const next = (): ApprovalLedger => all[turn++ % all.length] ?? first
  return {
    isDurable: first.isDurable,
    identity: () => next().identity(),
    decide: (...given) => next().decide(...given),
    decision: (wanted) => next().decision(wanted),
    look: (wanted) => next().look(wanted),
    claim: (...given) => next().claim(...given),
    begin: (...given) => next().begin(...given),
    claimUnasked: (...given) => next().claimUnasked(...given),
    told: (runs) => next().told(runs),
    renew: (...given) => next().renew(...given),
    end: (...given) => next().end(...given),
    release: (...given) => next().release(...given),
    expire: (...given) => next().expire(...given),
  }
}

describe.each([1, 3])('a ledger in a database, on %d connections', (count) => {
  it.each(ledgerConformance())('$name', async ({ run }) => {
    const made = run(async () => {
      const [ledger, ...others] = Array.from({ length: count }, () => sqliteLedger(open(), clock))
      if (!ledger) throw new Error('There is no connection.')
      const [other = ledger, ...rest] = others
      return { ledger, other: inTurn(other, ...rest), ...clock }
    })
    await expect(made).resolves.toBeUndefined()
  })
})

describe('a ledger in a database', () => {
  it('forgets what cannot be used any more', async () => {
    const ledger = sqliteLedger(open(), { keepMs: 1_000, now: clock.now })
    await ledger.decide(keyOf('a'), false, askedAt)
    now += 1_000
    await ledger.decide(keyOf('b'), false, now)
    expect(await ledger.decide(keyOf('a'), true, askedAt)).toBe(false)
    now += 1
    await ledger.decide(keyOf('c'), false, now)
    expect(await ledger.decide(keyOf('a'), true, askedAt)).toBe(true)
    // It may have run.
    expect(await ledger.claim(keyOf('a'), runner, askedAt)).toEqual({ status: 'unknown' })
  })

  it('still knows what a version before it has noted', async () => {
    const path = `${scratch.path}/data.db`
    const before = openWith(path, {}, MIGRATIONS.slice(0, 6))
    before.sqlite.exec(`INSERT INTO chat_approvals VALUES
      ('denied', 0, NULL, NULL, NULL, ${now}), ('free', 1, NULL, NULL, NULL, ${now}),
      ('begun', 1, 'begun', NULL, NULL, ${now}), ('done', 1, 'done', '7', NULL, ${now}),
      ('failed', 1, 'failed', NULL, 'no', ${now})`)
    before.close()
    const ledger = sqliteLedger(open(), clock)
    expect(await ledger.decide(keyOf('denied'), true, askedAt)).toBe(false)
    const ids = ['denied', 'free', 'begun', 'done', 'failed']
    const answers = await Promise.all(ids.map((id) => ledger.claim(keyOf(id), runner, askedAt)))
    expect(answers).toEqual([
      { status: 'denied' },
      { status: 'claimed' },
      { status: 'unknown' },
      { status: 'done', output: 7 },
      { status: 'failed', errorText: 'no' },
    ])
  })
})
