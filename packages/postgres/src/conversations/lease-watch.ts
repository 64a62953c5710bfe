import {
  encodeName,
  namedListeners,
  namespaceOf,
  type ConversationName,
} from '@assent/engine/storage'
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
  const waiting = namedListeners(closed, begin)
  let isLooking = false

  async function look(): Promise<void> {
    if (isLooking) return
    isLooking = true
    try {
      await sweepProcesses(database)
      for (const row of await query(FREE, [waiting.names()])) waiting.tell(String(row['name']))
    } catch {
      // What cannot be read now is looked at again.
    }
    isLooking = false
  }

  function begin(): () => void {
    const timer = setInterval(() => void look(), LOOK_MS).unref()
    const stopListening = news.on('assent_leases', {
      onRung(names) {
        for (const name of waiting.names()) if (names.has(bellOf(name))) waiting.tell(name)
      },
      onMissed: () => void look(),
    })
    return () => {
      clearInterval(timer)
      stopListening()
    }
  }

  return {
    on: ({ conversationId, conversationOwner }, listener) =>
      waiting.on(encodeName(namespaceOf(conversationId, conversationOwner)), listener),
  }
}
