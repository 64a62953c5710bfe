import { entryNames } from './entry-names.ts'
import type { EntryStore } from './entry-store.ts'
import { queueOf } from './namespace-queue.ts'
import type { ConversationStorage } from './storage.ts'
import { writeAheadStorage } from './write-ahead-storage.ts'

/** The part of a `Storage` of `unstorage` that is used. */
export interface UnstorageLike {
  getKeys(base?: string): Promise<string[]>
  getItem(key: string): Promise<unknown>
  setItem(key: string, value: string): Promise<void>
  removeItem(key: string): Promise<void>
}

export interface FromUnstorageOptions {
  /** What the keys of all entries begin with. Default `'assent'`. */
  readonly prefix?: string
}

/**
 * Keeps conversations wherever `unstorage` can: files, Redis, S3, key-value stores of clouds.
 * One entry per record, under keys of lower-case letters, digits, `-`, `_` and `:` only.
 *
 * Writes are whole or not there at all as long as one process at a time writes into a namespace, and
 * its claims decide in one process only: do not let two use the same store. Storages that are given
 * the same object take turns. What `durability` and a resolved write mean is
 * up to the driver. `list` goes through the names of all entries.
 *
 * @param storage made by `createStorage` of `unstorage`, or a part of one by `prefixStorage`
 */
export function fromUnstorage(
  storage: UnstorageLike,
  options: FromUnstorageOptions = {},
): ConversationStorage {
  const names = entryNames(options.prefix ?? 'assent')
  const queue = queueOf(storage)
  const entries = entriesOf(storage)

  return writeAheadStorage({
    names,
    open: () => entries,
    atomicEntries: false,
    claims: () => 'process',
    exclusive: (namespace, task) => queue.run(names.pending(namespace), task),
    settled: () => queue.settled(),
  })
}

/** Keeps `unstorage` from reading a text as the value that it looks like, with its own rules. */
const TEXT = '='

function entriesOf(storage: UnstorageLike): EntryStore {
  return {
    names: (base) => storage.getKeys(base),
    get: async (name) => {
      const text = await storage.getItem(name)
      return typeof text === 'string' && text.startsWith(TEXT) ? text.slice(TEXT.length) : undefined
    },
    set: (name, text) => storage.setItem(name, TEXT + text),
    delete: (name) => storage.removeItem(name),
  }
}
