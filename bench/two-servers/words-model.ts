import { setTimeout as wait } from 'node:timers/promises'
import type { LanguageModelV4, LanguageModelV4StreamPart } from '@ai-sdk/provider'

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 1, text: 1, reasoning: undefined },
}

/** A model that says a word, and another one after each interval. */
export function wordsModel(words: number, intervalMs: number): LanguageModelV4 {
  async function* say(): AsyncGenerator<LanguageModelV4StreamPart> {
    yield { type: 'stream-start', warnings: [] }
    yield { type: 'text-start', id: 't' }
    for (let count = 0; count < words; count++) {
      if (count > 0) await wait(intervalMs)
      yield { type: 'text-delta', id: 't', delta: `word ${count} ` }
    }
    yield { type: 'text-end', id: 't' }
    yield { type: 'finish', finishReason: { unified: 'stop', raw: 'stop' }, usage }
  }

  return {
    specificationVersion: 'v4',
    provider: 'bench',
    modelId: 'words',
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error('It streams only.')),
    doStream: async () => {
      const parts = say()
      return {
        stream: new ReadableStream<LanguageModelV4StreamPart>({
          async pull(controller) {
            const { value, done } = await parts.next()
            if (done === true) controller.close()
            else controller.enqueue(value)
          },
        }),
      }
    },
  }
}
