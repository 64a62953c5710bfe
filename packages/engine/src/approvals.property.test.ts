import { assert, asyncProperty, check, scheduler, type Arbitrary } from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { FAULTS, type DecisionFault } from '../test/approvals/faults.ts'
import {
  INVARIANTS,
  STORED_INVARIANTS,
  type Invariant,
  type Tally as InvariantTally,
} from '../test/approvals/invariants.ts'
import { TRUE_PARTS, type AppParts } from '../test/crash/crash-play.ts'
import { STORED_FAULTS } from '../test/approvals/stored-faults.ts'
import { storedPlans } from '../test/approvals/stored-plan.ts'
import { plans, type Plan } from '../test/approvals/plan.ts'
import { play } from '../test/approvals/play.ts'
import { BrokenRule } from './testing/broken-rule.ts'
import { Tally } from '../test/rules/tally.ts'
import { loadFaultyApp } from '../test/crash/faults.ts'
import type { EngineErrorCode } from './errors.ts'

const isDeep = process.env['ASSENT_DEEP'] === '1'
const isSoak = process.env['ASSENT_SOAK'] === '1'
/** Every twelfth one, as a sample, where there is less time. */
const isTried = (_fault: DecisionFault, index: number) => isDeep || index % 12 === 0
const TRIED_FAULTS = FAULTS.filter(isTried)
const TRIED_STORED_FAULTS = STORED_FAULTS.filter(isTried)
const STORED_RUNS = isSoak ? 6_000 : isDeep ? 600 : 40
const RUNS = isSoak ? 20_000 : isDeep ? 2_000 : 150
/** What a failure has printed, as JSON, to play that again: `{ "seed": …, "path": … }`. */
const REPLAY: { seed?: number; path?: string } = JSON.parse(process.env['ASSENT_REPLAY'] ?? '{}')
/** Far more than any fault needs to be noticed. */
const MOST_RUNS = 1_000
const TIME = { advance: (ms: number) => void vi.advanceTimersByTime(ms), now: () => Date.now() }

/** What must have been done in some play. */
const MOVES = [
  'yes, yes_always, no, edit, several, revoke, cancel, submit, submit an error, wait, send',
  'abort, retry, regenerate, change what was approved, the identical decision again',
]
  .flatMap((moves) => moves.split(', '))
  .concat('always, tool', 'always, input', 'always, patterns', 'always, settles what waits')
  .concat('stopAll', 'resume', 'resume what was suspended')
  .concat('send, queue', 'send, reject', 'send, denies', 'revoke, asks again')
  .concat('restart, same', 'restart, another conversation', 'restart, another schema')
  .concat('several, refused: batch_refused')

/** What must have been done in some play that is kept in a store. */
const STORED_MOVES = [
  'reload, same, reload, another schema, crash, by hand',
  'crash, write before, crash, write late, crash, write after, crash, write power',
].flatMap((moves) => moves.split(/, (?=reload|crash)/))

/** What has a say about once in a hundred plays: the heavier runs have enough for certain. */
const RARE_WHEN_STORED: ReadonlySet<string> = new Set<Invariant>([
  'I2 what was changed after a yes is asked about again',
  'I6 only the exact input covers what destroys',
  'I7 what has expired covers nothing that has not started',
])

/** All codes with which a decision can be refused. */
const REFUSALS: readonly EngineErrorCode[] = [
  'busy',
  'executed_elsewhere',
  'invalid_argument',
  'invalid_input',
  'not_awaiting_approval',
  'not_awaiting_output',
  'not_editable',
  'not_running',
  'scope_refused',
  'unknown_policy',
  'unknown_tool_call',
]

function property(played: Arbitrary<Plan>, parts: AppParts, tally: InvariantTally) {
  return asyncProperty(played, scheduler(), (plan, order) => play(plan, order, parts, tally, TIME))
}

describe('approvals', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
  })

  afterEach(() => {
    vi.useRealTimers()
  })

  it(`keep to the invariants in ${RUNS} random plays`, async () => {
    const tally = new Tally(INVARIANTS)
    await assert(property(plans, TRUE_PARTS, tally), { numRuns: RUNS, unbiased: true, ...REPLAY })
    process.stdout.write(`\n${RUNS} plays. How often each invariant had a say:\n${tally}\n`)
    expect(tally.idle([...MOVES, ...REFUSALS.map((code) => `refused: ${code}`)])).toEqual([])
  }, 10_800_000)

  it(`keep to the invariants through reloads and crashes in ${STORED_RUNS} random plays`, async () => {
    const tally = new Tally(STORED_INVARIANTS)
    const options = { numRuns: STORED_RUNS, unbiased: true, ...REPLAY }
    await assert(property(storedPlans, TRUE_PARTS, tally), options)
    process.stdout.write(`\n${STORED_RUNS} plays. How often each invariant had a say:\n${tally}\n`)
    const idle = tally.idle(STORED_MOVES)
    expect(isDeep ? idle : idle.filter((what) => !RARE_WHEN_STORED.has(what))).toEqual([])
  }, 10_800_000)

  it.for(TRIED_FAULTS)('break an invariant when $name', { timeout: 120_000 }, async (fault) => {
    expect(fault.breaks).toContain(await findBroken(plans, fault))
  })

  it.for(TRIED_STORED_FAULTS)(
    'break an invariant after a reload or a crash when $name',
    { timeout: 120_000 },
    async (fault) => {
      expect(fault.breaks).toContain(await findBroken(storedPlans, fault))
    },
  )
})

/** Plays until the fault is noticed. Answers with what it breaks first. */
async function findBroken(played: Arbitrary<Plan>, fault: DecisionFault): Promise<Invariant> {
  const parts = await loadFaultyApp(fault)
  const tried = property(played, parts, new Tally(STORED_INVARIANTS))
  const options = { numRuns: MOST_RUNS, unbiased: true, endOnFailure: true, seed: 11 }
  const { failed, errorInstance, numRuns } = await check(tried, options)
  expect(failed).toBe(true)
  expect(errorInstance).toBeInstanceOf(BrokenRule)
  const { rule } = errorInstance as BrokenRule<Invariant>
  process.stdout.write(`Play ${numRuns} found out that ${fault.name}: ${rule}\n`)
  return rule
}
