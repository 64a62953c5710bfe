import type { EngineStorage } from '../persistence.ts'
import type { ConversationStorage } from './storage.ts'

/** Conversations, and who may work on them: for `createWorker`, over all processes of a backend. */
export interface Conversations {
  /** All of them, to be read, and to be written by who needs no hold. */
  readonly storage: ConversationStorage & EngineStorage
  /**
   * Takes hold of a conversation, and keeps it until it is released, or until this process ends or
   * stands still for longer than `leaseMs`.
   *
   * @returns `undefined` while another one holds it, be it in this process
   * @throws DatabaseError when the database cannot be used, or `invalid_argument`
   */
  hold(conversationId: string, options?: HoldOptions): Promise<ConversationHold | undefined>
}

/** Options of {@link Conversations.hold}. */
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
   * Looks up whether the hold stands. It may be lost right after: only writes by `storage` are compared
   * with it in their own transaction.
   *
   * @throws DatabaseError `hold_lost`
   */
  check(): Promise<void>
  /**
   * Lets the conversation go, once what disposed engines had left is stored. What is written later is
   * refused. A second time does nothing, unless the first one failed.
   */
  release(): Promise<void>
}
