import { namespaceOf, notesBeside } from '@assent/engine/storage'
import { expect, test } from 'vitest'
import { openDatabase } from '../sqlite/open-database.ts'
import { sqliteConversations } from '../sqlite/sqlite-conversations.ts'
import { eraseFromSqlite } from './erase-from-sqlite.ts'

const ours = [
  ['c', undefined],
  ['c', 'ada'],
  ['c', 'bob'],
  ['other', 'ada'],
] as const

/** The conversations of which it is noted who was asked and what was allowed, once a subject is erased. */
async function notedAfter(subject: Parameters<typeof eraseFromSqlite>[1]): Promise<string[]> {
  const database = openDatabase(':memory:')
  const { storage } = sqliteConversations(database)
  const noteOf = (id: string, owner?: string) => notesBeside(namespaceOf(id, owner))
  for (const [id, owner] of ours) {
    await storage.write(noteOf(id, owner), { put: new Map([['asked/1', 'ada']]) })
  }
  await eraseFromSqlite(database, subject)
  const left: string[] = []
  for (const [id, owner] of ours) {
    if ((await storage.read(noteOf(id, owner))).size > 0) left.push(`${owner}: ${id}`)
  }
  await database.close()
  return left
}

test('the notes on decisions go with their conversation', async () => {
  expect(await notedAfter({ conversationId: 'c', owner: 'ada' })).toEqual([
    'undefined: c',
    'bob: c',
    'ada: other',
  ])
  expect(await notedAfter({ conversationId: 'c' })).toEqual(['ada: other'])
  expect(await notedAfter({ user: 'ada' })).toEqual(['undefined: c', 'bob: c'])
})
