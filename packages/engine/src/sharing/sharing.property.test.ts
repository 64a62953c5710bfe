import { assert, asyncProperty, check, scheduler } from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { BrokenRule } from '../testing/broken-rule.ts'
import { Tally } from '../../test/rules/tally.ts'
import { Watch } from '../../test/rules/watch.ts'
import { FAULTS, loadFaulty } from '../../test/sharing/faults.ts'
import { plans } from '../../test/sharing/plan.ts'
import { play } from '../../test/sharing/play.ts'
import { RULES, type Rules } from '../../test/sharing/rules.ts'
import { createSharedEngine } from './create-shared-engine.ts'

const isDeep = process.env['ASSENT_DEEP'] === '1'
const isSoak = process.env['ASSENT_SOAK'] === '1'
const RUNS = isSoak ? 3_000 : isDeep ? 800 : 40
/** Every sixth one, as a sample, where there is less time. */
const TRIED_FAULTS = FAULTS.filter((_fault, index) => isDeep || index % 6 === 2)
/** What a failure has printed, as JSON, to play that again: `{ "seed": …, "path": … }`. */
const REPLAY: { seed?: number; path?: string } = JSON.parse(process.env['ASSENT_REPLAY'] ?? '{}')
const TIME = { advance: (ms: number) => void vi.advanceTimersByTime(ms) }

function property(create: typeof createSharedEngine, rules: Rules) {
  return asyncProperty(plans, scheduler(), (plan, order) => play(plan, order, create, rules, TIME))
}

describe('tabs of one conversation', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
  })

  afterEach(() => {
    vi.useRealTimers()
  })

  it(`keep to the rules in ${RUNS} random plays`, async () => {
    const tally = new Tally(RULES)
    await assert(property(createSharedEngine, new Watch(tally)), {
      numRuns: RUNS,
      unbiased: true,
      ...REPLAY,
    })
    process.stdout.write(`\n${RUNS} plays. How often each rule had a say:\n${tally}\n`)
    expect(tally.idle()).toEqual([])
  }, 900_000)

  it.for(TRIED_FAULTS)('break a rule when $name', { timeout: 120_000 }, async (fault) => {
    const create = await loadFaulty(fault)
    const options = { numRuns: 2_000, unbiased: true, endOnFailure: true, seed: 7 }
    const played = await check(property(create, new Watch(new Tally(RULES))), options)
    expect(played.failed).toBe(true)
    expect(played.errorInstance).toBeInstanceOf(BrokenRule)
  })
})
