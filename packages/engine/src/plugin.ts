import type { FinishReason, UIMessage, UIMessageChunk } from 'ai'
import type { ConfirmationRecord } from './confirmation.ts'
import type { Delivery } from './delivery.ts'
import type { EngineError } from './errors.ts'
import type { ToolCallRef } from './message/tool-part.ts'
import type { SaveResult } from './persistence.ts'
import type { EngineState, PauseReason, TurnNotice, TurnState, WaitSubject } from './state.ts'
import type { RequestExtras } from './transport/transport.ts'

/** What every hook and command is given. Writing through it after its turn ended does nothing. */
export interface PluginContext<MESSAGE extends UIMessage = UIMessage> {
  /** One object per engine, always the same: the key for state that belongs to an engine. */
  readonly engineKey: object
  /** The id of the conversation. */
  readonly conversationId: string
  getState(): EngineState<MESSAGE>
  /** A message as it is now, at the same cost however many there are. */
  getMessage(messageId: string): MESSAGE | undefined
  readonly turn: TurnState | undefined
  /** Aborts with the turn. */
  readonly abortSignal: AbortSignal
  readonly customContext: Readonly<Record<string, unknown>>
  /** Merges into the turn's custom context, which survives a pause. Values must be JSON. */
  setCustomContext(patch: Readonly<Record<string, unknown>>): void
  /** Pauses the turn before its next step, as `'pause'` from `onSettle` does. */
  setRequestState(state: 'paused', reason?: PauseReason): void
  /**
   * Appends a message; it is in every request that follows. Throws `invalid_argument` for an id that
   * is taken.
   */
  appendMessage(message: MESSAGE): void
  /** Replaces a message by what `update` makes of it. Throws `unknown_message`. */
  updateMessage(messageId: string, update: (message: MESSAGE) => MESSAGE): void
  /**
   * Replaces a message also when the turn is over: for what only adds to what is known. One that is
   * being streamed is changed when its step has ended; nothing happens to one that is gone.
   */
  amendMessage(messageId: string, update: (message: MESSAGE) => MESSAGE): void
  /**
   * Notes that a call was settled or decided here, so that the next request must carry it; with
   * `isUnsent: false`, that it waits again.
   */
  markUnsent(call: ToolCallRef, isUnsent?: boolean): void
  /**
   * Notes that a call was given up whose outcome is not known; with `false`, that a person has said
   * something about the turn since.
   */
  markRepaired(isRepaired?: boolean): void
  /** Appends to the history of confirmations, all at once. */
  appendConfirmations(records: readonly ConfirmationRecord[]): void
  /**
   * Tells the turn that a fact changed: it looks again, or goes on if it was paused. What a paused
   * turn shows first is `calling-tools`, or `requesting` when nothing is left to run here.
   */
  advance(showing?: 'calling-tools' | 'requesting'): void
  /** Tells the `onSettle` that waits for a change that there is one; nothing else. */
  rouse(): void
  /**
   * Stores what changed so far, durably; `undefined` when the engine keeps nothing. A store that fails
   * is reported, not obeyed. After `'taken'` somebody else goes on with the conversation: its turn has
   * ended here, and what is stored is shown.
   */
  save(): Promise<SaveResult> | undefined
  /**
   * Says what the turn waits for until the function that it answers with is called. It is in
   * `turn.waitingFor` once it has lasted about a second, unless a wait that began later has too.
   */
  beginWait(subject: WaitSubject): () => void
  /** Makes an id with the engine's `generateId`. */
  generateId(): string
  /** Milliseconds since the epoch, from the engine's clock. */
  now(): number
  /** Reports what a callback threw that only observes to the engine's option `onError`; the turn goes on. */
  reportError(error: EngineError): void
}

/** Given to `onBeforeRequest`: the request may be added to. */
export interface BeforeRequestContext<
  MESSAGE extends UIMessage = UIMessage,
> extends PluginContext<MESSAGE> {
  readonly request: RequestExtras
}

/** Given to `onAfterRequest`: how the step's stream ended. */
export interface AfterRequestContext<
  MESSAGE extends UIMessage = UIMessage,
> extends PluginContext<MESSAGE> {
  readonly finishReason: FinishReason | undefined
  /**
   * The metadata that this response's own `finish` carried, `undefined` when it carried none. That of
   * the message also holds what earlier responses said.
   */
  readonly finishMetadata: unknown
  /** The messages as the stream left them, before any hook. */
  readonly messages: readonly MESSAGE[]
  /** Asks for another step of this turn. */
  requestNext(): void
}

/** Given to `onSettle`. */
export interface SettleContext<
  MESSAGE extends UIMessage = UIMessage,
> extends PluginContext<MESSAGE> {
  /** Shows that tool calls are being run or decided (`calling-tools`). */
  callingTools(): void
  /**
   * Forgets what changed so far and resolves with the next `advance()`, or when the turn is aborted.
   * Call it before looking at the facts, await it after.
   */
  changed(): Promise<void>
  /** Ends the turn with an error once the settling is done; what a `retry` goes on from. */
  fail(error: EngineError): void
  /** Why the turn pauses, shown while it does; set before answering `'pause'`. */
  setPauseReason(reason: PauseReason): void
}

/** Given to `onTurnEnd`. */
export interface TurnEndContext<
  MESSAGE extends UIMessage = UIMessage,
> extends PluginContext<MESSAGE> {
  /** Says why the turn ends without a final answer; nothing is said when it goes on after all. */
  setNotice(notice: TurnNotice): void
}

/** Given to commands. */
export interface CommandContext<
  MESSAGE extends UIMessage = UIMessage,
> extends PluginContext<MESSAGE> {
  /**
   * Asks for a step: of the open turn, or of a new one when none is open.
   * With `resume: true` it throws `nothing_to_retry` unless a turn is there to go on with.
   */
  requestNext(options?: { resume?: boolean }): void
  /** Throws `busy` while the model answers: for commands that are accepted even then. */
  assertAccepting(): void
  /** Says anew why a paused turn is paused; nothing happens to one that is not. */
  setPauseReason(reason: PauseReason): void
}

/** Given to `onError`: observers, they cannot replace the error. */
export interface ErrorContext<
  MESSAGE extends UIMessage = UIMessage,
> extends PluginContext<MESSAGE> {
  readonly error: EngineError
}

type Awaitable<T> = T | PromiseLike<T>
type Hook<CONTEXT> = (context: CONTEXT) => Awaitable<void>

/** The hooks of a plugin: run in order of registration, awaited. */
export interface PluginHooks<MESSAGE extends UIMessage = UIMessage> {
  /** Once, before the engine is ready: restores. */
  onInit?: Hook<PluginContext<MESSAGE>>
  onTurnStart?: Hook<PluginContext<MESSAGE>>
  /** Instead of `onTurnStart` when a paused or failed turn goes on. */
  onTurnResume?: Hook<PluginContext<MESSAGE>>
  onBeforeRequest?: Hook<BeforeRequestContext<MESSAGE>>
  onAfterRequest?: Hook<AfterRequestContext<MESSAGE>>
  /**
   * Settles what the last step left open. Any `'pause'` pauses the turn, else any `'next'` requests
   * another step, else the turn ends. Called again after every change, so it reads facts only.
   */
  onSettle?: (context: SettleContext<MESSAGE>) => Awaitable<'pause' | 'next' | undefined | void>
  /** Before `paused` is published. */
  onTurnPause?: Hook<PluginContext<MESSAGE>>
  /** Before `completed` is published. */
  onTurnEnd?: Hook<TurnEndContext<MESSAGE>>
  /** After `aborted` is published; has 80 ms. */
  onTurnAbort?: Hook<PluginContext<MESSAGE>>
  onError?: Hook<ErrorContext<MESSAGE>>
  /** After every end of a turn: completed, aborted or failed. */
  onFinally?: Hook<PluginContext<MESSAGE>>
}

/** The context of each hook. */
export interface HookContexts<MESSAGE extends UIMessage = UIMessage> {
  onInit: PluginContext<MESSAGE>
  onTurnStart: PluginContext<MESSAGE>
  onTurnResume: PluginContext<MESSAGE>
  onBeforeRequest: BeforeRequestContext<MESSAGE>
  onAfterRequest: AfterRequestContext<MESSAGE>
  onSettle: SettleContext<MESSAGE>
  onTurnPause: PluginContext<MESSAGE>
  onTurnEnd: TurnEndContext<MESSAGE>
  onTurnAbort: PluginContext<MESSAGE>
  onError: ErrorContext<MESSAGE>
  onFinally: PluginContext<MESSAGE>
}

/** The hooks that are run one after the other. */
export type HookName = keyof HookContexts

/** An operation that a plugin offers by name. What it throws becomes an error result. */
export type PluginCommand<MESSAGE extends UIMessage = UIMessage> = (
  payload: unknown,
  context: CommandContext<MESSAGE>,
) => unknown

/** A plugin that offers commands needs a name to call them by. */
export interface NamedPlugin<MESSAGE extends UIMessage = UIMessage> extends PluginHooks<MESSAGE> {
  /** No two plugins of an engine have the same one. */
  name: string
  commands?: Readonly<Record<string, PluginCommand<MESSAGE>>>
  /** Names of commands that are accepted while the model answers, too. */
  commandsWhileAnswering?: readonly string[]
  /**
   * Names of commands of which the same one again changes nothing and has the same result: given
   * again when nobody knows whether they were carried out.
   */
  repeatableCommands?: readonly string[]
}

/** A plugin of hooks alone may go without a name. */
export interface AnonymousPlugin<
  MESSAGE extends UIMessage = UIMessage,
> extends PluginHooks<MESSAGE> {
  name?: undefined
  commands?: undefined
  commandsWhileAnswering?: undefined
  repeatableCommands?: undefined
}

/**
 * Hooks that only the plugins of this package have: no part of the contract, and free to change. None is
 * awaited.
 */
export interface InternalHooks<MESSAGE extends UIMessage = UIMessage> {
  /**
   * Asked right before a request is made, after every `onBeforeRequest`: `false` takes the step back,
   * once, and the turn looks again at what is left to do. The first request of a turn is made anyway.
   * Not awaited.
   */
  mayRequest?: (context: PluginContext<MESSAGE>) => boolean
  /**
   * Whether a paused turn has something to settle all the same: then it goes on. Asked when the turn
   * was restored, and when decisions were made in other conversations that hold in this one, too.
   * Not awaited.
   */
  isPauseOver?: (context: PluginContext<MESSAGE>, isRestored: boolean) => boolean
  /**
   * For every chunk of a response, before anything is made of it: answers with the chunk to apply in
   * its place, or with the same one. Not awaited; it is called once per token, so it must be quick.
   */
  onChunk?: (chunk: UIMessageChunk, context: PluginContext<MESSAGE>) => UIMessageChunk
  /**
   * A request failed: lets the calls wait again whose decisions the server says it did not take. Not awaited.
   */
  onRefused?: (context: PluginContext<MESSAGE>, failure: EngineError) => void
  /** How decisions on calls that are executed elsewhere arrive there. One plugin has it. */
  delivery?: Delivery
  /**
   * Whether the calls of a tool run here, so that one which this plugin has not started cannot have
   * run. What else becomes of a call without a result is not known.
   */
  runsHere?: (toolName: string) => boolean
  /**
   * In the tick in which a turn ends, however it does, before that is published: whoever is told may
   * take the answer away, so this is the last moment to note what it shows. Not awaited.
   */
  onTurnOver?: (context: PluginContext<MESSAGE>) => void
  /**
   * When everything is stopped, before the open turn is aborted: notes what must not go on by itself.
   * Not awaited.
   */
  onStopAll?: (context: PluginContext<MESSAGE>) => void
  /**
   * With `whenBusy: 'deny'`, a message typed while commands are accepted in the open turn. Answer
   * `true` to take its text as the reason of a denial; the message is then not sent.
   */
  onMessageWhileWaiting?: (text: string, context: CommandContext<MESSAGE>) => boolean
}

interface NamedInternalPlugin<MESSAGE extends UIMessage>
  extends NamedPlugin<MESSAGE>, InternalHooks<MESSAGE> {}

interface AnonymousInternalPlugin<MESSAGE extends UIMessage>
  extends AnonymousPlugin<MESSAGE>, InternalHooks<MESSAGE> {}

/** A plugin as the engine knows it: anybody's, or one of this package. */
export type InternalPlugin<MESSAGE extends UIMessage = UIMessage> =
  | NamedInternalPlugin<MESSAGE>
  | AnonymousInternalPlugin<MESSAGE>

/**
 * Extends an engine. It keeps no state of one engine in its closure (see
 * {@link PluginContext.engineKey}): the same object may serve many engines.
 */
export type EnginePlugin<MESSAGE extends UIMessage = UIMessage> =
  | NamedPlugin<MESSAGE>
  | AnonymousPlugin<MESSAGE>

/** Adds to a context. A copy's getters would be stale, so the context becomes the prototype. */
export function extendContext<CONTEXT extends object, MORE extends object>(
  context: CONTEXT,
  more: MORE & ThisType<CONTEXT & MORE>,
): CONTEXT & MORE {
  return Object.assign(Object.create(context) as CONTEXT, more)
}
