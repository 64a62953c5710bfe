import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/test-database.ts'
import { fillInbox } from '../../test/waiting-tasks.ts'
import { postgresInbox, type PostgresInbox } from './postgres-inbox.ts'

const isSoak = process.env['ASSENT_SOAK'] === '1'
const MANY = isSoak ? 1_000_000 : 100_000
const CLAIMS = 100

let test: TestDatabase
let inbox: PostgresInbox

beforeAll(async () => {
  test = await createTestDatabase()
  inbox = postgresInbox(await test.open())
})

afterAll(() => test.end())

/** The median of the milliseconds that a claim and an end take. */
async function timeOfClaim(): Promise<number> {
  const times: number[] = []
  for (let index = 0; index < CLAIMS; index++) {
    const from = performance.now()
    const claim = await inbox.claim({ worker: 'w', leaseMs: 60_000 })
    if (!claim) throw new Error('Nothing was there.')
    await inbox.complete(claim)
    times.push(performance.now() - from)
  }
  return times.toSorted((one, other) => one - other)[CLAIMS / 2] ?? NaN
}

it(`claims a task as fast among ${MANY} that wait as among 1,000`, async () => {
  await fillInbox(test.client, 1_000)
  await timeOfClaim()
  const few = await timeOfClaim()
  await fillInbox(test.client, MANY)
  const many = await timeOfClaim()
  process.stdout.write(
    `\nA claim and its end: ${few.toFixed(2)} ms of 1,000, ${many.toFixed(2)} ms of ${MANY}.\n`,
  )
  // A sort of all that wait would be slower by what there is more of.
  expect(many).toBeLessThan(few * 5)
})
