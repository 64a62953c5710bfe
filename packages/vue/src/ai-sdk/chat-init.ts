import type { ChatInit as AiSdkChatInit, UIMessage } from 'ai'

/**
 * What `useChat` takes: the AI SDK's `ChatInit`, but for the schemas of metadata and data parts, which the
 * engine does not check, and `experimental_queue`, as messages are queued here anyway.
 *
 * - `transport` default: `httpTransport({ api: '/api/chat' })`; any `ChatTransport` of the AI SDK works.
 * - `onToolCall` is called once for each call that nobody has answered when its response has ended. Answer it
 *   with `addToolOutput`, at once or later.
 * - `onFinish` is called after each response, also one that failed or was stopped.
 * - `sendAutomaticallyWhen` can keep a turn from going on by itself, as it does once every call is
 *   answered: answer `false`. Without it the turn goes on, as with the AI SDK's two ready-made ones.
 *
 * @see https://ai-sdk.dev/docs/reference/ai-sdk-ui/use-chat
 */
export type ChatInit<MESSAGE extends UIMessage = UIMessage> = Omit<
  AiSdkChatInit<MESSAGE>,
  'messageMetadataSchema' | 'dataPartSchemas' | 'experimental_queue'
>
