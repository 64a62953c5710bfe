import type { Inbox } from '@assent/worker'
import { assert, asyncProperty } from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { plans } from '../../../worker/test/inbox-plays/plan.ts'
import { play } from '../../../worker/test/inbox-plays/play.ts'
import { ReferenceInbox } from '../../../worker/test/inbox-plays/reference.ts'
import { Referee } from '../../../worker/test/inbox-plays/rules.ts'
import { createTestDatabase, type TestDatabase } from '../../test/test-database.ts'
import type { AssentPostgres } from '../open-postgres.ts'
import { postgresInbox } from './postgres-inbox.ts'

const isDeep = process.env['ASSENT_DEEP'] === '1'
const isSoak = process.env['ASSENT_SOAK'] === '1'
const RUNS = isSoak ? 2_000 : isDeep ? 200 : 10

let test: TestDatabase
let databases: readonly AssentPostgres[]

beforeAll(async () => {
  test = await createTestDatabase()
  databases = [await test.open(), await test.open()]
})

afterAll(() => test.end())

/** The inbox of a process, by the clock of the reference. */
function inboxAt(database: AssentPostgres, reference: ReferenceInbox): Inbox {
  const inbox = postgresInbox(database)
  let set: number | undefined
  return new Proxy(inbox, {
    get: (target, name, receiver) => {
      const value: unknown = Reflect.get(target, name, receiver)
      if (typeof value !== 'function') return value
      return async (...values: unknown[]): Promise<unknown> => {
        if (set !== reference.now) await test.setClock((set = reference.now))
        return Reflect.apply(value, target, values)
      }
    },
  })
}

describe('two processes at one inbox', () => {
  it(`keep to the rules in ${RUNS} random plays`, { timeout: 3_600_000 }, async () => {
    const referee = new Referee()
    const keepsToRules = asyncProperty(plans, async (plan) => {
      await test.empty()
      const reference = new ReferenceInbox()
      const [one, other] = databases.map((database) => inboxAt(database, reference))
      await play(plan, { inboxes: [one!, other!], reference }, referee)
    })
    await assert(keepsToRules, { numRuns: RUNS, unbiased: true })
    if (!isDeep) return
    process.stdout.write(`\n${RUNS} plays. How often each rule had a say:\n${referee}\n`)
    expect(referee.idle()).toEqual([])
  })
})
