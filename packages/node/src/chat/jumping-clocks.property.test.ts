import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { openDatabase } from '../sqlite/open-database.ts'
import type { ApprovalLedger, LedgerKey } from './approval-ledger.ts'
import { memoryLedger } from './memory-ledger.ts'
import { sqliteLedger } from './sqlite-ledger.ts'

const isDeep = process.env['ASSENT_DEEP'] === '1'
const isSoak = process.env['ASSENT_SOAK'] === '1'
const numRuns = isSoak ? 5_000 : isDeep ? 600 : 60

const HOUR = 3_600_000
const DAY = 24 * HOUR
const KEEP = 4 * HOUR
const START = 2_000_000_000_000

/** Ledgers over the same entries, as of as many processes, and what may be done to what they keep. */
interface Kept {
  readonly ledgers: readonly ApprovalLedger[]
  sql(text: string): void
  close(): void
}
type Keep = (now: () => number, keepMs: number) => Kept
/** Makes a ledger as wrong as one could be; done after every step. */
type Fault = (kept: Kept) => void

const inMemory: Keep = (now, keepMs) => ({
  ledgers: [memoryLedger({ keepMs, now })],
  sql: () => undefined,
  close: () => undefined,
})

const inDatabase: Keep = (now, keepMs) => {
  const database = openDatabase(':memory:')
  const make = () => sqliteLedger(database, { keepMs, now })
  return {
    ledgers: [make(), make()],
    sql: (text) => database.sqlite.exec(text),
    close: () => database.close(),
  }
}

const runner = { holder: 'x', leaseMs: 1_000 }
const keyOf = (id: number): LedgerKey => ({
  owner: 'ada',
  conversationId: 'one',
  approvalId: `${id}`,
  fingerprint: 'f',
})

const step = fc.oneof(
  { weight: 3, arbitrary: fc.constant({ type: 'ask' } as const) },
  ...(['approve', 'deny', 'claim', 'expire'] as const).map((type) => ({
    weight: type === 'claim' ? 6 : 2,
    arbitrary: fc.record({ type: fc.constant(type), pick: fc.nat({ max: 5 }) }),
  })),
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constant('jump' as const),
      by: fc.oneof(
        fc.integer({ min: 0, max: 2 * HOUR }),
        fc.integer({ min: -5 * DAY, max: 5 * DAY }),
        fc.integer({ min: -3_000 * DAY, max: 3_000 * DAY }),
      ),
    }),
  },
)
const plays = fc.array(fc.record({ what: step, who: fc.nat({ max: 1 }) }), {
  minLength: 10,
  maxLength: 120,
})

/** Whatever the clock says, in whatever order: no call is claimed twice, and none that was denied. */
function neverTwice(keep: Keep, fault: Fault = () => undefined) {
  return fc.asyncProperty(plays, async (steps) => {
    let now = START
    // So short that a play of some steps forgets.
    const kept = keep(() => now, HOUR / 2)
    const asked: number[] = []
    const claimed = new Set<number>()
    const denied = new Set<number>()
    try {
      for (const { what, who } of steps) {
        const ledger = kept.ledgers[who % kept.ledgers.length]
        if (!ledger) continue
        if (what.type === 'ask') asked.push(now)
        else if (what.type === 'jump') now = Math.max(0, now + what.by)
        else {
          const id = what.pick % Math.max(asked.length, 1)
          const [key, at] = [keyOf(id), asked[id]]
          if (at === undefined) continue
          if (what.type === 'approve') await ledger.decide(key, true, at)
          if (what.type === 'expire') await ledger.expire(key, at)
          if (what.type === 'deny') {
            const stands = await ledger.decide(key, false, at)
            if (!stands) denied.add(id)
          }
          if (what.type === 'claim') {
            const { status } = await ledger.claim(key, runner, at)
            const isSpent = claimed.has(id) || denied.has(id)
            if (isSpent && status === 'claimed')
              throw new Error('What has run, or was denied, runs.')
            if (status === 'claimed') {
              claimed.add(id)
              await ledger.end(key, 'x', { status: 'done', output: id })
            }
          }
        }
        fault(kept)
      }
    } finally {
      kept.close()
    }
  })
}

/** A clock that jumps, and is set right again: what has run is known, and what is new runs. */
function allKnown(keep: Keep, fault: Fault = () => undefined) {
  const jump = fc.integer({ min: -400 * DAY, max: 400 * DAY })
  return fc.asyncProperty(jump, fc.nat({ max: 3 }), async (by, others) => {
    let now = START
    const kept = keep(() => now, KEEP)
    const [ledger] = kept.ledgers
    if (!ledger) return
    const claim = async (id: number, at: number) => {
      const answer = await ledger.claim(keyOf(id), runner, at)
      if (answer.status === 'claimed') {
        await ledger.end(keyOf(id), 'x', { status: 'done', output: id })
      }
      fault(kept)
      return answer.status
    }
    try {
      expect(await claim(0, START)).toBe('claimed')
      now = START + by
      for (let id = 1; id <= others; id++) await claim(id, now)
      now = START + 60_000
      expect(await claim(100, now)).toBe('claimed')
      expect(await ledger.claim(keyOf(0), runner, START)).toEqual({ status: 'done', output: 0 })
    } finally {
      kept.close()
    }
  })
}

test.each([
  ['in memory', inMemory],
  ['in a database', inDatabase],
] as const)('no clock makes a ledger forget what has run: %s', async (_, keep) => {
  const play = async () => {
    await fc.assert(neverTwice(keep), { numRuns })
    await fc.assert(allKnown(keep), { numRuns })
  }
  await expect(play()).resolves.toBeUndefined()
})

test('a ledger forgets what is over, by a clock that goes on', async () => {
  let now = START
  const database = openDatabase(':memory:')
  const ledger = sqliteLedger(database, { keepMs: KEEP, now: () => now })
  const rows = () =>
    ['approval_ledger', 'untold_run', 'latest_answer'].map(
      (table) => database.sqlite.prepare(`SELECT count(*) AS rows FROM ${table}`).get()?.['rows'],
    )
  const use = async (id: number) => {
    const scope = { owner: 'ada', conversationId: `${id}` }
    await ledger.begin(scope, 'a')
    const call = { answerId: 'a', step: 1, toolCallId: 'c', toolName: 'send', input: {}, before: 0 }
    await ledger.claimUnasked({ key: { ...keyOf(id), ...scope }, ...call }, runner)
    await ledger.claim(keyOf(id), runner, now)
  }
  for (let id = 0; id < 50; id++) {
    await use(id)
    now += HOUR / 2
  }
  // What is of the last four hours: of nine times half an hour, two of them calls.
  expect(rows()).toEqual([18, 9, 9])
  database.close()
})

// What the properties are worth: each of these ledgers is wrong in one way, and is caught.
test.each<[string, Fault, typeof neverTwice | typeof allKnown]>([
  [
    'does not know what it has forgotten',
    (kept) => kept.sql('UPDATE ledger_mark SET forgotten_before = 0'),
    neverTwice,
  ],
  [
    'counts the time by its clock alone',
    (kept) => kept.sql('UPDATE ledger_mark SET passed_ms = latest_at'),
    allKnown,
  ],
  [
    'forgets what has run',
    (kept) => kept.sql("DELETE FROM approval_ledger WHERE state = 'done'"),
    neverTwice,
  ],
  [
    'takes a denial back',
    (kept) => kept.sql("UPDATE approval_ledger SET state = 'approved' WHERE state = 'denied'"),
    neverTwice,
  ],
])('a ledger is caught that %s', async (_, fault, property) => {
  const caught = fc.assert<unknown>(property(inDatabase, fault), {
    numRuns: 2_000,
    endOnFailure: true,
  })
  await expect(caught).rejects.toThrow('Property failed')
})
