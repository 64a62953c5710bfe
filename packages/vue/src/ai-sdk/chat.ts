import type { ChatStatus, UIMessage } from 'ai'
import { effectScope, markRaw } from 'vue'
import type { ChatInit } from './chat-init.ts'
import { useChat, type UseChatReturn } from './use-chat.ts'

/**
 * The class `Chat` of `@ai-sdk/vue`: what {@link useChat} returns as plain, reactive properties. It lives until
 * `dispose()`, wherever it is made.
 *
 * @see https://ai-sdk.dev/docs/reference/ai-sdk-ui/use-chat
 */
export class Chat<MESSAGE extends UIMessage = UIMessage> {
  readonly #scope = effectScope(true)
  readonly #use: UseChatReturn<MESSAGE>
  /** As in {@link UseChatReturn}. */
  readonly sendMessage: UseChatReturn<MESSAGE>['sendMessage']
  /** As in {@link UseChatReturn}. */
  readonly regenerate: UseChatReturn<MESSAGE>['regenerate']
  /** As in {@link UseChatReturn}. */
  readonly stop: UseChatReturn<MESSAGE>['stop']
  /** As in {@link UseChatReturn}. */
  readonly resumeStream: UseChatReturn<MESSAGE>['resumeStream']
  /** As in {@link UseChatReturn}. */
  readonly addToolOutput: UseChatReturn<MESSAGE>['addToolOutput']
  /** The former name of `addToolOutput`. */
  readonly addToolResult: UseChatReturn<MESSAGE>['addToolOutput']
  /** As in {@link UseChatReturn}. */
  readonly addToolApprovalResponse: UseChatReturn<MESSAGE>['addToolApprovalResponse']
  /** As in {@link UseChatReturn}. */
  readonly clearError: UseChatReturn<MESSAGE>['clearError']

  constructor(init: ChatInit<MESSAGE> = {}) {
    const use = this.#scope.run(() => useChat(init))
    if (!use) throw new Error('A scope that was just made runs.')
    // What is in it is reactive already; a proxy around it could not reach its private fields.
    markRaw(this)
    this.#use = use
    this.sendMessage = use.sendMessage
    this.regenerate = use.regenerate
    this.stop = use.stop
    this.resumeStream = use.resumeStream
    this.addToolOutput = use.addToolOutput
    this.addToolResult = use.addToolOutput
    this.addToolApprovalResponse = use.addToolApprovalResponse
    this.clearError = use.clearError
  }

  /** The id of the conversation. */
  get id(): string {
    return this.#use.id.value
  }

  /** All messages; set it to put others in their place. The list is frozen. */
  get messages(): MESSAGE[] {
    return this.#use.messages.value
  }
  set messages(messages: MESSAGE[]) {
    this.#use.messages.value = messages
  }

  /** The last message, if there is one. */
  get lastMessage(): MESSAGE | undefined {
    return this.#use.messages.value.at(-1)
  }

  /** As in {@link UseChatReturn}. */
  get status(): ChatStatus {
    return this.#use.status.value
  }

  /** As in {@link UseChatReturn}. */
  get error(): Error | undefined {
    return this.#use.error.value
  }

  /** The same conversation as `useMessage` has it. */
  get chat(): UseChatReturn<MESSAGE>['chat'] {
    return this.#use.chat
  }

  /** Ends the conversation, and the answer that is on its way. */
  dispose(): void {
    this.#scope.stop()
  }
}
