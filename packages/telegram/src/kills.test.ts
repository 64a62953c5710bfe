import { join } from 'node:path'
import { type AssentDatabase, openDatabase } from '@assent/node'
import { sqliteInbox } from '@assent/worker'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { startNode } from '../../node/test/node-process.ts'
import { createScratch, type Scratch } from '../../node/test/scratch.ts'
import { KILLS, KILLS_TIMEOUT_MS, playKills, SAID } from '../test/play-kills.ts'

const FIXTURE = join(import.meta.dirname, '../test/bot-process.fixture.ts')

let scratch: Scratch
let database: AssentDatabase

beforeEach(() => {
  scratch = createScratch()
  database = openDatabase(join(scratch.path, 'data.db'))
})

afterEach(() => {
  database.close()
  scratch.remove()
})

it(
  `a bot that is killed ${KILLS} times answers all, in order, and repeats nothing without a mark`,
  async () => {
    const tasks = await playKills({
      inbox: sqliteInbox(database),
      start: (args) => startNode(FIXTURE, database.path, ...args),
    })
    expect(tasks).toHaveLength(SAID)
  },
  KILLS_TIMEOUT_MS,
)
