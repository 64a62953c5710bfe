import type { UIMessage } from 'ai'
import type { ConfirmationRecord } from './confirmation.ts'
import type { EngineError } from './errors.ts'
import type { EngineState } from './state.ts'

/** What is kept of a conversation: the facts from which it goes on. */
export interface StoredConversation<MESSAGE extends UIMessage = UIMessage> extends Pick<
  EngineState<MESSAGE>,
  'requestState' | 'processingState' | 'messages' | 'turn' | 'queue' | 'confirmations' | 'drafts'
> {
  /** Why the last turn failed, while `requestState` is `error`. */
  readonly error?: EngineError | undefined
}

/** What keeping a conversation needs of its engine. */
export interface PersistenceHost<MESSAGE extends UIMessage = UIMessage> {
  readonly conversationId: string
  getState(): EngineState<MESSAGE>
  getMessage(messageId: string): MESSAGE | undefined
  now(): number
  /**
   * Takes over what was decided in other conversations and holds in this one, while it is open. What
   * is known is of no account, and nothing of it is handed back to be stored.
   */
  learn?(confirmations: readonly ConfirmationRecord[]): void
  /** From its abort on nothing may be written any more: another engine has the conversation. */
  readonly fence?: AbortSignal
  /** What went wrong with the store; the conversation goes on. */
  report(error: EngineError): void
}

/** Keeps one conversation. No method rejects. */
export interface Persistence<MESSAGE extends UIMessage = UIMessage> {
  /** What was kept; `undefined` when nothing was, or when it cannot be read, which is reported. */
  restore(): Promise<StoredConversation<MESSAGE> | undefined>
  /**
   * Takes note that a message came, changed or went, or, without an id, that another fact changed:
   * only drafts, when that is said. Also in the very tick of `close`, after it.
   */
  changed(messageId?: string, isDraft?: boolean): void
  /**
   * Stores what changed so far. Resolves with whether that is durable; when it is not, that was
   * reported and is tried again later.
   */
  save(): Promise<boolean>
  /** Stores what is left, and then nothing more. */
  close(): Promise<void>
}

/** The option `storage`: a store together with the way in which it keeps conversations. */
export interface EngineStorage {
  /** Begins to keep a conversation. */
  open<MESSAGE extends UIMessage>(host: PersistenceHost<MESSAGE>): Persistence<MESSAGE>
}
