import type { UIMessage, UIMessageChunk } from 'ai'
import { textOf } from '../../src/message/message-input.ts'
import { toolCallsOf } from '../../src/message/tool-calls.ts'
import type { MessageTransport } from '../../src/transport/transport.ts'
import { answer, callTools } from '../../src/testing/index.ts'
import type { Delay } from './fake-browser.ts'

/**
 * A model that does what it is told: a message that says “2 calls” has it call tools, of which every
 * third asks nobody, and then answer. Each chunk comes when `delay` says.
 */
export function fakeServer(delay: Delay): MessageTransport {
  return {
    reconnectToStream: async () => null,
    sendMessages: async ({ messages, abortSignal }) => {
      await delay('response')
      abortSignal?.throwIfAborted()
      const chunks = [...answerTo(messages)]
      return new ReadableStream<UIMessageChunk>(
        {
          async pull(controller) {
            await delay('chunk')
            const next = chunks.shift()
            if (abortSignal?.aborted) controller.error(abortSignal.reason)
            else if (next) controller.enqueue(next)
            else controller.close()
          },
        },
        { highWaterMark: 0 },
      )
    },
  }
}

function answerTo(messages: readonly UIMessage[]): UIMessageChunk[] {
  const asked = messages.findLastIndex(({ role }) => role === 'user')
  const question = messages[asked]
  const since = messages.slice(asked + 1)
  const count = Number(/(\d+) calls/.exec(question ? textOf(question) : '')?.[1] ?? 0)
  const isAnswered = since.some((message) => toolCallsOf(message).length > 0)
  if (!question || count === 0 || isAnswered) return answer('done')
  return callTools(
    Array.from({ length: count }, (_, index) => {
      const id = `${textOf(question).split(':')[0]}/${index + 1}`
      return { toolCallId: id, toolName: index % 3 === 2 ? 'read' : 'write', input: { id } }
    }),
  )
}
