import { convertToModelMessages, streamText, type ToolSet, type UIMessage } from 'ai'
import { MockLanguageModelV4, convertArrayToReadableStream } from 'ai/test'

/**
 * What a model is sent for a history, by the AI SDK's own way from messages to a prompt. Tools that
 * are given run first when the history ends with an approval.
 */
export async function promptOf(history: readonly UIMessage[], tools: ToolSet = {}) {
  const model = new MockLanguageModelV4({
    doStream: {
      stream: convertArrayToReadableStream([
        { type: 'text-start', id: '1' },
        { type: 'text-delta', id: '1', delta: 'Yes?' },
        { type: 'text-end', id: '1' },
        {
          type: 'finish',
          finishReason: { unified: 'stop', raw: 'stop' },
          usage: {
            inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
            outputTokens: { total: 1, text: 1, reasoning: 0 },
          },
        },
      ]),
    },
  })
  const errors: unknown[] = []
  const result = streamText({
    model,
    tools,
    messages: await convertToModelMessages([...history]),
    onError: ({ error }) => void errors.push(error),
  })
  await result.consumeStream()
  return { prompt: model.doStreamCalls[0]?.prompt, errors }
}

/**
 * The ids of the calls of a prompt that want a result, and of their results, in their order. Calls
 * that the provider runs want none, though the AI SDK adds one for a denial.
 */
export function callsAndResults(
  prompt: NonNullable<Awaited<ReturnType<typeof promptOf>>['prompt']>,
) {
  const calls: string[] = []
  const results: string[] = []
  const ofProvider = new Map<string, boolean>()
  for (const { role, content } of prompt) {
    if (role !== 'assistant' && role !== 'tool') continue
    for (const part of content) {
      if (part.type === 'tool-call') {
        ofProvider.set(part.toolCallId, part.providerExecuted === true)
        if (!part.providerExecuted) calls.push(part.toolCallId)
      } else if (role === 'tool' && part.type === 'tool-result') {
        if (!ofProvider.get(part.toolCallId)) results.push(part.toolCallId)
      }
    }
  }
  return { calls, results }
}
