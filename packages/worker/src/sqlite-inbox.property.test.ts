import { join } from 'node:path'
import { type AssentDatabase, openDatabase } from '@assent/node'
import { assert, asyncProperty, check } from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createScratch, type Scratch } from '../../node/test/scratch.ts'
import { FAULTS, loadFaulty } from '../test/inbox-plays/faults.ts'
import { plans } from '../test/inbox-plays/plan.ts'
import { play } from '../test/inbox-plays/play.ts'
import { ReferenceInbox } from '../test/inbox-plays/reference.ts'
import { BrokenRule, Referee } from '../test/inbox-plays/rules.ts'
import { sqliteInbox } from './sqlite-inbox.ts'

const isDeep = process.env['ASSENT_DEEP'] === '1'
const isSoak = process.env['ASSENT_SOAK'] === '1'
const RUNS = isSoak ? 5_000 : isDeep ? 1_500 : 40
/** Every sixth one, as a sample, where there is less time. */
const TRIED_FAULTS = FAULTS.filter((_fault, index) => isDeep || index % 6 === 0)

let scratch: Scratch
let databases: readonly [AssentDatabase, AssentDatabase]

beforeEach(() => {
  scratch = createScratch()
  const open = () => openDatabase(join(scratch.path, 'data.db'), { synchronous: 'normal' })
  databases = [open(), open()]
})

afterEach(() => {
  for (const database of databases) database.close()
  scratch.remove()
})

function property(create: typeof sqliteInbox, referee: Referee) {
  return asyncProperty(plans, async (plan) => {
    const [one, two] = databases
    one.sqlite.exec('DELETE FROM tasks')
    const reference = new ReferenceInbox()
    const options = { now: () => reference.now }
    await play(plan, { inboxes: [create(one, options), create(two, options)], reference }, referee)
  })
}

describe('two processes at one inbox', () => {
  it(`keep to the rules in ${RUNS} random plays`, async () => {
    const referee = new Referee()
    await assert(property(sqliteInbox, referee), { numRuns: RUNS, unbiased: true })
    process.stdout.write(`\n${RUNS} plays. How often each rule had a say:\n${referee}\n`)
    expect(referee.idle()).toEqual([])
  }, 600_000)

  it.for(TRIED_FAULTS)('break a rule when $name', { timeout: 120_000 }, async (fault) => {
    const create = await loadFaulty(fault)
    const played = await check(property(create, new Referee()), {
      numRuns: 2_000,
      unbiased: true,
      endOnFailure: true,
    })
    expect(played.failed).toBe(true)
    expect(played.errorInstance).toBeInstanceOf(BrokenRule)
  })
})
