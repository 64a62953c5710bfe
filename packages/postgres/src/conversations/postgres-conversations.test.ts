import { conversationsConformance, type TestedConversations } from '@assent/engine/testing'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/test-database.ts'
import { openPostgres, type AssentPostgres } from '../open-postgres.ts'
import { postgresConversations } from './postgres-conversations.ts'

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

describe('postgresConversations', () => {
  it.each(conversationsConformance())('$name', async ({ run }) => {
    let now = 1_700_000_000_000
    const made = run(async (): Promise<TestedConversations> => {
      await test.setClock(now)
      return {
        conversations: postgresConversations(one),
        other: postgresConversations(other),
        advance: (ms) => test.setClock((now += ms)),
      }
    })
    await expect(made).resolves.toBeUndefined()
  })

  it('are lost when the database is closed', async () => {
    const database = await openPostgres({ url: test.url })
    const held = await postgresConversations(database).hold('c')
    await database.close()
    expect(held?.lost.reason).toMatchObject({ code: 'hold_lost' })
    await expect(held?.release()).resolves.toBeUndefined()
  })
})
