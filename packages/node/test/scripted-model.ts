import type { LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { convertArrayToReadableStream, MockLanguageModelV4 } from 'ai/test'

/** What a model says in one step: a text, or the calls of `[toolCallId, toolName, input]`. */
export type ModelStep = string | readonly (readonly [string, string, Record<string, unknown>])[]

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 1, text: 1, reasoning: undefined },
}

/** A model that says what a test wants, one step after the other. */
export function scriptedModel(steps: readonly ModelStep[]): MockLanguageModelV4 {
  const left = [...steps]
  return new MockLanguageModelV4({
    doStream: async () => {
      const step = left.shift() ?? 'over'
      const parts: LanguageModelV4StreamPart[] =
        typeof step === 'string'
          ? [
              { type: 'text-start', id: 't' },
              { type: 'text-delta', id: 't', delta: step },
              { type: 'text-end', id: 't' },
            ]
          : step.map(([toolCallId, toolName, input]) => ({
              type: 'tool-call' as const,
              toolCallId,
              toolName,
              input: JSON.stringify(input),
            }))
      const unified = typeof step === 'string' ? ('stop' as const) : ('tool-calls' as const)
      const finishReason = { unified, raw: unified }
      return {
        stream: convertArrayToReadableStream<LanguageModelV4StreamPart>([
          { type: 'stream-start', warnings: [] },
          ...parts,
          { type: 'finish', finishReason, usage },
        ]),
      }
    },
  })
}
