import { encodeName } from '@assent/engine/storage'
import type { AssentPostgres } from '../open-postgres.ts'
import { bellOf } from './bell-of.ts'

/** Word of what is written into namespaces, by this process or another one. */
export interface NamespaceWatch {
  /** Calls the listener when a namespace may have changed; returns how to stop that. */
  on(namespace: string, listener: () => void): () => void
  /** This process has written into a namespace. */
  changed(namespace: string): void
}

interface Watched {
  readonly listeners: Set<() => void>
  /** What it was like when it was looked at last; `undefined` before that. */
  digest: string | undefined
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
  const watched = new Map<string, Watched>()
  let timer: NodeJS.Timeout | undefined
  let stopListening: (() => void) | undefined

  function tell(names: Iterable<string>): void {
    for (const name of names) for (const listener of watched.get(name)?.listeners ?? []) listener()
  }

  async function look(): Promise<void> {
    clearTimeout(timer)
    try {
      const rows = await query(DIGEST, [[...watched.keys()]])
      const digests = new Map(rows.map((row) => [String(row['name']), String(row['digest'])]))
      for (const [name, one] of watched) {
        const digest = digests.get(name) ?? ''
        if (one.digest === digest) continue
        // At the first look too: something may have come since its listeners read it.
        one.digest = digest
        tell([name])
      }
    } catch {
      // What cannot be read now is looked at again.
    }
    if (watched.size === 0 || closed.aborted) return
    clearTimeout(timer)
    timer = setTimeout(() => void look(), news.patienceMs)
    timer.unref()
  }

  function begin(): void {
    stopListening = news.on('assent_records', {
      onRung: (names) => tell([...watched.keys()].filter((name) => names.has(bellOf(name)))),
      onMissed: () => void look(),
    })
  }

  function stop(): void {
    clearTimeout(timer)
    stopListening?.()
    stopListening = undefined
  }

  closed.addEventListener('abort', stop)

  return {
    on(namespace, listener) {
      const name = encodeName(namespace)
      const one = watched.get(name) ?? { listeners: new Set(), digest: undefined }
      watched.set(name, one)
      // The same function may listen twice.
      const entry = (): void => listener()
      one.listeners.add(entry)
      if (!stopListening && !closed.aborted) begin()
      void look()
      return () => {
        one.listeners.delete(entry)
        if (one.listeners.size === 0 && watched.get(name) === one) watched.delete(name)
        if (watched.size === 0) stop()
      }
    },
    changed(namespace) {
      const name = encodeName(namespace)
      tell([name])
      news.ring('assent_records', bellOf(name))
    },
  }
}
