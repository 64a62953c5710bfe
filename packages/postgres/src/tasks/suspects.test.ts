import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startNode } from '../../../node/test/node-process.ts'
import { createScratch, type Scratch } from '../../../node/test/scratch.ts'
import { NEIGHBOURS, playSuspects } from '../../../worker/test/suspects/play-suspects.ts'
import { createTestDatabase, type TestDatabase } from '../../test/test-database.ts'
import { postgresInbox } from './postgres-inbox.ts'

const FIXTURE = join(import.meta.dirname, '../../test/doomed-worker.fixture.ts')

let test: TestDatabase
let scratch: Scratch

beforeAll(async () => {
  test = await createTestDatabase()
  scratch = createScratch()
})

afterAll(async () => {
  await test.end()
  scratch.remove()
})

it('takes no neighbour along when a task ends its process', { timeout: 60_000 }, async () => {
  const inbox = postgresInbox(await test.open())
  const path = join(scratch.path, 'data.db')
  const start = (url: string, name: string) => startNode(FIXTURE, path, url, name, test.url)
  const { ends, company, told } = await playSuspects(inbox, start)
  expect([ends, company]).toEqual([3, [[...NEIGHBOURS], [], []]])
  expect(told).toContain('poison: dead: worker_lost')
  for (const id of NEIGHBOURS) {
    expect(await inbox.get(id)).toMatchObject({ state: 'done', attempts: 1, error: undefined })
  }
  expect(await inbox.get('poison')).toMatchObject({ state: 'dead', attempts: 2 })
})
