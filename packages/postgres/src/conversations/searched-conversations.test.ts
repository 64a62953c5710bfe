import { createMessageEngine } from '@assent/engine'
import { connectConversations } from '@assent/engine/remote'
import { storedConversations, type ConversationStorage } from '@assent/engine/storage'
import { answer, scriptedTransport } from '@assent/engine/testing'
import { afterAll, afterEach, beforeAll, expect, it, onTestFinished } from 'vitest'
import { serve } from '../../test/shared-pages.ts'
import { createTestDatabase, type TestDatabase } from '../../test/test-database.ts'
import { postgresConversations } from './postgres-conversations.ts'
import { postgresStorage } from './postgres-storage.ts'

let test: TestDatabase

beforeAll(async () => {
  test = await createTestDatabase()
})

afterEach(async () => {
  await test.close()
  await test.empty()
})

afterAll(() => test.end())

it('reads a page of many conversations, and those in which a text may be', async () => {
  const database = await test.open()
  const disk = postgresStorage(database)
  for (const [id, text] of [
    ['one', 'a Marigold'],
    ['two', 'a rose'],
  ] as const) {
    const engine = createMessageEngine({
      id,
      storage: disk,
      transport: scriptedTransport([answer('yes')]),
    })
    await engine.sendMessage(text)
    await engine.flush()
    engine.dispose()
  }
  const facts = { version: 3, createdAt: 1, messageCount: 1, requestState: 'idle', waitingCount: 0 }
  for (let count = 0; count < 300; count++) {
    const about = { ...facts, title: `Title ${count}`, updatedAt: count }
    await disk.write(`conversation/${count}`, { put: new Map([['about', about]]) })
  }
  const served = await serve(postgresConversations(database), {})
  const { storage, close } = connectConversations({ url: served.url })
  onTestFinished(close)
  let read = 0
  const counted: ConversationStorage = {
    ...storage,
    search: (text, prefix) => storage.search?.(text, prefix),
    async read(...args) {
      const records = await storage.read(...args)
      read += records.size
      return records
    },
    async list(...args) {
      const records = await storage.list(...args)
      read += records.size
      return records
    },
  }
  const conversations = storedConversations(counted)
  const { conversations: first, next } = await conversations.page(50)
  expect(first.map(({ id }) => id)).toEqual(expect.arrayContaining(['one', 'two', '299', '252']))
  expect([first.length, next?.value, read]).toEqual([50, 252, 50])
  read = 0
  expect(await conversations.search('MARIGOLD')).toMatchObject([{ id: 'one' }])
  expect(await conversations.search('title 299')).toMatchObject([{ id: '299' }])
  expect(read).toBeLessThan(30)
  expect(served.errors).toEqual([])
})
