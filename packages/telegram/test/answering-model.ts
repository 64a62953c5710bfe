import type { LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { convertArrayToReadableStream, MockLanguageModelV4 } from 'ai/test'
import { answerTo } from '../../node/test/kills/model-answer.ts'

/** A model in this process that answers by what is in the prompt; see {@link answerTo}. */
export function answeringModel(): MockLanguageModelV4 {
  return new MockLanguageModelV4({
    doStream: async ({ prompt }) => ({
      stream: convertArrayToReadableStream<LanguageModelV4StreamPart>([...answerTo(prompt)]),
    }),
  })
}
