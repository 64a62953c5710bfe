import type { JSONValue } from 'ai'
import { memoryStorage } from '../../src/storage/memory-storage.ts'
import type { ConversationStorage, StorageChanges } from '../../src/storage/storage.ts'

/** One call of a history. */
export type Move =
  | { readonly write: StorageChanges; readonly in: string }
  | { readonly remove: string }

const put = (...entries: [string, JSONValue][]): ReadonlyMap<string, JSONValue> => new Map(entries)

/** Writes of every form, over two namespaces. */
export const HISTORY: readonly Move[] = [
  { in: 'a', write: { put: put(['x', 1], ['y', 'one'], ['z', { list: [1] }]) } },
  { in: 'b', write: { put: put(['x', 'b1'], ['y', 'b1']) } },
  { in: 'a', write: { put: put(['x', 2], ['new', null]), remove: ['y', 'z'] } },
  { in: 'a', write: { put: put(['x', 3]) } },
  { in: 'a', write: { remove: ['new'] } },
  { in: 'a', write: { put: put(['p', 4], ['q', 4]), remove: ['x'] } },
  { remove: 'a' },
  { in: 'a', write: { put: put(['x', 5], ['p', 5]) } },
  { in: 'b', write: { remove: ['x', 'y'] } },
  { in: 'a', write: { put: put(['x', 6], ['p', 6], ['q', 6]) } },
]

/** What is stored in the two namespaces, in one text; equal texts mean equal records. */
export async function contentOf(storage: ConversationStorage): Promise<string> {
  const namespaces = await Promise.all(['a', 'b'].map((namespace) => storage.read(namespace)))
  const listed = await storage.list('x')
  return JSON.stringify([...namespaces, listed].map((records) => [...records].toSorted(byKey)))
}

/** The content before the first move of {@link HISTORY} and after each. */
export async function contentsAlong(history: readonly Move[]): Promise<string[]> {
  const storage = memoryStorage()
  const contents = [await contentOf(storage)]
  for (const move of history) {
    await make(move, storage)
    contents.push(await contentOf(storage))
  }
  return contents
}

/** Makes moves until one fails; how many were made. */
export async function makeMoves(
  history: readonly Move[],
  storage: ConversationStorage,
): Promise<number> {
  let made = 0
  for (const move of history) {
    try {
      await make(move, storage)
    } catch {
      return made
    }
    made += 1
  }
  return made
}

export async function make(move: Move, storage: ConversationStorage): Promise<void> {
  if ('remove' in move) await storage.remove(move.remove)
  else await storage.write(move.in, move.write)
}

function byKey([one]: [string, JSONValue], [other]: [string, JSONValue]): number {
  return one < other ? -1 : 1
}
