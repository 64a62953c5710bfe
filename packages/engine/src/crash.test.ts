import { jsonSchema, tool, type ToolSet, type UIMessage } from 'ai'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { play, TRUE_PARTS, type AppParts, type Clock, type Play } from '../test/crash/crash-play.ts'
import { enumerate, type Counts, type Kind } from '../test/crash/enumerate.ts'
import { FAULTS, loadFaultyApp } from '../test/crash/faults.ts'
import { INVARIANTS, type Tally as InvariantTally } from '../test/crash/invariants.ts'
import { BrokenRule } from './testing/broken-rule.ts'
import { Tally } from '../test/rules/tally.ts'
import { Watch } from '../test/rules/watch.ts'
import { TURNS } from '../test/crash/turns.ts'
import { callsAndResults, promptOf } from '../test/model-prompt.ts'

const isDeep = process.env['ASSENT_DEEP'] === '1'
const isSoak = process.env['ASSENT_SOAK'] === '1'
/** Every twelfth one, as a sample, where there is less time. */
const TRIED_FAULTS = FAULTS.filter((_fault, index) => isDeep || index % 12 === 0)
/** One of how many plays is played; at another one of them each time a turn comes. */
const EVERY: Readonly<Record<Kind, number>> = isSoak
  ? { once: 1, twice: 29, failing: 1 }
  : isDeep
    ? { once: 3, twice: 113, failing: 5 }
    : { once: 11, twice: 197, failing: 23 }
const QUICK = { isQuick: true, isFickle: false }
const PEOPLE = [QUICK, { isQuick: true, isFickle: true, writeMs: 70 }]
const ALL_PEOPLE = [
  ...PEOPLE,
  { isQuick: false, isFickle: true, writeMs: 30 },
  { isQuick: false, isFickle: false },
]
/** Histories that are given to the AI SDK. */
const HISTORIES = isDeep ? 1_000 : 80

const CLOCK: Clock = {
  advance: (ms) => vi.advanceTimersByTimeAsync(ms),
  clear: () => vi.clearAllTimers(),
}
const SERVER_TOOLS: ToolSet = {
  deploy: tool({ inputSchema: jsonSchema({ type: 'object' }), execute: () => 'deployed' }),
}

describe('a crash', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
  })

  afterEach(() => {
    vi.useRealTimers()
  })

  it('loses nothing and makes nothing run twice, wherever it falls', async () => {
    const tally = new Tally(INVARIANTS)
    const counts: Counts = { once: 0, twice: 0, failing: 0 }
    const histories = new Set<string>()
    let missed = 0
    const playOnce = async (what: Play) => {
      const played = await play(what, TRUE_PARTS, tally, CLOCK)
      if (!what.failing && played.crashes < what.points.length) missed++
      for (const history of played.histories) histories.add(history)
      return played
    }
    for (const [index, turn] of TURNS.entries()) {
      const takes = (kind: Kind, count: number) => (count + index) % EVERY[kind] === 0
      const people = isDeep ? ALL_PEOPLE : PEOPLE
      await enumerate(turn, { takes, people }, playOnce, counts)
    }
    vi.useRealTimers()
    await giveToAiSdk([...histories], tally)
    const { once, twice, failing } = counts
    process.stdout.write(
      `\n${once} crash points, ${twice} more with a second crash after them, ${failing} plays with a ` +
        `store that fails, ${histories.size} histories. How often each invariant had a say:\n${tally}\n`,
    )
    expect(missed).toBe(0)
    expect(once).toBeGreaterThan(isSoak ? 5_000 : isDeep ? 1_500 : 200)
    expect(tally.idle()).toEqual([])
  }, 1_800_000)

  it.for(TRIED_FAULTS)('breaks an invariant when $name', { timeout: 120_000 }, async (fault) => {
    const found = await findBroken(await loadFaultyApp(fault), fault.turn)
    expect(found).toBeInstanceOf(BrokenRule)
    expect(fault.breaks).toContain(found?.rule)
  })
})

/** The first invariant that an app breaks in a turn. */
async function findBroken(parts: AppParts, name: string): Promise<BrokenRule | undefined> {
  const turn = TURNS.find((one) => one.name === name)
  if (!turn) throw new Error(`No turn is called ${name}.`)
  const counts: Counts = { once: 0, twice: 0, failing: 0 }
  const takes = (kind: Kind) => kind !== 'twice'
  try {
    const playOnce = (what: Play) => play(what, parts, new Tally(INVARIANTS), CLOCK)
    await enumerate(turn, { takes, people: PEOPLE }, playOnce, counts)
    return undefined
  } catch (error) {
    if (error instanceof BrokenRule) return error
    throw error
  }
}

async function giveToAiSdk(histories: readonly string[], tally: InvariantTally): Promise<void> {
  const watch = new Watch(tally)
  const every = Math.ceil(histories.length / HISTORIES)
  for (const history of histories.filter((_history, index) => index % every === 0)) {
    const messages: UIMessage[] = JSON.parse(history)
    const { prompt, errors } = await promptOf(messages, SERVER_TOOLS)
    const { calls, results } = callsAndResults(prompt ?? [])
    const isAccepted = errors.length === 0 && calls.sort().join() === results.sort().join()
    watch.hold('I4 the AI SDK accepts the history', isAccepted, { errors, messages })
  }
  watch.report()
}
