import type { EngineStorage } from '@assent/engine'
import { heldStorage, namespaceOf } from '@assent/engine/storage'
import { DatabaseError } from './database-error.ts'
import { leaseTable } from './leases.ts'
import type { AssentDatabase } from './open-database.ts'
import { sqliteStorage } from './sqlite-storage.ts'

/** What a timer can count to; a longer one fires at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

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
  /** Milliseconds since the epoch, the same for all processes. Default `Date.now`. */
  readonly now?: () => number
}

/** The right to work on a conversation, which one holder at a time has, over all processes. */
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
   * Looks up whether the hold stands, inside a transaction of the caller: for writes of one's own that
   * only a holder may make.
   *
   * @throws DatabaseError `hold_lost`
   */
  check(): void
  /**
   * Lets the conversation go, once what disposed engines had left is stored. What is written later is
   * refused. A second time does nothing.
   */
  release(): Promise<void>
}

/**
 * Takes hold of a conversation, and keeps it until it is released, or until this process ends or stands
 * still for longer than `leaseMs`.
 *
 * @returns `undefined` while another one holds it, be it in this process
 * @throws DatabaseError when the database cannot be used, or `invalid_argument`
 */
export async function holdConversation(
  database: AssentDatabase,
  conversationId: string,
  {
    owner = crypto.randomUUID(),
    conversationOwner,
    leaseMs = 15_000,
    now = Date.now,
  }: HoldOptions = {},
): Promise<ConversationHold | undefined> {
  if (!Number.isFinite(leaseMs) || leaseMs < 1) {
    throw new DatabaseError('invalid_argument', 'leaseMs is a number of milliseconds above 0.')
  }
  const leases = leaseTable(database)
  const namespace = namespaceOf(conversationId, conversationOwner)
  const acquired = leases.acquire(namespace, { owner, now: now(), leaseMs })
  if (!acquired) return undefined
  const { epoch, isTakenOver } = acquired
  const lost = new AbortController()
  const over = new AbortController()
  let expiresAt = acquired.expiresAt
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

  function check(): void {
    if (over.signal.aborted || !leases.isHeld(namespace, epoch)) throw lose()
  }

  function renew(): void {
    try {
      const until = leases.renew(namespace, { epoch, now: now(), leaseMs })
      if (until === undefined) lose()
      else expiresAt = until
    } catch {
      // It is tried again, for as long as nobody else can have it.
      if (now() >= expiresAt) lose()
    }
  }

  const timer = setInterval(renew, Math.min(leaseMs / 3, LONGEST_TIMER_MS))
  // An engine keeps a process alive, or nothing does.
  timer.unref()
  database.closed.addEventListener('abort', () => void lose(), { signal: over.signal })

  const { storage, closed } = heldStorage(sqliteStorage(database), {
    conversationId,
    conversationOwner,
    token: epoch,
    over: over.signal,
    lose,
  })

  return {
    conversationId,
    owner,
    epoch,
    isTakenOver,
    lost: lost.signal,
    storage,
    check,
    release() {
      releasing ??= closed().then(() => {
        clearInterval(timer)
        if (over.signal.aborted) return
        over.abort()
        leases.release(namespace, epoch)
      })
      return releasing
    },
  }
}
