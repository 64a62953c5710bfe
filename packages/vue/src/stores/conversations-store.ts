import type { UIMessage } from 'ai'
import { defineStore } from 'pinia'
import { computed, markRaw, toRaw, toValue } from 'vue'
import type {
  UseConversationsOptions,
  UseConversationsReturn,
} from '../use-conversations-options.ts'
import { useConversations } from '../use-conversations.ts'
import { useMessage } from '../use-message.ts'
import { actionsOf } from './message-store.ts'
import { setUpOnce, useRounds } from './rounds.ts'
import { serverState, stateRef, toPlainError } from './state-ref.ts'

/** The options of the conversations, or how they are made when the store is: once per app. */
export type ConversationsStoreOptions<MESSAGE extends UIMessage = UIMessage> =
  | UseConversationsOptions<MESSAGE>
  | (() => UseConversationsOptions<MESSAGE>)

/**
 * Defines a Pinia store that has the conversations of a store, and the active one.
 *
 * ```ts
 * export const useChats = defineConversationsStore('chats', () => ({
 *   storage: indexedDBStorage(),
 *   engine: () => ({ transport: httpTransport({ api: '/api/chat' }) }),
 * }))
 * ```
 *
 * State is plain JSON and follows the engines; writing it does nothing. What a server rendered is
 * taken over: the active conversation with its messages. `chat` is the active conversation as
 * `useMessage` returns it.
 *
 * `$dispose` disposes all engines; they store what is left. `$reset` does so too, and begins with a
 * new conversation, or the one that the options name; nothing that is stored is lost. A hot update
 * makes them anew by the new options, with the same active conversation.
 *
 * @param id of the store
 */
export function defineConversationsStore<ID extends string, MESSAGE extends UIMessage = UIMessage>(
  id: ID,
  options: ConversationsStoreOptions<MESSAGE>,
) {
  const read = (): UseConversationsOptions<MESSAGE> => toValue(options)

  return defineStore(id, () => {
    const { current, chat, reset } = setUpOnce(
      id,
      () => setUp<MESSAGE>(read, serverState(id)),
      (known) => known.update(read),
    )
    return {
      conversations: stateRef(() => current().conversations.value),
      active: stateRef(() => current().active.value),
      messages: stateRef(() => chat.messages.value),
      requestState: stateRef(() => chat.requestState.value),
      error: stateRef(() => toPlainError(chat.error.value)),
      storageError: stateRef(() => toPlainError(current().error.value)),
      chat: computed(() => markRaw(chat)),
      isLoaded: computed(() => current().isLoaded.value),
      isProcessing: computed(() => chat.isProcessing.value),
      isPaused: computed(() => chat.isPaused.value),
      hasMore: computed(() => current().hasMore.value),
      found: computed(() => current().found.value),
      everywherePolicies: computed(() => current().everywherePolicies.value),
      ...actionsOf(chat),
      open: (conversationId: string) => current().open(conversationId),
      create: () => current().create(),
      reopen: () => current().reopen(),
      rename: (conversationId: string, title: string) => current().rename(conversationId, title),
      remove: (conversationId: string) => current().remove(conversationId),
      search: (text: string) => current().search(text),
      loadMore: () => current().loadMore(),
      refresh: (conversationId?: string) => current().refresh(conversationId),
      exportConversation: (conversationId: string) => current().exportConversation(conversationId),
      importConversation: (file: unknown) => current().importConversation(file),
      revokeEverywhere: (policyId: string) => current().revokeEverywhere(policyId),
      /** All conversations; `chat.stopAll` stops the active one. */
      stopAll: () => current().stopAll(),
      resumePolicies: (policyId?: string) => current().resumePolicies(policyId),
      clearOwner: () => current().clearOwner(),
      $reset: reset,
    }
  })
}

function setUp<MESSAGE extends UIMessage>(
  first: () => UseConversationsOptions<MESSAGE>,
  fromServer: Record<string, unknown> | undefined,
) {
  let read = first
  const { active: renderedId, messages } = fromServer ?? {}
  const open = (id: string | undefined) => (): UseConversationsReturn<MESSAGE> => {
    const options = read()
    return useConversations<MESSAGE>({
      ...options,
      // The options' own, once they name one.
      id: () => toValue(options.id) ?? id,
      engine(conversationId) {
        const given = options.engine(conversationId)
        if (conversationId !== renderedId || !Array.isArray(messages)) return given
        // It was serialised from such state.
        return { ...given, messages: toRaw(messages) as MESSAGE[] }
      },
    })
  }
  const rounds = useRounds(open(typeof renderedId === 'string' ? renderedId : undefined))
  const current = (): UseConversationsReturn<MESSAGE> => rounds.current.value
  // One for all rounds, so that components which took it follow.
  const chat = useMessage<MESSAGE>({ engine: () => current().chat.engine.value })
  return {
    current,
    chat,
    reset: () => rounds.again(open(undefined)),
    /** Goes on by other options. */
    update(next: () => UseConversationsOptions<MESSAGE>) {
      read = next
      rounds.again(open(current().active.value))
    },
  }
}
