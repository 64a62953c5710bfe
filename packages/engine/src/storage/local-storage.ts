import { EngineError } from '../errors.ts'
import { pageLocks } from './at-work.ts'
import { entryNames } from './entry-names.ts'
import type { EntryStore } from './entry-store.ts'
import { queueOf } from './namespace-queue.ts'
import type { ConversationStorage } from './storage.ts'
import { writeAheadStorage } from './write-ahead-storage.ts'

/** The part of a Web Storage area (`localStorage`, `sessionStorage`) that is used. */
export type WebStorageArea = Pick<Storage, 'length' | 'key' | 'getItem' | 'setItem' | 'removeItem'>

export interface LocalStorageOptions {
  /** What the names of all entries begin with. Default `'assent'`. */
  readonly prefix?: string
  /** Default: the page's `localStorage`, looked up at each use. */
  readonly storage?: WebStorageArea
}

/**
 * Keeps conversations in `localStorage`, one entry per record: for small ones, where there is no
 * IndexedDB. Browsers allow 5 to 10 million characters per site; a write for which there is no room
 * rejects with the browser's `QuotaExceededError` and changes nothing. A write of several records
 * needs room for them twice for a moment.
 *
 * Tabs take turns by Web Locks, and a claim is only made under one; without those (insecure pages) two
 * tabs must not use the same store, whose claims are then those of one page. `durability` makes no difference: browsers write to disk when they see
 * fit. An `EngineError` (`invalid_argument`) rejects each use where there is no `localStorage`, as on
 * a server; creating the storage there is fine.
 */
export function localStorageStorage(options: LocalStorageOptions = {}): ConversationStorage {
  const { prefix = 'assent', storage } = options
  const names = entryNames(prefix)
  const area = (): WebStorageArea => storage ?? pageStorage()

  return writeAheadStorage({
    names,
    open: () => entriesOf(area()),
    atomicEntries: true,
    claims: () => (pageLocks() ? 'store' : 'process'),
    exclusive: (namespace, task, isStrict = false) => {
      const name = names.pending(namespace)
      return queueOf(area()).run(name, () => withLock(name, task, isStrict))
    },
    settled: () => queueOf(area()).settled(),
  })
}

function entriesOf(area: WebStorageArea): EntryStore {
  return {
    names: (base) =>
      Array.from({ length: area.length }, (_, index) => area.key(index) ?? '').filter((name) =>
        name.startsWith(base),
      ),
    get: (name) => area.getItem(name) ?? undefined,
    set: (name, text) => area.setItem(name, text),
    delete: (name) => area.removeItem(name),
  }
}

function pageStorage(): Storage {
  let found: Storage | undefined
  try {
    // The property itself throws where the user forbids storage; elsewhere it can be missing.
    found = globalThis.localStorage
  } catch (cause) {
    throw missing(cause)
  }
  if (!found) throw missing()
  return found
}

function missing(cause?: unknown): EngineError {
  return new EngineError(
    'invalid_argument',
    'There is no localStorage here: use another storage on servers and in workers, or pass one as `storage`.',
    { cause },
  )
}

/** Keeps other tabs out while a task runs; a strict one is not run without that. */
async function withLock<T>(name: string, task: () => Promise<T>, isStrict: boolean): Promise<T> {
  const locks = pageLocks()
  if (!locks) return task()
  let begun = false
  try {
    return await locks.request(name, () => {
      begun = true
      return task()
    })
  } catch (error) {
    // A page that is going away gets no lock any more; what it still writes is worth the risk.
    if (begun || isStrict) throw error
    return task()
  }
}
