import type { JSONValue } from 'ai'
import { ownerPrefix } from '../../owner.ts'
import type { ConversationStorage } from '../../storage/storage.ts'
import { checkMap, checkRecords } from './check.ts'
import { storageTest, type StorageTest } from './storage-test.ts'

/** Owners of which one could be taken for another one, and nobody. */
const OWNERS = ['ada', 'ad', 'a', '1/a', 'ada/conversation', 'Ada', '%', '\uD800', undefined]

type Owner = string | undefined

/** What belongs to an owner: a conversation of an id that all have, and what holds everywhere. */
function namespacesOf(owner: Owner): readonly string[] {
  return ['conversation/chat', 'everywhere'].map((name) => ownerPrefix(owner) + name)
}

/** Gives each owner something of the same names. */
async function fill(storage: ConversationStorage): Promise<void> {
  for (const owner of OWNERS) {
    const put = new Map<string, JSONValue>([['about', owner ?? null]])
    for (const namespace of namespacesOf(owner)) await storage.write(namespace, { put })
  }
}

/** Those that are `there` have what is their own, and the others nothing. */
async function checkThere(storage: ConversationStorage, there: readonly Owner[]): Promise<void> {
  for (const owner of OWNERS) {
    const isThere = there.includes(owner)
    const own: JSONValue = owner ?? null
    for (const namespace of namespacesOf(owner)) {
      await checkRecords(storage, namespace, isThere ? [['about', own]] : [])
    }
    const [conversation = ''] = namespacesOf(owner)
    const prefix = `${ownerPrefix(owner)}conversation/`
    const listed = await storage.list('about', { prefix })
    checkMap(`list('about') of ${prefix}`, listed, isThere ? [[conversation, own]] : [])
  }
}

export const ownerTests: readonly StorageTest[] = [
  storageTest('keeps what belongs to one owner apart from all others', async (storage) => {
    await fill(storage)
    await checkThere(storage, OWNERS)
  }),

  storageTest('takes away everything of one owner, and nothing else', async (storage) => {
    await fill(storage)
    const [a = '', ada = ''] = ['a', 'ada'].map(ownerPrefix)
    await Promise.all([storage.removeAll(a), storage.removeAll(ada)])
    await checkThere(
      storage,
      OWNERS.filter((owner) => owner !== 'a' && owner !== 'ada'),
    )
  }),
]
