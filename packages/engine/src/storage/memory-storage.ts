import type { JSONValue } from 'ai'
import type { ConversationStorage } from './storage.ts'

/** Records by key, by namespace. */
export type StorageContent = ReadonlyMap<string, ReadonlyMap<string, JSONValue>>

/** A {@link ConversationStorage} that lasts as long as it is referred to. */
export interface MemoryStorage extends ConversationStorage {
  /**
   * A copy of all that is stored now, which later writes do not change. `memoryStorage(snapshot)` is
   * another storage that begins with it: the disk as a crash at this moment leaves it.
   */
  snapshot(): StorageContent
}

/**
 * Keeps conversations in memory, for tests, servers and demos. What was written stays until the
 * storage itself is dropped, so engines that are given the same one find what the earlier ones left.
 * Writes take effect at once and whatever `durability` says. Values are copied in and out by
 * `structuredClone`; one that this cannot copy rejects the whole write.
 *
 * @param initial what is there from the beginning; copied
 */
export function memoryStorage(initial: StorageContent = new Map()): MemoryStorage {
  const content = copyContent(initial)

  return {
    read: async (namespace) => copyRecords(content.get(namespace) ?? new Map()),
    write: async (namespace, { put = new Map(), remove = [] }) => {
      const added = copyRecords(put)
      const records = content.get(namespace) ?? new Map<string, JSONValue>()
      for (const key of remove) records.delete(key)
      for (const [key, value] of added) records.set(key, value)
      if (records.size > 0) content.set(namespace, records)
      else content.delete(namespace)
    },
    remove: async (namespace) => {
      content.delete(namespace)
    },
    list: async (key) => {
      const found = new Map<string, JSONValue>()
      for (const [namespace, records] of content) {
        const value = records.get(key)
        if (value !== undefined) found.set(namespace, structuredClone(value))
      }
      return found
    },
    snapshot: () => copyContent(content),
  }
}

function copyContent(content: StorageContent): Map<string, Map<string, JSONValue>> {
  return new Map(Array.from(content, ([namespace, records]) => [namespace, copyRecords(records)]))
}

function copyRecords(records: ReadonlyMap<string, JSONValue>): Map<string, JSONValue> {
  return new Map(Array.from(records, ([key, value]) => [key, structuredClone(value)]))
}
