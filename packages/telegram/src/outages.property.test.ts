import { describe, expect, inject, it } from 'vitest'
import { FAULTS } from '../test/plays/faults.ts'
import { drawPlan, EVENTS, KILLS, SPELLS } from '../test/plays/plan.ts'
import { play } from '../test/plays/play.ts'

const isDeep = process.env['ASSENT_DEEP'] === '1'
const isSoak = process.env['ASSENT_SOAK'] === '1'
/** Plays of a run, a few of them beside each other: they mostly wait. `ASSENT_PLAYS` says how many. */
const PLAYS = Number(process.env['ASSENT_PLAYS'] ?? (isSoak ? 2_000 : isDeep ? 60 : 4))
const BESIDE = 4
const ALL = [
  ...SPELLS.map((spell) => `met: ${spell}`),
  ...KILLS.map((kill) => `killed: ${kill}`),
  ...EVENTS,
]

describe('a bot in bad weather, killed again and again', () => {
  it(
    `answers every message or says why, and does nothing twice, in ${PLAYS} plays`,
    { timeout: 180_000 + PLAYS * 20_000 },
    async () => {
      const seeds = Array.from({ length: PLAYS }, (_, at) => inject('seed') + at)
      const totals = new Map<string, number>()
      const failed: string[] = []
      const sums = { messages: 0, effects: 0 }
      const playNext = async (): Promise<void> => {
        for (let seed = seeds.shift(); seed !== undefined; seed = seeds.shift()) {
          const { violations, messages, effects, counts } = await play(drawPlan(seed))
          sums.messages += messages
          sums.effects += effects
          for (const [what, many] of counts) totals.set(what, (totals.get(what) ?? 0) + many)
          failed.push(...violations.map((violation) => `seed ${seed}: ${violation}`))
        }
      }
      await Promise.all(Array.from({ length: BESIDE }, playNext))
      const lines = ALL.map((what) => `  ${what}: ${totals.get(what) ?? 0}`)
      const head = `${PLAYS} plays, ${sums.messages} messages, ${sums.effects} effects`
      process.stdout.write(`${[head, ...lines].join('\n')}\n`)
      expect(failed).toEqual([])
      const missing = ALL.filter((what) => !totals.has(what))
      expect(isDeep || isSoak ? missing : []).toEqual([])
    },
  )

  it.each(FAULTS)('a play notices that $name', { timeout: 120_000 }, async (fault) => {
    // On a busy machine the outage may be over before there is a reply: one of a few plays notices.
    const noticed: string[] = []
    for (let seed = 1; seed <= 5 && noticed.length === 0; seed++) {
      const plan = { seed, steps: fault.steps }
      const [faulty, sound] = await Promise.all([play(plan, fault), play(plan)])
      noticed.push(...faulty.violations)
      expect(sound.violations).toEqual([])
    }
    expect(noticed).not.toEqual([])
  })
})
