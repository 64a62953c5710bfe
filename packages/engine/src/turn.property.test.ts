import { jsonSchema, tool, type ToolSet, type UIMessage } from 'ai'
import { assert, asyncProperty, check, scheduler } from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { callsAndResults, promptOf } from '../test/model-prompt.ts'
import { BrokenRule } from './testing/broken-rule.ts'
import { Tally } from '../test/rules/tally.ts'
import { Watch } from '../test/rules/watch.ts'
import { FAULTS, loadFaulty } from '../test/turns/faults.ts'
import { plans } from '../test/turns/plan.ts'
import { play, type EngineParts } from '../test/turns/play.ts'
import { RULES, type Rules } from '../test/turns/rules.ts'
import { createMessageEngine } from './engine.ts'
import { toolPlugin } from './plugins/tools/tool-plugin.ts'

const isDeep = process.env['ASSENT_DEEP'] === '1'
const isSoak = process.env['ASSENT_SOAK'] === '1'
const RUNS = isSoak ? 20_000 : isDeep ? 1_500 : 70
/** Every eighth one, as a sample, where there is less time. */
const TRIED_FAULTS = FAULTS.filter((_fault, index) => isDeep || index % 8 === 0)
/** Histories that are given to the AI SDK. */
const HISTORIES = isDeep ? 1_000 : 40
/** What a failure has printed, as JSON, to play that again: `{ "seed": …, "path": … }`. */
const REPLAY: { seed?: number; path?: string } = JSON.parse(process.env['ASSENT_REPLAY'] ?? '{}')
const TIME = { advance: (ms: number) => void vi.advanceTimersByTime(ms), now: () => Date.now() }
const SERVER_TOOLS: ToolSet = {
  deploy: tool({ inputSchema: jsonSchema({ type: 'object' }), execute: () => 'deployed' }),
}

/** Plays at random; what is called with each play's requests. */
function property(
  parts: EngineParts,
  rules: Rules,
  onPlayed: (requests: readonly string[]) => void,
) {
  return asyncProperty(plans, scheduler(), async (plan, order) => {
    onPlayed(await play(plan, order, parts, rules, TIME))
  })
}

describe('turns', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
  })

  afterEach(() => {
    vi.useRealTimers()
  })

  it(`keep to the rules in ${RUNS} random plays`, async () => {
    const tally = new Tally(RULES)
    const rules = new Watch(tally)
    const requests = new Set<string>()
    const parts = { createMessageEngine, toolPlugin }
    const onPlayed = (made: readonly string[]) => made.forEach((request) => requests.add(request))
    await assert(property(parts, rules, onPlayed), { numRuns: RUNS, unbiased: true, ...REPLAY })

    vi.useRealTimers()
    const every = Math.ceil(requests.size / HISTORIES)
    for (const request of [...requests].filter((_request, index) => index % every === 0)) {
      const history: UIMessage[] = JSON.parse(request)
      const { prompt, errors } = await promptOf(history, SERVER_TOOLS)
      const { calls, results } = callsAndResults(prompt ?? [])
      const isAccepted = errors.length === 0 && calls.sort().join() === results.sort().join()
      rules.hold('the AI SDK accepts the history', isAccepted, { errors, history })
    }
    rules.report()
    process.stdout.write(
      `\n${RUNS} plays with ${requests.size} histories. How often each rule had a say:\n${tally}\n`,
    )
    expect(tally.idle()).toEqual([])
  }, 10_800_000)

  it.for(TRIED_FAULTS)('break a rule when $name', { timeout: 120_000 }, async (fault) => {
    const parts = await loadFaulty(fault)
    const options = { numRuns: 3000, unbiased: true, endOnFailure: true, seed: 7 }
    const { failed, errorInstance } = await check(
      property(parts, new Watch(new Tally(RULES)), () => undefined),
      options,
    )
    expect(failed).toBe(true)
    expect(errorInstance).toBeInstanceOf(BrokenRule)
  })
})
