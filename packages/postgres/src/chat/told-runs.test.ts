import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import {
  answered,
  ask,
  asked,
  callsOf,
  decided,
  question,
  startAsking,
} from '../../../node/test/asking-server.ts'
import { userMessage } from '../../../node/test/raw-chat.ts'
import type { ModelStep } from '../../../node/test/scripted-model.ts'
import { createTestDatabase, type TestDatabase } from '../../test/test-database.ts'
import type { AssentPostgres } from '../open-postgres.ts'
import { postgresLedger } from './postgres-ledger.ts'

let test: TestDatabase
let one: AssentPostgres
let other: AssentPostgres

beforeAll(async () => {
  test = await createTestDatabase()
  one = await test.open()
  other = await test.open()
})

afterEach(() => test.empty())
afterAll(() => test.end())

const again = [['2', 'send', { to: 'ada' }]] satisfies ModelStep

/** A server that asks nobody. */
const start = (steps: readonly ModelStep[], database: AssentPostgres) =>
  startAsking(steps, { toolApproval: {}, ledger: postgresLedger(database) })

const untold = async () => {
  const { rows } = await test.client.query('select count(*)::int as n from assent.untold_runs')
  return rows[0]?.n
}

describe('a call that ran unasked, with servers on one PostgreSQL database', () => {
  it('does not run again for the same request at the other server, nor for another answer', async () => {
    const [first, second] = [await start([ask, 'Sent.'], one), await start([ask, 'Sent.'], other)]
    const named = { body: { requestId: 'turn/1' } }
    await answered(question, await first.chat.post(question, named))
    for (const body of [named.body, { trigger: 'regenerate-message' }]) {
      const messages = await answered(question, await second.chat.post(question, { body }))
      expect(callsOf(messages)[0]).toMatchObject({ toolCallId: '1', output: 'receipt 1' })
    }
    expect([first.effects, second.effects]).toEqual([['send ada'], []])
  })

  it('is told by a request that carries its result, at whichever server', async () => {
    const first = await start([ask, 'Sent.'], one)
    const second = await start([again, 'Sent again.'], other)
    const has = await answered(question, await first.chat.post(question))
    expect(await untold()).toBe(1)
    const more = [...has, userMessage('Once more')]
    const messages = await answered(more, await second.chat.post(more))
    expect(callsOf(messages)).toMatchObject([{ toolCallId: '2', output: 'receipt 1' }])
    expect(await untold()).toBe(1)
    expect([first.effects, second.effects]).toEqual([['send ada'], ['send ada']])
  })
})

it('runs nothing for an approval that was asked for with another PostgreSQL database', async () => {
  const before = await startAsking([ask, 'Sent.'], { ledger: postgresLedger(one) })
  const messages = decided(await asked(before), true)
  await (await before.chat.post(messages)).text()
  expect(before.effects).toEqual(['send ada'])
  const replaced = await createTestDatabase('template0')
  const ledger = postgresLedger(await replaced.open())
  const after = await startAsking(['Not sent.'], { ledger })
  const told = await answered(messages, await after.chat.post(messages))
  expect(callsOf(told)).toMatchObject([
    { state: 'output-error', errorText: expect.stringContaining('the approval holds no more') },
  ])
  expect(after.effects).toEqual([])
  await replaced.end()
})
