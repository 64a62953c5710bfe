import type { UIMessage, UIMessageChunk } from 'ai'
import type { ConfirmationRecord } from './confirmation.ts'
import { livingDrafts, type Draft } from './drafts.ts'
import { isDevelopment } from './development.ts'
import { EngineError } from './errors.ts'
import type { MessageReducer } from './message/message-reducer.ts'
import { createPublisher, type Publisher, type PublisherOptions } from './publisher.ts'
import {
  canMove,
  positionOf,
  type EarlierMessages,
  type EngineState,
  type WaitingFor,
} from './state.ts'

/** The facts that are written directly; messages have their own methods. */
export type StatePatch<MESSAGE extends UIMessage> = Partial<
  Omit<EngineState<MESSAGE>, 'messages' | 'messageIds'>
>

export interface StoreOptions<MESSAGE extends UIMessage> extends PublisherOptions {
  messages: readonly MESSAGE[]
  confirmations: readonly ConfirmationRecord[]
  /**
   * Called with every change, at once: of a message, or, without its id, of anything else: of drafts
   * only, when that is said.
   */
  onChange?: ((messageId?: string, isDraft?: boolean) => void) | undefined
}

/** The only writer of an engine's state: snapshots, subscriptions, coalesced publishing. */
export interface Store<MESSAGE extends UIMessage> extends Pick<
  Publisher,
  'batch' | 'subscribe' | 'subscribeMessage' | 'flush'
> {
  getState(): EngineState<MESSAGE>
  getMessage(messageId: string): MESSAGE | undefined
  /** Index of a message, -1 when there is none. */
  indexOf(messageId: string): number
  patch(patch: StatePatch<MESSAGE>): void
  /** Shows what the turn waits for. Nothing of that is stored. */
  showWaiting(waitingFor: WaitingFor | undefined): void
  /** Throws `invalid_argument` for a message without an id, or with one that is taken. */
  append(message: MESSAGE): void
  replace(messageId: string, update: (message: MESSAGE) => MESSAGE): void
  /** Replaces a message as soon as it is not streamed, if it is still there then. */
  amend(messageId: string, update: (message: MESSAGE) => MESSAGE): void
  /** Replaces everything by what was kept, while nothing is going on. */
  load(
    kept: Pick<
      EngineState<MESSAGE>,
      'messages' | 'confirmations' | 'queue' | 'turn' | 'drafts' | 'earlier'
    >,
  ): void
  /** Puts messages before all others, and says what is left before them. */
  prepend(messages: readonly MESSAGE[], earlier: EarlierMessages | undefined): void
  /** Drops all messages from an index on. */
  truncate(length: number): void
  /** From now on the message is what the reducer makes of the chunks. */
  attach(messageId: string, reducer: MessageReducer): void
  /** Applies a chunk to the attached message: O(1), whatever the history. */
  apply(chunk: UIMessageChunk): void
  /** Keeps the attached message as it is now. */
  detach(): void
  dispose(): void
}

export function createStore<MESSAGE extends UIMessage>(
  options: StoreOptions<MESSAGE>,
): Store<MESSAGE> {
  const publisher = createPublisher(options)
  const { schedule, publish } = publisher
  let attached: { messageId: string; reducer: MessageReducer } | undefined
  let isDraftNewer = false
  let isDisposed = false
  /** What is to be changed when the attached message is free. */
  let amendments: (() => void)[] = []
  const replaced = new Map<string, MESSAGE>()

  let state: EngineState<MESSAGE> = {
    requestState: 'idle',
    processingState: undefined,
    messages: options.messages,
    messageIds: options.messages.map((message) => message.id),
    error: undefined,
    turn: undefined,
    queue: [],
    confirmations: options.confirmations,
    drafts: [],
  }
  const indexById = new Map(options.messages.map((message, index) => [message.id, index]))

  /** What changed is folded in only when somebody looks: a chunk costs no copy of the list. */
  function current(): EngineState<MESSAGE> {
    if (attached && isDraftNewer) {
      isDraftNewer = false
      replaced.set(attached.messageId, fromReducer<MESSAGE>(attached.reducer))
    }
    if (replaced.size === 0) return state
    const messages = [...state.messages]
    let isChanged = false
    for (const [messageId, message] of replaced) {
      const index = indexById.get(messageId)
      if (index === undefined || messages[index] === message) continue
      messages[index] = message
      isChanged = true
    }
    replaced.clear()
    if (isChanged) state = { ...state, messages }
    return state
  }

  function changed(messageId: string): void {
    options.onChange?.(messageId)
    schedule(messageId)
  }

  function getMessage(messageId: string): MESSAGE | undefined {
    if (attached?.messageId === messageId) return fromReducer<MESSAGE>(attached.reducer)
    const index = indexById.get(messageId)
    if (index === undefined) return undefined
    return replaced.get(messageId) ?? state.messages[index]
  }

  /** What drafts were about may be over. */
  function dropDrafts(): void {
    const drafts = livingDrafts(state.drafts, getMessage)
    if (drafts === state.drafts) return
    state = { ...state, drafts }
    options.onChange?.(undefined, true)
  }

  /** The list must be of what `current()` gave, so that no change is lost. */
  function setMessages(messages: readonly MESSAGE[]): void {
    state = { ...state, messages, messageIds: messages.map((message) => message.id) }
    schedule()
  }

  function replace(messageId: string, update: (message: MESSAGE) => MESSAGE): void {
    const index = indexById.get(messageId)
    const message =
      index === undefined ? undefined : (replaced.get(messageId) ?? state.messages[index])
    if (!message) throw unknownMessage(messageId)
    if (attached?.messageId === messageId) {
      throw new EngineError(
        'busy',
        `Message ${messageId} is being streamed; change it when its step has ended.`,
      )
    }
    const next = update(message)
    if (next === message) return
    if (next.id !== messageId) {
      throw new EngineError(
        'invalid_argument',
        isDevelopment && `An update must keep the id ${messageId}.`,
      )
    }
    replaced.set(messageId, next)
    dropDrafts()
    changed(messageId)
  }

  function amend(messageId: string, update: (message: MESSAGE) => MESSAGE): void {
    if (attached?.messageId === messageId) amendments.push(() => amend(messageId, update))
    else if (indexById.has(messageId) && !isDisposed) replace(messageId, update)
  }

  return {
    ...publisher,
    getState: current,
    getMessage,
    indexOf: (messageId) => indexById.get(messageId) ?? -1,
    patch(patch) {
      const before = current()
      const after = { ...before, ...patch }
      if (after.requestState !== 'processing') after.processingState = undefined
      if (isSame(before, after)) return
      if (!canMove(before, after)) {
        const move = `from ${positionOf(before)} to ${positionOf(after)}`
        throw new EngineError('illegal_move', `An engine cannot go ${move}.`)
      }
      state = after
      options.onChange?.(undefined, 'drafts' in patch)
      if (after.requestState === before.requestState) schedule()
      else publish()
    },
    showWaiting(waitingFor) {
      const { turn, requestState } = current()
      if (!turn || turn.waitingFor === waitingFor) return
      // What goes on after a turn does not keep anybody waiting for it.
      if (waitingFor && requestState !== 'processing' && requestState !== 'paused') return
      const { waitingFor: _former, ...facts } = turn
      state = { ...state, turn: waitingFor ? { ...facts, waitingFor } : facts }
      schedule()
    },
    append(message) {
      const { messages } = current()
      if (!message.id || indexById.has(message.id)) {
        const text =
          isDevelopment &&
          `A message needs an id of its own; ${JSON.stringify(message.id)} is none.`
        throw new EngineError('invalid_argument', text)
      }
      indexById.set(message.id, messages.length)
      setMessages([...messages, message])
      changed(message.id)
    },
    replace,
    amend,
    load: (kept) =>
      publisher.batch(() => {
        for (const id of indexById.keys()) schedule(id)
        indexById.clear()
        for (const [index, { id }] of kept.messages.entries()) {
          indexById.set(id, index)
          schedule(id)
        }
        replaced.clear()
        // What was begun before this came is newer.
        const isOlder = ({ key }: Draft) => state.drafts.every((draft) => draft.key !== key)
        const drafts = [...kept.drafts.filter(isOlder), ...state.drafts]
        state = { ...state, ...kept, drafts }
        setMessages(kept.messages)
        dropDrafts()
      }),
    prepend(added, earlier) {
      const messages = [...added, ...current().messages]
      for (const [index, { id }] of messages.entries()) indexById.set(id, index)
      state = { ...state, earlier }
      setMessages(messages)
    },
    truncate(length) {
      const { messages } = current()
      if (length >= messages.length) return
      for (const message of messages.slice(length)) {
        indexById.delete(message.id)
        changed(message.id)
      }
      setMessages(messages.slice(0, length))
      dropDrafts()
    },
    attach(messageId, reducer) {
      if (!indexById.has(messageId)) throw unknownMessage(messageId)
      attached = { messageId, reducer }
      isDraftNewer = true
      changed(messageId)
    },
    apply(chunk) {
      if (!attached) return
      const { messageId, reducer } = attached
      reducer.apply(chunk)
      isDraftNewer = true
      changed(messageId)
    },
    detach() {
      current()
      attached = undefined
      const due = amendments
      amendments = []
      for (const amendNow of due) amendNow()
    },
    dispose() {
      isDisposed = true
      current()
      publisher.dispose()
      attached = undefined
    },
  }
}

function isSame<T extends object>(one: T, other: T): boolean {
  return Object.entries(other).every(([key, value]) => Object.is(value, Reflect.get(one, key)))
}

/** Chunks are trusted to be of the user's message type, as they are in the AI SDK. */
function fromReducer<MESSAGE extends UIMessage>(reducer: MessageReducer): MESSAGE {
  return reducer.snapshot() as MESSAGE
}

function unknownMessage(messageId: string): EngineError {
  return new EngineError('unknown_message', `There is no message of id ${messageId}.`, {
    details: { messageId },
  })
}
