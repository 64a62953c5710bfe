import { join } from 'node:path'
import { openDatabase } from '@assent/node'
import { expect, it } from 'vitest'
import { createScratch } from '../../node/test/scratch.ts'
import { sqliteInbox, type SqliteInbox } from './sqlite-inbox.ts'

const isSoak = process.env['ASSENT_SOAK'] === '1'
const MANY = isSoak ? 1_000_000 : 100_000
const CLAIMS = 100

/** The median of the milliseconds that a claim, its end and the look for the next one take. */
async function timeOfTask(inbox: SqliteInbox): Promise<number> {
  const times: number[] = []
  for (let index = 0; index < CLAIMS; index++) {
    const from = performance.now()
    const claim = await inbox.claim({ worker: 'w', leaseMs: 60_000 })
    if (!claim) throw new Error('Nothing was there.')
    await inbox.complete(claim)
    await inbox.msUntilDue()
    times.push(performance.now() - from)
  }
  return times.toSorted((one, other) => one - other)[CLAIMS / 2] ?? NaN
}

it(`works off a task as fast among ${MANY} that wait as among 1,000`, async () => {
  const scratch = createScratch()
  const database = openDatabase(join(scratch.path, 'data.db'), { synchronous: 'normal' })
  try {
    const inbox = sqliteInbox(database)
    // As `add` leaves them: half of them alone in their conversation, the rest behind others in ten.
    const fill = database.sqlite.prepare(`
      WITH RECURSIVE numbers (n) AS (SELECT ? UNION ALL SELECT n + 1 FROM numbers WHERE n < ?)
      INSERT INTO tasks (place, id, conversation_id, input_json, state, is_next, claimable_at,
        due_at, max_attempts, created_at, updated_at)
      SELECT n, 't' || n, CASE WHEN n % 2 THEN 'c' || n ELSE 'shared' || (n % 20) END, '"x"',
        'queued', n % 2 OR n <= 20, n, n, 3, n, n FROM numbers`)
    fill.run(1, 1_000)
    await timeOfTask(inbox)
    const few = await timeOfTask(inbox)
    fill.run(1_001, MANY)
    const many = await timeOfTask(inbox)
    process.stdout.write(
      `\nA task: ${few.toFixed(2)} ms of 1,000, ${many.toFixed(2)} ms of ${MANY} in a file.\n`,
    )
    // A look at all that wait would be slower by what there is more of.
    expect(many).toBeLessThan(few * 5)
  } finally {
    database.close()
    scratch.remove()
  }
}, 60_000)
