import type { ConfirmationRecord } from '@assent/engine'
import type { UIMessage } from 'ai'
import { defineStore } from 'pinia'
import { computed, markRaw, toRaw, toValue } from 'vue'
import type { NewEngineOptions } from '../use-message-options.ts'
import { useMessage, type UseMessageReturn } from '../use-message.ts'
import { setUpOnce, useRounds } from './rounds.ts'
import { serverState, stateRef, toPlainError } from './state-ref.ts'

/** The options of the engine, or how they are made when the store is: once per app. */
export type MessageStoreOptions<MESSAGE extends UIMessage = UIMessage> =
  | NewEngineOptions<MESSAGE>
  | (() => NewEngineOptions<MESSAGE>)

/** What a new engine goes on from. */
type Beginning<MESSAGE extends UIMessage> = Pick<
  NewEngineOptions<MESSAGE>,
  'id' | 'messages' | 'confirmations'
>

/**
 * Defines a Pinia store that is a conversation.
 *
 * ```ts
 * export const useChat = defineMessageStore('chat', () => ({
 *   transport: httpTransport({ api: '/api/chat' }),
 *   plugins: [toolPlugin({ tools })],
 * }))
 * if (import.meta.hot) import.meta.hot.accept(acceptHMRUpdate(useChat, import.meta.hot))
 * ```
 *
 * State is plain JSON and follows the engine; writing it does nothing. What a server rendered is
 * taken over with its `id`, `messages` and `confirmations`. `chat` is the conversation as `useMessage`
 * returns it, for `provideMessage` and `useApprovals`.
 *
 * `$dispose` disposes the engine; when the store is used again, it goes on from the state that Pinia
 * kept. `$reset` ends what is going on and begins as the options say: empty, with their `messages`,
 * or with what their `storage` has. A hot update makes the engine anew by the new options, with the
 * messages of the former one, which is disposed.
 *
 * @param id of the store; the conversation's is in the options
 */
export function defineMessageStore<ID extends string, MESSAGE extends UIMessage = UIMessage>(
  id: ID,
  options: MessageStoreOptions<MESSAGE>,
) {
  const read = (): NewEngineOptions<MESSAGE> => toValue(options)

  return defineStore(id, () => {
    const { chat, reset } = setUpOnce(
      id,
      () => setUp<MESSAGE>(read, serverState(id)),
      (known) => known.update(read),
    )
    return {
      id: stateRef(() => chat.id.value),
      messages: stateRef(() => chat.messages.value),
      requestState: stateRef(() => chat.requestState.value),
      turn: stateRef(() => chat.turn.value),
      queue: stateRef(() => chat.queue.value),
      confirmations: stateRef(() => chat.confirmations.value),
      error: stateRef(() => toPlainError(chat.error.value)),
      chat: computed(() => markRaw(chat)),
      messageIds: computed(() => chat.messageIds.value),
      drafts: computed(() => chat.drafts.value),
      earlier: computed(() => chat.earlier.value),
      processingState: computed(() => chat.processingState.value),
      isProcessing: computed(() => chat.isProcessing.value),
      isPaused: computed(() => chat.isPaused.value),
      ...actionsOf(chat),
      $reset: reset,
    }
  })
}

/** The functions of a conversation. */
export function actionsOf<MESSAGE extends UIMessage>(chat: UseMessageReturn<MESSAGE>) {
  const { sendMessage, regenerate, editMessage, retry, reconnect, abort, stopAll, loadEarlier } =
    chat
  const { setMessages } = chat
  const { editQueued, removeQueued, sendQueued, moveQueued, holdQueued } = chat
  const { setDraft, runPluginCommand } = chat
  return {
    sendMessage,
    regenerate,
    editMessage,
    retry,
    reconnect,
    abort,
    stopAll,
    loadEarlier,
    setMessages,
    editQueued,
    removeQueued,
    sendQueued,
    moveQueued,
    holdQueued,
    setDraft,
    runPluginCommand,
  }
}

function setUp<MESSAGE extends UIMessage>(
  first: () => NewEngineOptions<MESSAGE>,
  fromServer: Record<string, unknown> | undefined,
) {
  let read = first
  const open = (beginning: Beginning<MESSAGE>) => () => {
    const options = read()
    const { id = options.id } = beginning
    return useMessage<MESSAGE>({ ...options, ...beginning, ...(id !== undefined && { id }) })
  }
  const rounds = useRounds(open(fromServer ? readServerState(fromServer, read) : {}))
  // One for all rounds, so that components which took it follow.
  const chat = useMessage<MESSAGE>({ engine: () => rounds.current.value.engine.value })
  return {
    chat,
    reset: () => rounds.again(open({})),
    /** Goes on by other options. */
    update(next: () => NewEngineOptions<MESSAGE>) {
      read = next
      const { id } = chat.engine.value
      const { messages, confirmations } = chat.engine.value.getState()
      rounds.again(open({ ...(read().id === undefined && { id }), messages, confirmations }))
    },
  }
}

/** What was rendered comes before what the options say, but not before an id that they name. */
function readServerState<MESSAGE extends UIMessage>(
  { id, messages, confirmations }: Record<string, unknown>,
  read: () => NewEngineOptions<MESSAGE>,
): Beginning<MESSAGE> {
  const given = toValue(read().id)
  if (given !== undefined && given !== id) return {}
  return {
    // It was serialised from such state.
    ...(given === undefined && typeof id === 'string' && { id }),
    ...(Array.isArray(messages) && { messages: toRaw(messages) as MESSAGE[] }),
    ...(Array.isArray(confirmations) && {
      confirmations: toRaw(confirmations) as ConfirmationRecord[],
    }),
  }
}
