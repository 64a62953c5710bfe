import {
  DefaultChatTransport,
  isToolUIPart,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  readUIMessageStream,
  type UIMessage,
} from 'ai'
import { API, fetchFrom, type Page, type PageOptions } from './page.ts'

/**
 * A page without an engine, on the transport of the AI SDK. It keeps nothing of an answer that was
 * cut off, and posts the very same again, with the approvals that were used maybe.
 */
export function openSdkPage({ servers, id, decide }: PageOptions): Page {
  const messages: UIMessage[] = []
  const transport = new DefaultChatTransport<UIMessage>({ api: API, fetch: fetchFrom(servers) })
  let returns = 0

  async function post(): Promise<UIMessage> {
    const last = messages.at(-1)
    const stream = await transport.sendMessages({
      trigger: 'submit-message',
      chatId: id,
      messageId: undefined,
      messages,
      abortSignal: undefined,
    })
    const snapshots = readUIMessageStream<UIMessage>({
      stream,
      terminateOnError: true,
      ...(last?.role === 'assistant' && { message: structuredClone(last) }),
    })
    let answer: UIMessage | undefined
    for await (const snapshot of snapshots) answer = snapshot
    if (!answer) throw new Error('No answer came.')
    return answer
  }

  /** The answer to what is there, from whichever server gives it whole. */
  async function answer(): Promise<UIMessage> {
    for (;;) {
      const served = servers.name
      try {
        return await post()
      } catch (error) {
        await servers.ready()
        // A server that is well answers.
        if (servers.name === served) throw error
        returns += 1
      }
    }
  }

  function decideAll(message: UIMessage): void {
    for (const part of message.parts.filter(isToolUIPart)) {
      if (part.state !== 'approval-requested') continue
      const approval = { ...part.approval, approved: decide(part.toolCallId) === 'yes' }
      Object.assign(part, { state: 'approval-responded', approval })
    }
  }

  return {
    messages,
    get returns() {
      return returns
    },
    async say(text) {
      messages.push({ id: crypto.randomUUID(), role: 'user', parts: [{ type: 'text', text }] })
      do {
        const said = await answer()
        decideAll(said)
        const isContinued = messages.at(-1)?.role === 'assistant'
        messages.splice(isContinued ? -1 : messages.length, 1, said)
      } while (lastAssistantMessageIsCompleteWithApprovalResponses({ messages }))
    },
  }
}
