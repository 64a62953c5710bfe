import type { JSONValue } from 'ai'
import type { EntryNames } from './entry-names.ts'
import type { EntryStore } from './entry-store.ts'
import { NamespaceEntries } from './namespace-entries.ts'
import { pendingChange } from './pending-change.ts'
import type { ConversationStorage } from './storage.ts'

/** What {@link writeAheadStorage} is made of. */
export interface WriteAheadOptions {
  readonly names: EntryNames
  /** The backend; called when it is used. What it throws rejects that use. */
  open(): EntryStore
  /** Whether an entry is never seen half written, also after a crash. */
  readonly atomicEntries: boolean
  /** Runs a task while no other task of the namespace runs, in the order of the calls. */
  exclusive<T>(namespace: string, task: () => Promise<T>): Promise<T>
  /** Resolves when all tasks given to `exclusive` so far are over. */
  settled(): Promise<void>
}

/** A storage on a backend without transactions: see {@link NamespaceEntries}. */
export function writeAheadStorage(options: WriteAheadOptions): ConversationStorage {
  const { names, open, atomicEntries, exclusive, settled } = options

  const read = async (namespace: string): Promise<Map<string, JSONValue>> => {
    const records = new NamespaceEntries(open(), names, namespace)
    return exclusive(namespace, () => records.readAll())
  }

  return {
    read,
    write: async (namespace, changes) => {
      const records = new NamespaceEntries(open(), names, namespace)
      const change = pendingChange(changes)
      if (change.put.size + change.remove.length === 0) return
      await exclusive(namespace, () => records.write(change, atomicEntries))
    },
    remove: async (namespace) => {
      const records = new NamespaceEntries(open(), names, namespace)
      await exclusive(namespace, () => records.removeAll())
    },
    list: async (key) => {
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
      return found
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
    else if (parsed?.key === key) whole.add(parsed.namespace)
  }
  return { whole: [...whole].filter((namespace) => !pending.has(namespace)), pending: [...pending] }
}
