import {
  createMessageEngine,
  type CommandResult,
  type ConfirmationRecord,
  type Draft,
  type EngineError,
  type EarlierMessages,
  type EngineState,
  type MessageEngine,
  type ProcessingState,
  type QueuedMessage,
  type RequestState,
  type TurnState,
} from '@assent/engine'
import type { ToolSet, UIMessage } from 'ai'
import {
  computed,
  customRef,
  getCurrentScope,
  hasInjectionContext,
  inject,
  onScopeDispose,
  shallowRef,
  ssrContextKey,
  toRaw,
  toValue,
  triggerRef,
  warn,
  watch,
  type ComputedRef,
  type ShallowRef,
} from 'vue'
import { callDecisions, type CallDecisions } from './call-decisions.ts'
import { bindEngine, type EngineBinding } from './engine-binding.ts'
import type { MessageWithTools } from './message-tools.ts'
import { toEngineOptions, type UseMessageOptions } from './use-message-options.ts'
import { untilSettled } from './until-settled.ts'

type EngineMethods<MESSAGE extends UIMessage> = Pick<
  MessageEngine<MESSAGE>,
  | 'sendMessage'
  | 'regenerate'
  | 'editMessage'
  | 'retry'
  | 'reconnect'
  | 'abort'
  | 'stopAll'
  | 'loadEarlier'
  | 'setMessages'
  | 'editQueued'
  | 'removeQueued'
  | 'sendQueued'
  | 'moveQueued'
  | 'holdQueued'
  | 'setDraft'
  | 'runPluginCommand'
>

/**
 * A conversation as refs and functions.
 *
 * The refs change when the engine publishes: at most once per frame while an answer streams, at once
 * when `requestState` changes. Between publications `engine.value.getState()` is ahead of them. The
 * functions may be taken out of the object; they act on the engine of the moment.
 */
export interface UseMessageReturn<MESSAGE extends UIMessage = UIMessage>
  extends EngineMethods<MESSAGE>, CallDecisions {
  /** The engine underneath; another one after the option `id` changed. */
  readonly engine: Readonly<ShallowRef<MessageEngine<MESSAGE>>>
  /** The id of the conversation. */
  readonly id: ComputedRef<string>
  /**
   * All messages; changes with every publication. What renders a list should not read it: take
   * `messageIds` and `message(id)`. While nothing reads it, no list is made.
   */
  readonly messages: Readonly<ShallowRef<readonly MESSAGE[]>>
  /** The ids in order; changes only when a message comes or goes. */
  readonly messageIds: Readonly<ShallowRef<readonly string[]>>
  /**
   * One message as a ref of its own, so that a streaming token re-renders one bubble. `undefined`
   * while there is no message of that id; it fills when one arrives, also one of the next engine
   * after `id` changed. May be called anywhere, as often as is convenient: in `setup`, in a
   * `computed`, in a template.
   */
  message(messageId: string): Readonly<ShallowRef<MESSAGE | undefined>>
  /** Where the conversation stands. */
  readonly requestState: ComputedRef<RequestState>
  /** What is being done; `undefined` unless `requestState` is `processing`. */
  readonly processingState: ComputedRef<ProcessingState | undefined>
  /** Whether `requestState` is `processing`. */
  readonly isProcessing: ComputedRef<boolean>
  /** Whether `requestState` is `paused`: the turn waits for a decision. */
  readonly isPaused: ComputedRef<boolean>
  /** Why the last turn failed; `undefined` unless `requestState` is `error`. */
  readonly error: ComputedRef<EngineError | undefined>
  /** The open turn, or the last one. */
  readonly turn: ComputedRef<TurnState | undefined>
  /** The messages that wait for their turn. */
  readonly queue: ComputedRef<readonly QueuedMessage<MESSAGE>[]>
  /** Every decision on a tool call and what became of standing ones, in order; only grows. */
  readonly confirmations: ComputedRef<readonly ConfirmationRecord[]>
  /** What a person has begun and not sent, by the keys of `setDraft`. */
  readonly drafts: ComputedRef<readonly Draft[]>
  /** Set while messages before those that are there were not read: `loadEarlier()` reads some of them. */
  readonly earlier: ComputedRef<EarlierMessages | undefined>
  /** The whole snapshot, as `engine.getState()` gives it; changes with every publication. */
  readonly state: Readonly<ShallowRef<EngineState<MESSAGE>>>
  /**
   * Resolves with the `requestState` as soon as nothing goes on by itself: the turn is over or waits for a
   * person, and no message is about to be sent. Also when the conversation is disposed or another one.
   */
  settled(): Promise<RequestState>
}

/**
 * A conversation with a model for Vue: an engine as refs and functions.
 *
 * ```ts
 * const chat = useMessage({
 *   id: () => props.conversationId,
 *   transport: httpTransport({ api: '/api/chat' }),
 *   tools,
 *   request: () => ({ headers: { authorization: token.value } }),
 * })
 * const { waiting } = useApprovals(chat)
 * await chat.sendMessage('Tidy up my notes')
 * for (const call of waiting.value) await chat.deny(call, 'Keep them')
 * await chat.settled()
 * ```
 *
 * Call it in `setup`, in a Pinia setup store, or in an `effectScope`: it is disposed with that scope.
 * Without a scope it warns, and lives until `engine.value.dispose()`. When `id` changes, the engine
 * of the former conversation is disposed (its open turn ends) and all refs follow the new one.
 * `useMessage({ engine })` follows an engine that lives elsewhere and never disposes it.
 *
 * While rendering on a server it reads the engine, and nothing of `storage`, and leaves nothing behind, neither a
 * subscription nor a timer; hand `messages.value` to the client as its option `messages`, with the same `id`.
 *
 * The message type is inferred from `tools`, `messages` or `transport`, or given:
 * `useMessage<UIMessage<Metadata, UIDataTypes, InferUITools<typeof tools>>>(…)`.
 *
 * @param options those of the engine, each a value, ref or getter, and those of `toolPlugin`; or
 * `{ engine }`; see {@link UseMessageOptions}
 * @throws EngineError `invalid_argument` for options of `toolPlugin` beside one in `plugins`, and whatever
 * `createMessageEngine` and `toolPlugin` throw
 */
export function useMessage<
  MESSAGE extends UIMessage = UIMessage,
  TOOLS extends ToolSet = ToolSet,
  const KNOWN extends string = never,
>(
  options: UseMessageOptions<MESSAGE, TOOLS, KNOWN>,
): UseMessageReturn<MessageWithTools<MESSAGE, TOOLS>>
export function useMessage<MESSAGE extends UIMessage = UIMessage>(
  options: UseMessageOptions<MESSAGE>,
): UseMessageReturn<MESSAGE> {
  const onServer = hasInjectionContext() && inject(ssrContextKey, undefined) !== undefined
  const first = open()
  const binding = shallowRef(first.binding)
  let close = first.close

  function open(): { binding: EngineBinding<MESSAGE>; close: () => void } {
    const given = toValue(options)
    if (given.engine) {
      const bound = bindEngine(toRaw(toValue(given.engine)), !onServer)
      return { binding: bound, close: () => bound.stop() }
    }
    const engineOptions = toEngineOptions(given, () => {
      const now = toValue(options)
      return now.engine ? undefined : toValue(now.request)
    })
    if (onServer) {
      // A publication that waits for its frame would be a timer, and a server has no reader for it.
      engineOptions.scheduleFrame = () => () => {}
      // What is stored would go on here, too, beside the page.
      delete engineOptions.storage
    }
    const engine = createMessageEngine(engineOptions)
    const bound = bindEngine(engine, !onServer)
    return {
      binding: bound,
      close() {
        bound.stop()
        engine.dispose()
      },
    }
  }

  /** What makes another engine due. */
  function identity(): string | object | undefined {
    const given = toValue(options)
    return given.engine ? toRaw(toValue(given.engine)) : toValue(given.id)
  }

  function owner(): string | undefined {
    const given = toValue(options)
    return given.engine ? undefined : toValue(given.owner)
  }

  if (!onServer) {
    // At once, so that a message sent after `id` changed is never sent to the former conversation.
    const reopen = (): void => {
      const next = open()
      const closeFormer = close
      close = next.close
      binding.value = next.binding
      closeFormer()
    }
    watch([identity, owner], reopen, { flush: 'sync' })
    if (getCurrentScope()) onScopeDispose(() => close())
    else {
      warn(
        'useMessage() was called where no effect scope is active, so it is never disposed. ' +
          'Call it in setup() before any await, or inside effectScope().run().',
      )
    }
  }

  const current = (): MessageEngine<MESSAGE> => binding.value.engine
  // On a server nothing follows the engine, and a computed keeps its value until some ref changes.
  const never = shallowRef()
  const derive = <VALUE>(read: () => VALUE): ComputedRef<VALUE> =>
    computed(() => {
      if (onServer) triggerRef(never)
      return read()
    })
  const slices = derive(() => binding.value.readSlices())
  const run = (plugin: string, command: string, payload?: unknown): Promise<CommandResult> =>
    current().runPluginCommand(plugin, command, payload)

  return {
    engine: derive(current),
    id: derive(() => current().id),
    messages: derive(() => binding.value.readState().messages),
    messageIds: derive(() => slices.value.messageIds),
    message: (messageId) =>
      // Reads and tracks whatever source the message has now; holds nothing itself.
      customRef(() => ({ get: () => binding.value.readMessage(messageId), set() {} })),
    requestState: derive(() => slices.value.requestState),
    processingState: derive(() => slices.value.processingState),
    isProcessing: derive(() => slices.value.requestState === 'processing'),
    isPaused: derive(() => slices.value.requestState === 'paused'),
    error: derive(() => slices.value.error),
    turn: derive(() => slices.value.turn),
    queue: derive(() => slices.value.queue),
    confirmations: derive(() => slices.value.confirmations),
    drafts: derive(() => slices.value.drafts),
    earlier: derive(() => slices.value.earlier),
    state: derive(() => binding.value.readState()),
    sendMessage: (message, request) => current().sendMessage(message, request),
    regenerate: (request) => current().regenerate(request),
    editMessage: (messageId, message, request) =>
      current().editMessage(messageId, message, request),
    retry: (request) => current().retry(request),
    reconnect: (request) => current().reconnect(request),
    abort: () => current().abort(),
    stopAll: () => current().stopAll(),
    async loadEarlier() {
      await current().loadEarlier()
      // Who asks for more as long as there is more would never let a frame come.
      current().flush()
    },
    setMessages: (messages) => current().setMessages(messages),
    editQueued: (queuedId, message) => current().editQueued(queuedId, message),
    removeQueued: (queuedId) => current().removeQueued(queuedId),
    sendQueued: (queuedId) => current().sendQueued(queuedId),
    moveQueued: (queuedId, toIndex) => current().moveQueued(queuedId, toIndex),
    holdQueued: (queuedId, held) => current().holdQueued(queuedId, held),
    setDraft: (key, draft, about) => current().setDraft(key, draft, about),
    runPluginCommand: run,
    ...callDecisions(run),
    settled: () => untilSettled(binding.value),
  }
}
