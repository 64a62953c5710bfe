import { repliesConformance } from '@assent/worker/testing'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/test-database.ts'
import type { AssentPostgres } from '../open-postgres.ts'
import { postgresReplies } from './postgres-replies.ts'

let test: TestDatabase
let one: AssentPostgres
let other: AssentPostgres

beforeAll(async () => {
  test = await createTestDatabase()
  one = await test.open()
  other = await test.open()
})

afterEach(async () => {
  await test.setClock(undefined)
  await test.empty()
})

afterAll(() => test.end())

describe('postgresReplies', () => {
  it.each(repliesConformance())('$name', async ({ run }) => {
    let now = 1_000
    const made = run(async () => {
      await test.setClock(now)
      return {
        replies: postgresReplies(one),
        other: postgresReplies(other),
        advance: (ms) => test.setClock((now += ms)),
      }
    })
    await expect(made).resolves.toBeUndefined()
  })
})
