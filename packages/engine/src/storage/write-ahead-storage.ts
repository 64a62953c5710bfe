import type { JSONValue } from 'ai'
import type { EntryNames } from './entry-names.ts'
import type { EntryStore } from './entry-store.ts'
import { NamespaceEntries } from './namespace-entries.ts'
import { pendingChange } from './pending-change.ts'
import { listInRange } from './ranges.ts'
import type { ConversationStorage, StorageClaims, StorageRange } from './storage.ts'

/** What {@link writeAheadStorage} is made of. */
export interface WriteAheadOptions {
  readonly names: EntryNames
  /** The backend; called when it is used. What it throws rejects that use. */
  open(): EntryStore
  /** Whether an entry is never seen half written, also after a crash. */
  readonly atomicEntries: boolean
  /** Whom `exclusive` keeps out now. */
  claims(): StorageClaims
  /**
   * Runs a task while no other task of the namespace runs, in the order of the calls. One that must
   * not be disturbed is not run at all where others cannot be kept out as far as `claims` says.
   */
  exclusive<T>(namespace: string, task: () => Promise<T>, isStrict?: boolean): Promise<T>
  /** Resolves when all tasks given to `exclusive` so far are over. */
  settled(): Promise<void>
}

/** A storage on a backend without transactions: see {@link NamespaceEntries}. */
export function writeAheadStorage(options: WriteAheadOptions): ConversationStorage {
  const { names, open, atomicEntries, claims, exclusive, settled } = options

  const read = async (namespace: string, range?: StorageRange): Promise<Map<string, JSONValue>> => {
    const records = new NamespaceEntries(open(), names, namespace)
    return exclusive(namespace, () => records.read(range))
  }

  const remove = async (namespace: string, fence?: number): Promise<void> => {
    const records = new NamespaceEntries(open(), names, namespace)
    await exclusive(namespace, () => records.removeAll(fence))
  }

  return {
    get claims() {
      return claims()
    },
    read,
    write: async (namespace, changes, { fence, durability } = {}) => {
      const records = new NamespaceEntries(open(), names, namespace)
      const change = pendingChange(changes)
      const isEmpty = change.put.size + change.remove.length === 0
      if (isEmpty && fence === undefined && !change.claim) return {}
      const isStrict = change.claim !== undefined && durability === 'strict'
      const act = () => records.write(change, { atomicEntries, fence })
      return (await exclusive(namespace, act, isStrict)) ?? {}
    },
    remove: (namespace, { fence } = {}) => remove(namespace, fence),
    removeAll: async (prefix) => {
      const entries = open()
      await settled()
      const namespaces = new Set<string>()
      for (const name of await entries.names(names.base)) {
        const parsed = names.parse(name)
        if (parsed && parsed.kind !== 'fence') namespaces.add(parsed.namespace)
      }
      const taken = [...namespaces].filter((namespace) => namespace.startsWith(prefix))
      await Promise.all(taken.map((namespace) => remove(namespace)))
    },
    fence: async (namespace) => {
      const records = new NamespaceEntries(open(), names, namespace)
      return exclusive(namespace, () => records.raiseFence(), true)
    },
    list: async (key, range) => {
      const entries = open()
      await settled()
      const { whole, pending } = await namespacesWith(key, entries, names)
      const found = new Map<string, JSONValue>()
      const add = (namespace: string, value: JSONValue | undefined): void => {
        if (value !== undefined) found.set(namespace, value)
      }
      await Promise.all([
        ...whole.map(async (namespace) =>
          add(namespace, await new NamespaceEntries(entries, names, namespace).readRecord(key)),
        ),
        ...pending.map(async (namespace) => add(namespace, (await read(namespace)).get(key))),
      ])
      return listInRange(found, range)
    },
  }
}

/** The namespaces that have a record, and, apart, those in which a change is pending. */
async function namespacesWith(
  key: string,
  entries: EntryStore,
  names: EntryNames,
): Promise<{ whole: string[]; pending: string[] }> {
  const whole = new Set<string>()
  const pending = new Set<string>()
  for (const name of await entries.names(names.base)) {
    const parsed = names.parse(name)
    if (parsed?.kind === 'pending') pending.add(parsed.namespace)
    else if (parsed?.kind === 'record' && parsed.key === key) whole.add(parsed.namespace)
  }
  return { whole: [...whole].filter((namespace) => !pending.has(namespace)), pending: [...pending] }
}
