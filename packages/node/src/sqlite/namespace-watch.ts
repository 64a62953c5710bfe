import { namedListeners } from '@assent/engine/storage'
import type { AssentDatabase } from './open-database.ts'
import { recordsTable, type RecordsTable } from './records.ts'

/** Word of what is added to namespaces, by this process or another one. */
export interface NamespaceWatch {
  /** Calls the listener when a namespace has got more records, or fewer; returns how to stop that. */
  on(namespace: string, listener: () => void): () => void
  /** This process has written into a namespace. */
  changed(namespace: string): void
}

/** Milliseconds between two looks at whether another process has written. */
const LOOK_MS = 500

const watches = new WeakMap<AssentDatabase, NamespaceWatch>()

/**
 * The watch of a database. SQLite tells nobody that another process wrote, only, when asked, that one
 * did: that is asked for twice a second, without touching the file, while anybody listens.
 */
export function namespaceWatch(database: AssentDatabase): NamespaceWatch {
  const known = watches.get(database)
  if (known) return known
  const watch = createWatch(database, recordsTable(database))
  watches.set(database, watch)
  return watch
}

function createWatch({ sqlite, closed }: AssentDatabase, records: RecordsTable): NamespaceWatch {
  const asking = sqlite.prepare('PRAGMA data_version')
  /** How many records each had when it was looked at last. */
  const counts = new Map<string, number>()
  let version: unknown
  const watched = namedListeners(closed, () => {
    version = asking.get()?.['data_version']
    const timer = setInterval(look, LOOK_MS).unref()
    return () => clearInterval(timer)
  })

  function look(): void {
    try {
      const now = asking.get()?.['data_version']
      if (now === version) return
      for (const namespace of watched.names()) {
        if (records.count(namespace) !== counts.get(namespace)) tell(namespace)
      }
      version = now
    } catch {
      // What cannot be read now is looked at again.
    }
  }

  function tell(namespace: string): void {
    counts.set(namespace, records.count(namespace))
    watched.tell(namespace)
  }

  return {
    on(namespace, listener) {
      if (!watched.has(namespace)) counts.set(namespace, records.count(namespace))
      const stop = watched.on(namespace, listener)
      return () => {
        stop()
        if (!watched.has(namespace)) counts.delete(namespace)
      }
    },
    changed(namespace) {
      if (watched.has(namespace)) tell(namespace)
    },
  }
}
