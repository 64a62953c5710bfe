import type { JSONValue, UIMessage } from 'ai'
import type { RunPluginCommand } from './commands.ts'
import type { ConfirmationRecord } from './confirmation.ts'
import type { DraftSubject } from './drafts.ts'
import type { EngineError } from './errors.ts'
import type { MessageInput } from './message/message-input.ts'
import type { EngineStorage } from './persistence.ts'
import type { EnginePlugin } from './plugin.ts'
import type { ResendOptions } from './delivery.ts'
import type { EngineState, TurnOutcome } from './state.ts'
import type { MessageTransport, TurnRequestOptions } from './transport/transport.ts'

/**
 * What becomes of a message sent while a turn is processing or paused: it is queued, refused as
 * `busy`, or, when it is a text and calls wait for a person, becomes the reason that denies them
 * (while the model answers, and while none wait, it is queued).
 */
export type WhenBusy = 'queue' | 'reject' | 'deny'

/** Makes other messages of those that are there. */
export type MessagesUpdate<MESSAGE extends UIMessage = UIMessage> = {
  // As a method, so that an engine of a message type of one's own stays an engine of any.
  update(messages: readonly MESSAGE[]): readonly MESSAGE[]
}['update']

export interface MessageEngineOptions<MESSAGE extends UIMessage = UIMessage> {
  /** The id of the conversation, sent as `chatId`. Default: a generated one. */
  id?: string
  /** The history to start with. A call in it that awaits approval opens a paused turn. */
  messages?: readonly MESSAGE[]
  /**
   * The history of confirmations to start with: this conversation's, and those of others whose
   * policies hold everywhere. The state's `confirmations` go on from them.
   */
  confirmations?: readonly ConfirmationRecord[]
  transport: MessageTransport<MESSAGE>
  plugins?: readonly EnginePlugin<MESSAGE>[]
  /**
   * Keeps the conversation, so that it goes on after a reload or a crash; needs an `id`. What is
   * stored comes before `messages`, which is what an empty store begins with.
   */
  storage?: EngineStorage
  /**
   * Whose conversation it is, such as the id of the user who has logged in. With `storage`, nothing of another
   * owner is read: no conversation of the same id, no draft, no permission that holds everywhere. What
   * was stored without an owner belongs to nobody, and is there without one only. The engine is disposed
   * when `clearOwner` takes everything of the owner away.
   */
  owner?: string
  /** Requests allowed per turn. Default 25. */
  maxSteps?: number
  /** Default `'queue'`. */
  whenBusy?: WhenBusy
  /** Headers, body and metadata of every request, read anew for each. */
  request?: TurnRequestOptions | (() => TurnRequestOptions)
  /** How decisions are sent again that a server's ledger has not answered. */
  resend?: ResendOptions
  /** A stream that ends cleanly without `finish` is an error. Default `true`. */
  requireFinish?: boolean
  /**
   * How long a request waits for its response to begin, each try of `httpTransport` anew; then it fails
   * with `response_timeout`. `Infinity`: as long as it takes. Default 60,000 ms.
   */
  responseTimeoutMs?: number
  /**
   * How long a response that has begun may be silent; then it fails with `stream_timeout`. With
   * `httpTransport` every byte counts, so comments keep a stream alive while the model thinks.
   * `Infinity`: as long as it takes. Default 300,000 ms.
   */
  silenceTimeoutMs?: number
  /** Default: `crypto.randomUUID`, or random characters where that is missing. */
  generateId?: () => string
  /** Milliseconds since the epoch. Default `Date.now`. */
  now?: () => number
  /** Runs `publish` once, at the next frame; returns how to cancel that. Default: 16 ms or a frame. */
  scheduleFrame?: (publish: () => void) => () => void
  /** Data parts as they arrive, transient ones too. */
  onData?: (part: { type: `data-${string}`; id?: string; data: unknown }) => void
  /** Failures of turns and of callbacks that only observe. Default for the latter: `console.error`. */
  onError?: (error: EngineError) => void
}

/** A conversation with a model. Methods never reject: failures are in their results and the state. */
export interface MessageEngine<MESSAGE extends UIMessage = UIMessage> {
  readonly id: string
  /** Resolves when the `onInit` hooks have run, or the engine was disposed. Never rejects. */
  readonly ready: Promise<void>
  /** Always current, also between publications. */
  getState(): EngineState<MESSAGE>
  /** One message, always current; of O(1). `undefined` when there is none of that id. */
  getMessage(messageId: string): MESSAGE | undefined
  /** Called after changes, at most once per frame, and at once when `requestState` changes. */
  subscribe(listener: () => void): () => void
  /** Called after changes of one message only, at most once per frame. */
  subscribeMessage(messageId: string, listener: () => void): () => void
  /** Publishes now what waits for the next frame. */
  flush(): void

  /**
   * Opens a turn, or queues the message when one is open. Resolves at the pause or end of its own
   * turn.
   */
  sendMessage(message: MessageInput<MESSAGE>, options?: TurnRequestOptions): Promise<TurnOutcome>
  /**
   * Drops an assistant message and all after it, or what follows a user message, and asks for an
   * answer anew. Default: the last assistant message; a user message at the end that has none yet.
   */
  regenerate(options?: { messageId?: string } & TurnRequestOptions): Promise<TurnOutcome>
  /** Replaces a user message, drops all after it, and opens a turn with it. */
  editMessage(
    messageId: string,
    message: MessageInput<MESSAGE>,
    options?: TurnRequestOptions,
  ): Promise<TurnOutcome>
  /**
   * Goes on with a failed or aborted turn: the failed step is requested again, with the headers,
   * body and metadata of its turn and the given ones above them. An answer that was cut at its greatest
   * length (the notice `length`) goes on where it stopped, in the same message.
   */
  retry(options?: TurnRequestOptions): Promise<TurnOutcome>
  /**
   * Takes up a stream that the server still sends for this conversation, if there is one. An answer
   * that came to its end, and whose calls have begun to run here, is not taken up: they would run again.
   */
  reconnect(options?: TurnRequestOptions): Promise<TurnOutcome>
  /**
   * Ends the open turn at once, whatever provider and tools do. What still waits for the engine to
   * be ready is not sent.
   */
  abort(): Promise<void>
  /**
   * Stops everything: the open turn is aborted, the queue is held, and every standing permission is
   * suspended, also after a reload, until the tool plugin's command `resumePolicies` lets it go on.
   * From then on nothing begins by itself. Resolves when that is stored.
   */
  stopAll(): Promise<void>

  /**
   * Reads messages that stand before those of the state, as long as its `earlier` says that there are any.
   * A failure is reported as `storage_failed`, and `earlier` stays: call it again. `sendMessage` and
   * whatever else asks the model reads all of them first by itself.
   */
  loadEarlier(): Promise<void>

  /**
   * Puts other messages in the place of all: none to clear the conversation, some to delete, older ones
   * before the others to load more. A function is given those that are there. Decisions, drafts that
   * are about nothing that is gone, and the queue stay. Throws `busy` while a turn is open or the
   * conversation is being restored, `storage_failed` while earlier messages were not read, and
   * `invalid_argument` for messages without an id of their own.
   */
  setMessages(messages: readonly MESSAGE[] | MessagesUpdate<MESSAGE>): void

  /** Changes a queued message. Throws `unknown_message`. */
  editQueued(queuedId: string, message: MessageInput<MESSAGE>): void
  /** Removes a queued message. Throws `unknown_message`. */
  removeQueued(queuedId: string): void
  /** Sends a queued message next, also a held one. Throws `unknown_message`. */
  sendQueued(queuedId: string): void
  /**
   * Gives a queued message another place: `0` is the first to be sent. A place before the first or
   * after the last is the first or last one. Throws `unknown_message`, and `invalid_argument` when
   * the place is no whole number.
   */
  moveQueued(queuedId: string, toIndex: number): void
  /**
   * Holds a queued message back until it is sent by hand, or lets it go again: then it is sent in its
   * turn, at once where no turn is open. Throws `unknown_message`.
   */
  holdQueued(queuedId: string, held: boolean): void

  /**
   * Keeps what a person has begun and not sent, under a key of the app's own choice, or drops it
   * (`undefined`). It is in the state's `drafts`, in the store, and in other tabs. One that is about
   * a message or a call goes with that, and is not kept when that is over already; name the subject
   * each time. What is set in the very tick of `dispose` is still stored.
   *
   * Throws `invalid_argument` for an empty key, for what is no JSON, and for more than 100,000
   * characters of it.
   */
  setDraft(key: string, draft: JSONValue | undefined, about?: DraftSubject): void

  runPluginCommand: RunPluginCommand
  /** Ends everything, without hooks; the engine is of no use afterwards. */
  dispose(): void
}
