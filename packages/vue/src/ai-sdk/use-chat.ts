import {
  createMessageEngine,
  type EngineError,
  httpTransport,
  isToolCallPart,
  type CommandResult,
  type MessageEngine,
  type ToolCallTarget,
  type TurnRequestOptions,
} from '@assent/engine'
import type {
  ChatAddToolApproveResponseFunction,
  ChatAddToolOutputFunction,
  ChatRequestOptions,
  ChatStatus,
  UIMessage,
} from 'ai'
import {
  computed,
  getCurrentScope,
  isRef,
  onScopeDispose,
  shallowRef,
  toValue,
  watch,
  type ComputedRef,
  type MaybeRefOrGetter,
  type WritableComputedRef,
} from 'vue'
import { useMessage, type UseMessageReturn } from '../use-message.ts'
import type { ChatInit } from './chat-init.ts'
import { toMessageInput, toRequest, type ChatMessageInput } from './chat-message.ts'
import { CHAT_PLUGIN, chatPlugins } from './chat-plugins.ts'

/** What {@link useChat} returns: the names of `@ai-sdk/vue`, and the engine's own conversation as `chat`. */
export interface UseChatReturn<MESSAGE extends UIMessage = UIMessage> {
  /** The id of the conversation. */
  readonly id: ComputedRef<string>
  /** All messages; set it to put others in their place, as long as no answer is on its way. The list is frozen. */
  readonly messages: WritableComputedRef<MESSAGE[]>
  /** `ready` also while a call waits for a person, and after `stop`. */
  readonly status: ComputedRef<ChatStatus>
  /** Why the last turn failed, until `clearError` or the next message. */
  readonly error: ComputedRef<Error | undefined>
  /**
   * Sends a message, or, without one, asks the model with those that are there. Resolves when the turn is over or
   * waits for a person. While an answer is on its way, or a call waits for a person, the message is queued.
   */
  sendMessage(message?: ChatMessageInput<MESSAGE>, options?: ChatRequestOptions): Promise<void>
  /** Asks for the answer anew. Default: the last one. */
  regenerate(options?: { messageId?: string } & ChatRequestOptions): Promise<void>
  /** Ends the turn. What is there of the answer stays; calls that wait are ended. */
  stop(): Promise<void>
  /** Takes up an answer that the server still sends. */
  resumeStream(options?: ChatRequestOptions): Promise<void>
  /** Answers a call in place of its tool; the first answer counts. The turn goes on once every call has one. */
  addToolOutput: ChatAddToolOutputFunction<MESSAGE>
  /** Decides a call by the id of its approval. */
  addToolApprovalResponse: ChatAddToolApproveResponseFunction
  /** Forgets the error: `status` is `ready`. */
  clearError(): void
  /** The same conversation as `useMessage` has it: for `AsChat`, `useApprovals`, standing permissions. */
  readonly chat: UseMessageReturn<MESSAGE>
}

/**
 * `useChat` of `@ai-sdk/vue` over the engine of Assent: change the import, and what is there goes on.
 *
 * Call it in `setup`, or in an `effectScope`: the conversation ends with it. When an `init` that is a ref
 * or getter changes, another conversation begins, and the answer of the former one is stopped.
 *
 * @param init see {@link ChatInit}
 * @see https://ai-sdk.dev/docs/reference/ai-sdk-ui/use-chat
 */
export function useChat<MESSAGE extends UIMessage = UIMessage>(
  init: MaybeRefOrGetter<ChatInit<MESSAGE>> = {},
): UseChatReturn<MESSAGE> {
  /** What the next request alone carries. */
  let extras: TurnRequestOptions = {}
  const cleared = shallowRef<Error>()
  const engine = shallowRef(open())

  function open(): MessageEngine<MESSAGE> {
    const given = toValue(init)
    const { id, messages, transport, generateId, onError, onData } = given
    return createMessageEngine<MESSAGE>({
      transport: transport ?? httpTransport<MESSAGE>({ api: '/api/chat' }),
      plugins: chatPlugins(given),
      request() {
        const once = extras
        extras = {}
        return once
      },
      ...(id !== undefined && { id }),
      ...(messages && { messages }),
      ...(generateId && { generateId }),
      onError: (error) => onError?.(error),
      ...(onData && { onData: (part) => onData(part as never) }),
    })
  }

  if (isRef(init) || typeof init === 'function') {
    watch(init, () => {
      const former = engine.value
      engine.value = open()
      former.dispose()
    })
  }
  if (getCurrentScope()) onScopeDispose(() => engine.value.dispose())

  const chat = useMessage<MESSAGE>({ engine: () => engine.value })
  const error = computed(() => (chat.error.value === cleared.value ? undefined : chat.error.value))

  async function decide(
    command: 'resumeToolCall' | 'submitToolOutput',
    payload: ToolCallTarget & Record<string, unknown>,
    options: ChatRequestOptions = {},
  ): Promise<void> {
    const run: (plugin: string, command: string, payload: unknown) => Promise<CommandResult> =
      chat.runPluginCommand
    extras = toRequest(options)
    let done = await run('tool', command, payload)
    if (!done.success && done.error.code === 'busy') {
      await chat.settled()
      extras = toRequest(options)
      done = await run('tool', command, payload)
    }
    // Nothing is asked for it, so no other request carries what was meant for that.
    if (!done.success) extras = {}
    // The AI SDK does nothing for a call that is answered already, or that nobody knows.
    if (!done.success && !IGNORED.has(done.error.code)) throw done.error
  }

  return {
    chat,
    id: chat.id,
    messages: computed({
      get: () => Object.freeze([...chat.messages.value]) as MESSAGE[],
      set: (messages) => chat.setMessages(messages),
    }),
    error,
    status: computed(() => {
      if (error.value) return 'error'
      if (!chat.isProcessing.value) return 'ready'
      return chat.processingState.value === 'requesting' ? 'submitted' : 'streaming'
    }),
    async sendMessage(message, options = {}) {
      if (!message) {
        extras = toRequest(options)
        const asked = await chat.runPluginCommand(CHAT_PLUGIN, 'request')
        if (!asked.success) {
          extras = {}
          throw asked.error
        }
        await chat.settled()
        return
      }
      const input = await toMessageInput(message)
      const { messageId } = message
      // What was not sent by itself is sent with the message.
      if (chat.turn.value?.pauseReason?.type === 'not-sent') await chat.abort()
      extras = {}
      const request = toRequest(options)
      const sent = await (messageId === undefined
        ? chat.sendMessage(input, request)
        : chat.editMessage(messageId, input, request))
      if (sent.turnId === undefined && sent.error) throw sent.error
    },
    async regenerate({ messageId, ...options } = {}) {
      extras = {}
      const request = toRequest(options)
      const { turnId, error: refused } = await chat.regenerate({
        ...request,
        ...(messageId !== undefined && { messageId }),
      })
      if (turnId === undefined && refused) throw refused
    },
    stop: () => chat.abort(),
    async resumeStream(options = {}) {
      await chat.reconnect(toRequest(options))
    },
    addToolOutput: ({ toolCallId, output, errorText, options }) =>
      decide(
        'submitToolOutput',
        errorText === undefined ? { toolCallId, output } : { toolCallId, errorText },
        options,
      ),
    async addToolApprovalResponse({ id, approved, reason, options }) {
      const call = chat.messages.value
        .flatMap(({ parts }) => parts.filter(isToolCallPart))
        .find(({ approval }) => approval?.id === id)
      if (!call) return
      const outcome = approved ? 'yes' : 'no'
      await decide('resumeToolCall', { toolCallId: call.toolCallId, outcome, reason }, options)
    },
    clearError() {
      cleared.value = chat.error.value
    },
  }
}

const IGNORED: ReadonlySet<EngineError['code']> = new Set([
  'unknown_tool_call',
  'not_awaiting_output',
  'not_awaiting_approval',
])
