import type { EngineStorage } from '@assent/engine'
import { heldStorage, namespaceOf } from '@assent/engine/storage'
import type { ClientBase } from 'pg'
import { DatabaseError } from '../database-error.ts'
import type { AssentPostgres } from '../open-postgres.ts'
import { leaseTable } from './leases.ts'
import { postgresStorage } from './postgres-storage.ts'

/** What a timer can count to; a longer one fires at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1
/** So long before its lease may be over, who cannot renew it stops, at most. */
const MARGIN_MS = 2_000

/** Options of {@link holdConversation}. */
export interface HoldOptions {
  /** Who holds it, for people who look at the table. Default: a random name. */
  readonly owner?: string
  /** Whose conversation it is: the engine's option `owner`. Default: nobody's. */
  readonly conversationOwner?: string
  /**
   * Milliseconds after which another process may take it over from one that is gone. It is extended
   * three times within that. Default 15,000.
   */
  readonly leaseMs?: number
}

/** The right to work on a conversation, which one holder at a time has, over all machines. */
export interface ConversationHold {
  readonly conversationId: string
  readonly owner: string
  /** Grows with every holder of the conversation. */
  readonly epoch: number
  /** The one before it did not let it go: what it ran may have taken effect. */
  readonly isTakenOver: boolean
  /**
   * Aborts when another one has taken the conversation over, or may have: end what runs for it. The
   * reason is a `DatabaseError` (`hold_lost`).
   */
  readonly lost: AbortSignal
  /**
   * For the engine's option `storage`. What it writes has the epoch as its token, which is compared in
   * the very transaction: a write that comes too late is refused and changes nothing.
   */
  readonly storage: EngineStorage
  /**
   * Looks up whether the hold stands. With the client of a transaction of the caller it stands until
   * that is over: for writes of one's own that only a holder may make.
   *
   * @throws DatabaseError `hold_lost`
   */
  check(client?: ClientBase): Promise<void>
  /**
   * Lets the conversation go, once what disposed engines had left is stored. What is written later is
   * refused. A second time does nothing.
   */
  release(): Promise<void>
}

/**
 * Takes hold of a conversation, and keeps it until it is released, or until this process ends or stands
 * still for longer than `leaseMs`. Time is the database's.
 *
 * @returns `undefined` while another one holds it, be it in this process
 * @throws DatabaseError when the database cannot be used, or `invalid_argument`
 */
export async function holdConversation(
  database: AssentPostgres,
  conversationId: string,
  { owner = crypto.randomUUID(), conversationOwner, leaseMs = 15_000 }: HoldOptions = {},
): Promise<ConversationHold | undefined> {
  if (!Number.isFinite(leaseMs) || leaseMs < 1) {
    throw new DatabaseError('invalid_argument', 'leaseMs is a number of milliseconds above 0.')
  }
  const leases = leaseTable(database)
  const namespace = namespaceOf(conversationId, conversationOwner)
  // From before it was asked for: when the answer came the lease had begun.
  let askedAt = performance.now()
  const acquired = await leases.acquire(namespace, owner, leaseMs)
  if (!acquired) return undefined
  const { token, isTakenOver } = acquired
  const margin = Math.min(MARGIN_MS, leaseMs / 3)
  const lost = new AbortController()
  const over = new AbortController()
  let renewing = false
  let releasing: Promise<void> | undefined

  function lose(): DatabaseError {
    clearInterval(timer)
    const error = new DatabaseError(
      'hold_lost',
      `The conversation ${JSON.stringify(conversationId)} is no longer held by ${owner}: nothing was ` +
        'written. Hold it anew, and read it again.',
    )
    if (!releasing) lost.abort(error)
    over.abort(error)
    return error
  }

  async function renew(): Promise<void> {
    const isLate = performance.now() >= askedAt + leaseMs - margin
    if (renewing) {
      // It gets no answer, and another one may have it soon.
      if (isLate) lose()
      return
    }
    renewing = true
    const asksAt = performance.now()
    try {
      if (await leases.renew(namespace, token, leaseMs)) askedAt = asksAt
      else lose()
    } catch {
      // It is tried again, for as long as nobody else can have it.
      if (isLate) lose()
    } finally {
      renewing = false
    }
  }

  const timer = setInterval(() => void renew(), Math.min(leaseMs / 3, LONGEST_TIMER_MS))
  // An engine keeps a process alive, or nothing does.
  timer.unref()
  database.closed.addEventListener('abort', () => void lose(), { signal: over.signal })

  const { storage, closed } = heldStorage(postgresStorage(database), {
    conversationId,
    conversationOwner,
    token,
    over: over.signal,
    lose,
  })

  return {
    conversationId,
    owner,
    epoch: token,
    isTakenOver,
    lost: lost.signal,
    storage,
    async check(client) {
      const ask =
        client &&
        (async (sql: string, values: readonly unknown[]) => {
          return (await client.query(sql, [...values])).rows
        })
      if (over.signal.aborted || !(await leases.isHeld(namespace, token, ask))) throw lose()
    },
    release() {
      releasing ??= closed().then(async () => {
        clearInterval(timer)
        if (over.signal.aborted) return
        over.abort()
        await leases.release(namespace, token)
      })
      return releasing
    },
  }
}
