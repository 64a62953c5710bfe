import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startNode } from '../../../node/test/node-process.ts'
import { KILLS, KILLS_TIMEOUT_MS, playKills, SAID } from '../../../telegram/test/play-kills.ts'
import { createTestDatabase, type TestDatabase } from '../../test/test-database.ts'
import { postgresInbox } from '../tasks/postgres-inbox.ts'

const FIXTURE = join(import.meta.dirname, '../../test/bot-process.fixture.ts')

let test: TestDatabase

beforeAll(async () => {
  test = await createTestDatabase()
})

afterAll(() => test.end())

it(
  `a bot on PostgreSQL alone that is killed ${KILLS} times repeats nothing without a mark`,
  async () => {
    const inbox = postgresInbox(await test.open())
    const start = (args: readonly string[]) => startNode(FIXTURE, test.url, ...args)
    expect(await playKills({ inbox, start })).toHaveLength(SAID)
  },
  KILLS_TIMEOUT_MS,
)
