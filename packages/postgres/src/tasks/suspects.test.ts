import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startNode } from '../../../node/test/node-process.ts'
import { NEIGHBOURS, playSuspects } from '../../../worker/test/suspects/play-suspects.ts'
import { createTestDatabase, type TestDatabase } from '../../test/test-database.ts'
import { postgresInbox } from './postgres-inbox.ts'

const FIXTURE = join(import.meta.dirname, '../../test/doomed-worker.fixture.ts')

let test: TestDatabase

beforeAll(async () => {
  test = await createTestDatabase()
})

afterAll(async () => {
  await test.end()
})

it('takes no neighbour along when a task ends its process', { timeout: 60_000 }, async () => {
  const inbox = postgresInbox(await test.open())
  const start = (url: string, name: string) => startNode(FIXTURE, test.url, url, name)
  const { ends, company, told } = await playSuspects(inbox, start)
  expect([ends, company]).toEqual([3, [[...NEIGHBOURS], [], []]])
  expect(told).toContain('poison: dead: worker_lost')
  for (const id of NEIGHBOURS) {
    expect(await inbox.get(id)).toMatchObject({ state: 'done', attempts: 1, error: undefined })
  }
  expect(await inbox.get('poison')).toMatchObject({ state: 'dead', attempts: 2 })
})
