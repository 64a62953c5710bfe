import type { UIMessage } from 'ai'
import type { ConfirmationRecord } from './confirmation.ts'
import type { EngineError } from './errors.ts'
import type { RestoredMessages } from './message/restore-messages.ts'
import type { EarlierMessages, EngineState, QueuedMessage } from './state.ts'

/** A conversation that was kept, as it goes on. Of plain messages, calls may wait. */
export interface RestoredConversation<MESSAGE extends UIMessage = UIMessage>
  extends
    RestoredMessages<MESSAGE>,
    Pick<EngineState<MESSAGE>, 'turn' | 'queue' | 'confirmations' | 'drafts' | 'earlier'> {
  /**
   * What becomes of its turn: it goes on with its calls, waits for what it waited for, or counts as
   * aborted. Without this, and without an error, it is over.
   */
  readonly requestState?: 'processing' | 'paused' | 'aborted'
  /** It was about to make a request, for whatever reason: that is still due. */
  readonly isStepDue?: boolean
  /** Its turn has failed. */
  readonly error?: EngineError
  /** That was told to the hooks of the turn before. */
  readonly isErrorKnown?: boolean
  /** Another engine is at work on its turn, here or in another tab: it is not to be gone on with. */
  readonly isElsewhere?: boolean
  /** Ids of the messages that are not in the store as they are here. */
  readonly changed: readonly string[]
}

/** What keeping a conversation needs of its engine. */
export interface PersistenceHost<MESSAGE extends UIMessage = UIMessage> {
  readonly conversationId: string
  /** Whose it is: nothing of another owner is read. */
  readonly owner?: string | undefined
  /** Everything of the owner is taken away: the conversation is over, and stored no more. */
  onOwnerCleared?(): void
  getState(): EngineState<MESSAGE>
  getMessage(messageId: string): MESSAGE | undefined
  now(): number
  /**
   * Takes over what was decided in other conversations and holds in this one, while it is open: only
   * what is not known. Nothing of it is handed back to be stored.
   */
  learn?(confirmations: readonly ConfirmationRecord[]): void
  /** Puts messages that were read now before all others; `earlier` says what is still left. */
  showEarlier?(messages: readonly MESSAGE[], earlier: EarlierMessages | undefined): void
  /** From its abort on nothing may be written any more: another engine has the conversation. */
  readonly lost?: AbortSignal
  /**
   * The token of who holds the conversation, with which all of it is written: that of a lease, or the
   * `'next'` one of the store, for who has a lock. Without it others may write as well.
   */
  readonly token?: number | 'next'
  /**
   * A write was refused, as somebody else goes on with the conversation: nothing is stored from here
   * until it was restored again.
   */
  onTaken?(): void
  /** What went wrong with the store; the conversation goes on. */
  report(error: EngineError): void
}

/**
 * What became of what was to be stored: it is, durably; somebody else has gone on with the
 * conversation since it was read here, so that it is not and never will be; or the store failed, which
 * was reported and is tried again: nobody knows whether it is.
 */
export type SaveResult = 'stored' | 'taken' | 'failed'

/** How what changed is stored. */
export interface SaveOptions {
  /** Also when nothing changed here, and whoever is at work: nothing older may be believed. */
  readonly isForced?: boolean
}

/** Keeps one conversation. No method rejects. */
export interface Persistence<MESSAGE extends UIMessage = UIMessage> {
  /**
   * What the conversation goes on with; `undefined` when nothing was kept, or when it cannot be read,
   * which is reported.
   */
  restore(): Promise<RestoredConversation<MESSAGE> | undefined>
  /**
   * Takes note that a message came, changed or went, or, without an id, that another fact changed:
   * only drafts, when that is said. Also in the very tick of `close`, after it.
   */
  changed(messageId?: string, isDraft?: boolean): void
  /** Takes note that the messages may be in another order. */
  reordered(): void
  /**
   * Stores what changed so far, durably: all of it or nothing. Of all who go on with the conversation
   * as it is in the store, one succeeds; what the others know is older then.
   */
  save(options?: SaveOptions): Promise<SaveResult>
  /**
   * Reads the messages before those that were restored: some, or all of them. A failure is reported, and
   * nothing is shown then.
   */
  loadEarlier?(isAll: boolean): Promise<void>
  /** Keeps messages that were sent here, and that somebody else's conversation has not: for its queue. */
  hold(queued: readonly QueuedMessage[]): Promise<void>
  /** Stores what is left, and then nothing more. */
  close(): Promise<void>
}

/** The option `storage`: a store together with the way in which it keeps conversations. */
export interface EngineStorage {
  /** Begins to keep a conversation. */
  open<MESSAGE extends UIMessage>(host: PersistenceHost<MESSAGE>): Persistence<MESSAGE>
}
