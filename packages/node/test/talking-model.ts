import type { LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { MockLanguageModelV4 } from 'ai/test'

/** An answer that a test says word by word. */
export interface SpokenAnswer {
  say(text: string): void
  /** Ends the answer as a model does. */
  finish(): void
  fail(error: unknown): void
  /** Resolves when the model was told to stop. */
  readonly aborted: Promise<void>
}

/** A model whose answers are said by the test; each request waits for one. */
export interface TalkingModel {
  readonly model: MockLanguageModelV4
  /** The answer to request number `count` (from 1), once it was asked for. */
  answer(count: number): Promise<SpokenAnswer>
}

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 1, text: 1, reasoning: undefined },
}

export function talkingModel(): TalkingModel {
  const answers: PromiseWithResolvers<SpokenAnswer>[] = []
  const at = (count: number) => (answers[count - 1] ??= Promise.withResolvers<SpokenAnswer>())
  let asked = 0
  const model = new MockLanguageModelV4({
    doStream: async ({ abortSignal }) => {
      const aborted = Promise.withResolvers<void>()
      abortSignal?.addEventListener('abort', () => aborted.resolve())
      const stream = new ReadableStream<LanguageModelV4StreamPart>({
        start(controller) {
          controller.enqueue({ type: 'stream-start', warnings: [] })
          controller.enqueue({ type: 'text-start', id: 't' })
          const answer: SpokenAnswer = {
            say: (delta) => controller.enqueue({ type: 'text-delta', id: 't', delta }),
            finish() {
              controller.enqueue({ type: 'text-end', id: 't' })
              const finishReason = { unified: 'stop' as const, raw: 'stop' }
              controller.enqueue({ type: 'finish', finishReason, usage })
              controller.close()
            },
            fail: (error) => controller.error(error),
            aborted: aborted.promise,
          }
          at(++asked).resolve(answer)
        },
      })
      return { stream }
    },
  })
  return { model, answer: (count) => at(count).promise }
}
