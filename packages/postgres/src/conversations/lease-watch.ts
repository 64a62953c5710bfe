import { encodeName, namespaceOf, type ConversationName } from '@assent/engine/storage'
import type { AssentPostgres } from '../open-postgres.ts'
import { sweepProcesses } from '../processes.ts'
import { bellOf } from './bell-of.ts'

/** Word of conversations that can be held again. */
export interface LeaseWatch {
  /** Calls back when nobody may hold a conversation any more; returns how to stop that. */
  on(conversation: ConversationName, listener: () => void): () => void
}

/** Milliseconds between two looks: nobody rings for a lease that runs out. */
const LOOK_MS = 500

const FREE = `
  select p.name from unnest($1::text[]) as p (name) left join assent.leases l on l.namespace = p.name
  where l.owner is null or l.expires_at <= assent.clock_v1()`

const watches = new WeakMap<AssentPostgres, LeaseWatch>()

/** The watch of a database: one question for all who wait in this process. */
export function leaseWatch(database: AssentPostgres): LeaseWatch {
  const known = watches.get(database)
  if (known) return known
  const watch = createWatch(database)
  watches.set(database, watch)
  return watch
}

function createWatch(database: AssentPostgres): LeaseWatch {
  const { query, news, closed } = database
  const waiting = new Map<string, Set<() => void>>()
  let timer: NodeJS.Timeout | undefined
  let stopListening: (() => void) | undefined
  let isLooking = false

  function tell(name: string): void {
    for (const listener of waiting.get(name) ?? []) listener()
  }

  async function look(): Promise<void> {
    if (isLooking) return
    isLooking = true
    try {
      await sweepProcesses(database)
      for (const row of await query(FREE, [[...waiting.keys()]])) tell(String(row['name']))
    } catch {
      // What cannot be read now is looked at again.
    }
    isLooking = false
  }

  function begin(): void {
    if (timer || closed.aborted) return
    timer = setInterval(() => void look(), LOOK_MS).unref()
    stopListening = news.on('assent_leases', {
      onRung(names) {
        for (const name of waiting.keys()) if (names.has(bellOf(name))) tell(name)
      },
      onMissed: () => void look(),
    })
  }

  function stop(): void {
    clearInterval(timer)
    timer = undefined
    stopListening?.()
    stopListening = undefined
  }

  closed.addEventListener('abort', stop)

  return {
    on({ conversationId, conversationOwner }, listener) {
      const name = encodeName(namespaceOf(conversationId, conversationOwner))
      const listeners = waiting.get(name) ?? new Set()
      waiting.set(name, listeners)
      // The same function may listen twice.
      const entry = (): void => listener()
      listeners.add(entry)
      begin()
      return () => {
        listeners.delete(entry)
        if (listeners.size === 0 && waiting.get(name) === listeners) waiting.delete(name)
        if (waiting.size === 0) stop()
      }
    },
  }
}
