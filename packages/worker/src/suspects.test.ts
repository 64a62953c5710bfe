import { join } from 'node:path'
import { type AssentDatabase, auditLog, openDatabase } from '@assent/node'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startNode } from '../../node/test/node-process.ts'
import { createScratch, type Scratch } from '../../node/test/scratch.ts'
import { NEIGHBOURS, playSuspects } from '../test/suspects/play-suspects.ts'
import { sqliteInbox } from './sqlite-inbox.ts'

const FIXTURE = join(import.meta.dirname, '../test/suspects/doomed-worker.fixture.ts')

let scratch: Scratch
let database: AssentDatabase

beforeEach(() => {
  scratch = createScratch()
  database = openDatabase(join(scratch.path, 'data.db'), { busyTimeoutMs: 60_000 })
})

afterEach(() => {
  database.close()
  scratch.remove()
})

describe('a task that ends its process', () => {
  it(
    'takes no neighbour along, and is buried after it ran alone',
    { timeout: 60_000 },
    async () => {
      const inbox = sqliteInbox(database)
      const start = (url: string, name: string) => startNode(FIXTURE, database.path, url, name)
      const { ends, company, told } = await playSuspects(inbox, start)
      // Once beside its neighbours, and in each of its two attempts.
      expect([ends, company]).toEqual([3, [[...NEIGHBOURS], [], []]])
      expect(told).toEqual([
        ...NEIGHBOURS.map((id) => `${id}: said ${id}`),
        'poison: dead: worker_lost',
      ])
      for (const id of NEIGHBOURS) {
        expect(await inbox.get(id)).toMatchObject({ state: 'done', attempts: 1, error: undefined })
      }
      expect(await inbox.get('poison')).toMatchObject({
        state: 'dead',
        attempts: 2,
        error: { code: 'worker_lost' },
      })
      const entries = (
        await auditLog(database).query({ taskId: 'poison', kind: 'task' })
      ).toReversed()
      expect(entries.map(({ payload }) => payload['phase'])).toEqual([
        'ingress',
        'ingress',
        'ingress',
        'failed',
      ])
      expect(JSON.stringify(entries[1]?.payload)).toContain('It runs alone.')
      expect(JSON.stringify(entries[3]?.payload)).toContain('worker_lost')
    },
  )
})
