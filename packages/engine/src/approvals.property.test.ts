import { assert, asyncProperty, check, scheduler } from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { FAULTS } from '../test/approvals/faults.ts'
import {
  INVARIANTS,
  type Invariant,
  type Tally as InvariantTally,
} from '../test/approvals/invariants.ts'
import { plans } from '../test/approvals/plan.ts'
import { play } from '../test/approvals/play.ts'
import { BrokenRule } from '../test/rules/broken-rule.ts'
import { Tally } from '../test/rules/tally.ts'
import { loadFaulty } from '../test/turns/faults.ts'
import type { EngineParts } from '../test/turns/play.ts'
import { createMessageEngine } from './engine.ts'
import type { EngineErrorCode } from './errors.ts'
import { toolPlugin } from './plugins/tools/tool-plugin.ts'

const isDeep = process.env['ASSENT_DEEP'] === '1'
/** Every third one, as a sample, where there is less time. */
const TRIED_FAULTS = FAULTS.filter((_fault, index) => isDeep || index % 3 === 0)
const RUNS = isDeep ? 12_000 : 400
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
  .concat('send, queue', 'send, reject', 'send, denies', 'revoke, asks again')
  .concat('restart, same', 'restart, another conversation', 'restart, another schema')
  .concat('several, refused: batch_refused')

/** All codes with which a decision can be refused. */
const REFUSALS: readonly EngineErrorCode[] = [
  'approval_expired',
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

function property(parts: EngineParts, tally: InvariantTally) {
  return asyncProperty(plans, scheduler(), (plan, order) => play(plan, order, parts, tally, TIME))
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
    const parts = { createMessageEngine, toolPlugin }
    await assert(property(parts, tally), { numRuns: RUNS, unbiased: true, ...REPLAY })
    process.stdout.write(`\n${RUNS} plays. How often each invariant had a say:\n${tally}\n`)
    expect(tally.idle([...MOVES, ...REFUSALS.map((code) => `refused: ${code}`)])).toEqual([])
  }, 1_800_000)

  it.for(TRIED_FAULTS)('break an invariant when $name', { timeout: 120_000 }, async (fault) => {
    const parts = await loadFaulty(fault)
    const options = { numRuns: MOST_RUNS, unbiased: true, endOnFailure: true, seed: 11 }
    const { failed, errorInstance, numRuns } = await check(
      property(parts, new Tally(INVARIANTS)),
      options,
    )
    expect(failed).toBe(true)
    expect(errorInstance).toBeInstanceOf(BrokenRule)
    const { rule } = errorInstance as BrokenRule<Invariant>
    expect(fault.breaks).toContain(rule)
    process.stdout.write(`Play ${numRuns} found out that ${fault.name}: ${rule}\n`)
  })
})
