import { isOfNotes } from '@assent/engine/storage'
import { openDatabase } from '@assent/node'
import { expect, onTestFinished, test } from 'vitest'
import { healthRecords } from './health-records.ts'
import { sqliteStores } from './sqlite-stores.ts'

test('what a channel notes stands where a conversation server lets no page read or write', async () => {
  const database = openDatabase(':memory:')
  onTestFinished(() => database.close())
  const stores = sqliteStores(database)
  const records = healthRecords(stores, () => 5)
  await records.note('telegram:1', { state: 'working', isWell: true, since: 1 })
  expect(await records.list()).toEqual([
    { name: 'telegram:1', state: 'working', isWell: true, since: 1, notedAt: 5 },
  ])
  const found = await stores.conversations.storage.list('telegram:1')
  expect([...found.keys()].map(isOfNotes)).toEqual([true])
})
