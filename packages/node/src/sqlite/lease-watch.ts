import { namespaceOf, type ConversationName } from '@assent/engine/storage'
import { encodeName } from './names.ts'
import type { AssentDatabase } from './open-database.ts'

/** Word of conversations that can be held again. */
export interface LeaseWatch {
  /** Calls back when nobody holds a conversation; returns how to stop that. */
  on(conversation: ConversationName, listener: () => void): () => void
}

/** Milliseconds between two looks: nobody tells when a lease runs out. */
const LOOK_MS = 500

const watches = new WeakMap<AssentDatabase, LeaseWatch>()

/** The watch of a database. It looks only while anybody waits. */
export function leaseWatch(database: AssentDatabase): LeaseWatch {
  const known = watches.get(database)
  if (known) return known
  const watch = createWatch(database)
  watches.set(database, watch)
  return watch
}

function createWatch({ sqlite, closed }: AssentDatabase): LeaseWatch {
  const holding = sqlite.prepare(
    `SELECT 1 FROM conversation_leases
     WHERE namespace = ? AND owner IS NOT NULL AND expires_at > ?`,
  )
  const waiting = new Map<string, Set<() => void>>()
  let timer: NodeJS.Timeout | undefined

  function look(): void {
    for (const [name, listeners] of waiting) {
      try {
        if (holding.get(name, Date.now())) continue
      } catch {
        // What cannot be read now is looked at again.
        continue
      }
      for (const listener of listeners) listener()
    }
  }

  function stop(): void {
    clearInterval(timer)
    timer = undefined
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
      if (!closed.aborted) timer ??= setInterval(look, LOOK_MS).unref()
      return () => {
        listeners.delete(entry)
        if (listeners.size === 0 && waiting.get(name) === listeners) waiting.delete(name)
        if (waiting.size === 0) stop()
      }
    },
  }
}
