import { assert, asyncProperty, scheduler } from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { plans } from '../../test/sharing/plan.ts'
import { play } from '../../test/sharing/play.ts'
import { Rules } from '../../test/sharing/rules.ts'
import { createSharedEngine } from './create-shared-engine.ts'

const RUNS = process.env['ASSENT_DEEP'] === '1' ? 3_000 : 200
/** What a failure has printed, as JSON, to play that again: `{ "seed": …, "path": … }`. */
const REPLAY: { seed?: number; path?: string } = JSON.parse(process.env['ASSENT_REPLAY'] ?? '{}')
const TIME = { advance: (ms: number) => void vi.advanceTimersByTime(ms) }

describe('tabs of one conversation', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
  })

  afterEach(() => {
    vi.useRealTimers()
  })

  it(`keep to the rules in ${RUNS} random plays`, async () => {
    const rules = new Rules()
    const property = asyncProperty(plans, scheduler(), (plan, order) =>
      play(plan, order, createSharedEngine, rules, TIME),
    )
    await assert(property, { numRuns: RUNS, unbiased: true, ...REPLAY })
    process.stdout.write(`\n${RUNS} plays. How often each rule had a say:\n${rules}\n`)
    expect(rules.idle).toEqual([])
  }, 900_000)
})
