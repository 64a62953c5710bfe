import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openWorld, type World } from '../../../node/test/kills/world.ts'
import { startNode } from '../../../node/test/node-process.ts'
import { KILLS, playKills } from '../../../worker/test/kills/play-kills.ts'
import { missingPhases, wrongCalls } from '../../../worker/test/kills/truth.ts'
import { createTestDatabase, type TestDatabase } from '../../test/test-database.ts'
import { postgresStores } from './postgres-stores.ts'

const FIXTURE = join(import.meta.dirname, '../../test/worker-process.fixture.ts')

let test: TestDatabase
let world: World

beforeAll(async () => {
  test = await createTestDatabase()
})

beforeEach(async () => {
  world = await openWorld()
})

afterEach(() => world.close())

afterAll(() => test.end())

describe('workers on PostgreSQL alone that are killed, or stand still for a while', () => {
  it(
    `lose nothing and do nothing twice without saying so, after ${KILLS} kills`,
    async () => {
      const { inbox, audit } = postgresStores(await test.open(), { maxAttempts: 1_000 })
      const start = (name: string) => startNode(FIXTURE, test.url, world.url, name)
      const added = await playKills({ world, inbox, start })
      expect(await missingPhases(added, audit)).toEqual([])
      expect(await wrongCalls(added, audit, world)).toEqual([])
      expect(await audit.verify()).toMatchObject({ valid: true })
      // What is over leaves nothing behind.
      expect(await inbox.forget(Date.now() + 3_600_000)).toBe(added.length)
      for (const table of ['tasks', 'task_answers', 'task_replies', 'task_conversations']) {
        const { rows } = await test.client.query(`select * from assent.${table}`)
        expect(rows).toEqual([])
      }
    },
    KILLS * 15_000,
  )
})
