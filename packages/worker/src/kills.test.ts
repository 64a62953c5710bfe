import { join } from 'node:path'
import { type AssentDatabase, auditLog, openDatabase } from '@assent/node'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openWorld, type World } from '../../node/test/kills/world.ts'
import { startNode } from '../../node/test/node-process.ts'
import { createScratch, type Scratch } from '../../node/test/scratch.ts'
import { KILLS, playKills } from '../test/kills/play-kills.ts'
import { missingPhases, wrongCalls } from '../test/kills/truth.ts'
import { sqliteInbox } from './sqlite-inbox.ts'

const FIXTURE = join(import.meta.dirname, '../test/kills/worker-process.fixture.ts')

let scratch: Scratch
let world: World
let database: AssentDatabase

beforeEach(async () => {
  scratch = createScratch()
  world = await openWorld()
  // A worker that stands still may do so in the middle of a write.
  database = openDatabase(join(scratch.path, 'data.db'), { busyTimeoutMs: 60_000 })
})

afterEach(async () => {
  database.close()
  await world.close()
  scratch.remove()
})

describe('workers that are killed, or stand still for a while', () => {
  it(
    `lose nothing and do nothing twice without saying so, after ${KILLS} kills`,
    async () => {
      const inbox = sqliteInbox(database, { maxAttempts: 1_000 })
      const start = (name: string) => startNode(FIXTURE, database.path, world.url, name)
      const added = await playKills({ world, inbox, start })
      const audit = auditLog(database)
      expect(await missingPhases(added, audit)).toEqual([])
      expect(await wrongCalls(added, audit, world)).toEqual([])
      expect(await audit.verify()).toMatchObject({ valid: true })
      const checked = database.sqlite.prepare('PRAGMA integrity_check').all()
      expect(checked).toEqual([{ integrity_check: 'ok' }])
    },
    KILLS * 15_000,
  )
})
