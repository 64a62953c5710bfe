import type { AssentDatabase } from './open-database.ts'
import { recordsTable } from './records.ts'

/** Word of what is added to namespaces, by this process or another one. */
export interface NamespaceWatch {
  /** Calls the listener when a namespace has got more records, or fewer; returns how to stop that. */
  on(namespace: string, listener: () => void): () => void
  /** This process has written into a namespace. */
  changed(namespace: string): void
}

/** Milliseconds between two looks at whether another process has written. */
const LOOK_MS = 500

interface Watched {
  readonly listeners: Set<() => void>
  count: number
}

const watches = new WeakMap<AssentDatabase, NamespaceWatch>()

/**
 * The watch of a database. SQLite tells nobody that another process wrote, only, when asked, that one
 * did: that is asked for twice a second, without touching the file, while anybody listens.
 */
export function namespaceWatch(database: AssentDatabase): NamespaceWatch {
  const known = watches.get(database)
  if (known) return known
  const watch = createWatch(database)
  watches.set(database, watch)
  return watch
}

function createWatch(database: AssentDatabase): NamespaceWatch {
  const { sqlite, closed } = database
  const records = recordsTable(database)
  const asking = sqlite.prepare('PRAGMA data_version')
  const watched = new Map<string, Watched>()
  let version: unknown
  let timer: NodeJS.Timeout | undefined

  function look(): void {
    try {
      const now = asking.get()?.['data_version']
      if (now === version) return
      for (const [namespace, one] of watched) {
        const count = records.count(namespace)
        if (count !== one.count) tell(one, count)
      }
      version = now
    } catch {
      // What cannot be read now is looked at again.
    }
  }

  function tell(one: Watched, count: number): void {
    one.count = count
    for (const listener of one.listeners) listener()
  }

  function stop(): void {
    clearInterval(timer)
    timer = undefined
  }

  closed.addEventListener('abort', stop)

  return {
    on(namespace, listener) {
      const one = watched.get(namespace) ?? {
        listeners: new Set(),
        count: records.count(namespace),
      }
      watched.set(namespace, one)
      // The same function may listen twice.
      const entry = (): void => listener()
      one.listeners.add(entry)
      if (timer === undefined && !closed.aborted) {
        version = asking.get()?.['data_version']
        timer = setInterval(look, LOOK_MS)
        timer.unref()
      }
      return () => {
        one.listeners.delete(entry)
        if (one.listeners.size === 0 && watched.get(namespace) === one) watched.delete(namespace)
        if (watched.size === 0) stop()
      }
    },
    changed(namespace) {
      const one = watched.get(namespace)
      if (one) tell(one, records.count(namespace))
    },
  }
}
