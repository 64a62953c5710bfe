import { namedListeners, namespaceOf, type ConversationName } from '@assent/engine/storage'
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
    // One that was given by a clock that was ahead may be over: whoever tries to have it finds that out.
    `SELECT 1 FROM conversation_leases WHERE namespace = ? AND owner IS NOT NULL
       AND expires_at > ? AND (lease_ms IS NULL OR expires_at - lease_ms <= ?)`,
  )
  const waiting = namedListeners(closed, () => {
    const timer = setInterval(look, LOOK_MS).unref()
    return () => clearInterval(timer)
  })

  function look(): void {
    for (const name of waiting.names()) {
      try {
        const now = Date.now()
        if (holding.get(name, now, now)) continue
      } catch {
        // What cannot be read now is looked at again.
        continue
      }
      waiting.tell(name)
    }
  }

  return {
    on: ({ conversationId, conversationOwner }, listener) =>
      waiting.on(encodeName(namespaceOf(conversationId, conversationOwner)), listener),
  }
}
