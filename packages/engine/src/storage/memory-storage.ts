import type { JSONValue } from 'ai'
import { tryClaim } from './claim.ts'
import { passFence } from './fence.ts'
import { keysInRange, listInRange } from './ranges.ts'
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
 * Writes take effect at once and whatever `durability` says; tokens of holders are in no snapshot. Values are copied in and out by
 * `structuredClone`; one that this cannot copy rejects the whole write.
 *
 * @param initial what is there from the beginning; copied
 */
export function memoryStorage(initial: StorageContent = new Map()): MemoryStorage {
  const content = copyContent(initial)

  const fences = new Map<string, number>()

  function pass(namespace: string, token: number | undefined): void {
    const greatest = passFence(fences.get(namespace), token)
    if (greatest !== undefined) fences.set(namespace, greatest)
  }

  return {
    claims: 'process',
    endsWithProcess: true,
    read: async (namespace, range) => {
      const records = content.get(namespace) ?? new Map<string, JSONValue>()
      const keys = keysInRange(records.keys(), range).slice(0, range?.limit)
      return copyRecords(new Map(keys.map((key) => [key, records.get(key) ?? null])))
    },
    write: async (namespace, { put = new Map(), remove = [], claim }, { fence } = {}) => {
      const added = copyRecords(put)
      pass(namespace, fence)
      const records = content.get(namespace) ?? new Map<string, JSONValue>()
      const outcome = claim && tryClaim(claim, { value: records.get(claim.key) })
      if (outcome?.claimed === false) return outcome
      if (claim) added.set(claim.key, claim.id)
      for (const key of remove) records.delete(key)
      for (const [key, value] of added) records.set(key, value)
      if (records.size > 0) content.set(namespace, records)
      else content.delete(namespace)
      return outcome ?? {}
    },
    remove: async (namespace, { fence } = {}) => {
      pass(namespace, fence)
      content.delete(namespace)
    },
    removeAll: async (prefix) => {
      for (const namespace of content.keys()) {
        if (namespace.startsWith(prefix)) content.delete(namespace)
      }
    },
    list: async (key, range) => {
      const found = new Map<string, JSONValue>()
      for (const [namespace, records] of content) {
        const value = records.get(key)
        if (value !== undefined) found.set(namespace, value)
      }
      return copyRecords(listInRange(found, range))
    },
    fence: async (namespace) => {
      const token = (fences.get(namespace) ?? 0) + 1
      fences.set(namespace, token)
      return token
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
