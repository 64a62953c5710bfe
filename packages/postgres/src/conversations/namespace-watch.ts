import { encodeName, namedListeners } from '@assent/engine/storage'
import type { AssentPostgres } from '../open-postgres.ts'
import { bellOf } from './bell-of.ts'

/** Word of what is written into namespaces, by this process or another one. */
export interface NamespaceWatch {
  /** Calls the listener when a namespace may have changed; returns how to stop that. */
  on(namespace: string, listener: () => void): () => void
  /** This process has written into a namespace. */
  changed(namespace: string): void
}

/** Changes whenever a record of a namespace does. */
const DIGEST = `
  select namespace as name, md5(string_agg(key || ' ' || xmin::text, ' ' order by key)) as digest
  from assent.records where namespace = any ($1) group by namespace`

const watches = new WeakMap<AssentPostgres, NamespaceWatch>()

/** The watch of a database: it hears what the others ring, and looks by itself now and then. */
export function namespaceWatch(database: AssentPostgres): NamespaceWatch {
  const known = watches.get(database)
  if (known) return known
  const watch = createWatch(database)
  watches.set(database, watch)
  return watch
}

function createWatch({ query, news, closed }: AssentPostgres): NamespaceWatch {
  const watched = namedListeners(closed, begin)
  /** What each was like when it was looked at last; none before that. */
  const digests = new Map<string, string>()
  let timer: NodeJS.Timeout | undefined

  async function look(): Promise<void> {
    clearTimeout(timer)
    try {
      const rows = await query(DIGEST, [watched.names()])
      const found = new Map(rows.map((row) => [String(row['name']), String(row['digest'])]))
      for (const name of watched.names()) {
        const digest = found.get(name) ?? ''
        if (digests.get(name) === digest) continue
        // At the first look too: something may have come since its listeners read it.
        digests.set(name, digest)
        watched.tell(name)
      }
    } catch {
      // What cannot be read now is looked at again.
    }
    if (watched.names().length === 0 || closed.aborted) return
    clearTimeout(timer)
    timer = setTimeout(() => void look(), news.patienceMs)
    timer.unref()
  }

  function begin(): () => void {
    const stopListening = news.on('assent_records', {
      onRung(names) {
        for (const name of watched.names()) if (names.has(bellOf(name))) watched.tell(name)
      },
      onMissed: () => void look(),
    })
    return () => {
      clearTimeout(timer)
      stopListening()
    }
  }

  return {
    on(namespace, listener) {
      const name = encodeName(namespace)
      const stop = watched.on(name, listener)
      void look()
      return () => {
        stop()
        if (!watched.has(name)) digests.delete(name)
      }
    },
    changed(namespace) {
      const name = encodeName(namespace)
      watched.tell(name)
      news.ring('assent_records', bellOf(name))
    },
  }
}
