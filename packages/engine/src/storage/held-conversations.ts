import type { EngineStorage } from '../persistence.ts'
import { namespaceOf } from './conversation-records.ts'
import type { ConversationHold, Conversations, HoldOptions } from './conversations.ts'
import { DatabaseError } from './database-error.ts'
import { heldStorage } from './held-storage.ts'
import type { ConversationStorage } from './storage.ts'

/** A lease that was given. */
export interface ConversationLease {
  readonly epoch: number
  /** Its holder before let it expire. */
  readonly isTakenOver: boolean
}

/** The leases of a backend, by its own clock. */
export interface ConversationLeases {
  /** `undefined` while somebody else has one that has not expired. */
  acquire(namespace: string, owner: string, leaseMs: number): Promise<ConversationLease | undefined>
  /** Whether it was extended: not when another one has it, or it was released. */
  renew(namespace: string, epoch: number, leaseMs: number): Promise<boolean>
  isHeld(namespace: string, epoch: number): Promise<boolean>
  release(namespace: string, epoch: number): Promise<void>
}

/** What {@link heldConversations} stands on. */
export interface HeldConversationsOptions {
  /** Where they are stored. Its writes compare their token with that of the lease. */
  readonly storage: ConversationStorage & EngineStorage
  readonly leases: ConversationLeases
  /** Aborts when the backend is closed. */
  readonly closed: AbortSignal
}

/** What a timer can count to; a longer one fires at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1
/** So long before its lease may be over, who cannot renew it stops, at most. */
const MARGIN_MS = 2_000

/** For who writes a backend: its conversations, by its storage and its leases. */
export function heldConversations(options: HeldConversationsOptions): Conversations {
  return {
    storage: options.storage,
    hold: (conversationId, asked = {}) => holdConversation(options, conversationId, asked),
  }
}

async function holdConversation(
  { storage: all, leases, closed: databaseClosed }: HeldConversationsOptions,
  conversationId: string,
  { owner = crypto.randomUUID(), conversationOwner, leaseMs = 15_000 }: HoldOptions,
): Promise<ConversationHold | undefined> {
  if (!Number.isFinite(leaseMs) || leaseMs < 1) {
    throw new DatabaseError('invalid_argument', 'leaseMs is a number of milliseconds above 0.')
  }
  const namespace = namespaceOf(conversationId, conversationOwner)
  // From before it was asked for: when the answer came the lease had begun.
  let askedAt = performance.now()
  const acquired = await leases.acquire(namespace, owner, leaseMs)
  if (!acquired) return undefined
  const { epoch, isTakenOver } = acquired
  const margin = Math.min(MARGIN_MS, leaseMs / 3)
  const lost = new AbortController()
  const over = new AbortController()
  let isRenewing = false
  let releasing: Promise<void> | undefined
  let isLetGo = false
  let isGone = false

  function lose(): DatabaseError {
    clearInterval(timer)
    const error = new DatabaseError(
      'hold_lost',
      `The conversation ${JSON.stringify(conversationId)} is no longer held by ${owner}: nothing was ` +
        'written. Hold it anew, and read it again.',
    )
    isGone = true
    if (!isLetGo) lost.abort(error)
    over.abort(error)
    return error
  }

  async function renew(): Promise<void> {
    const isLate = performance.now() >= askedAt + leaseMs - margin
    if (isRenewing) {
      // It gets no answer, and another one may have it soon.
      if (isLate) lose()
      return
    }
    isRenewing = true
    const asksAt = performance.now()
    try {
      if (await leases.renew(namespace, epoch, leaseMs)) askedAt = asksAt
      else lose()
    } catch {
      // It is tried again, for as long as nobody else can have it.
      if (isLate) lose()
    } finally {
      isRenewing = false
    }
  }

  async function letGo(): Promise<void> {
    await closed()
    clearInterval(timer)
    if (isGone) return
    over.abort()
    await leases.release(namespace, epoch)
  }

  const timer = setInterval(() => void renew(), Math.min(leaseMs / 3, LONGEST_TIMER_MS))
  letEnd(timer)
  databaseClosed.addEventListener('abort', () => void lose(), { signal: over.signal })
  if (databaseClosed.aborted) lose()

  const { storage, closed } = heldStorage(all, {
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
    async check() {
      if (over.signal.aborted || !(await leases.isHeld(namespace, epoch))) throw lose()
    },
    release() {
      isLetGo = true
      releasing ??= letGo().catch((error: unknown) => {
        // Others would wait for the end of its lease: it can be called again.
        releasing = undefined
        throw error
      })
      return releasing
    },
  }
}

/** An engine keeps a process alive, or nothing does: in Node a timer would as well. */
function letEnd(timer: unknown): void {
  if (typeof timer !== 'object' || timer === null || !('unref' in timer)) return
  if (typeof timer.unref === 'function') timer.unref()
}
