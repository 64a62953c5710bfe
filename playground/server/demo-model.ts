import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4GenerateResult,
  SharedV4Warning,
} from '@ai-sdk/provider'
import { APICallError } from '@ai-sdk/provider'
import { answer } from './demo/answer.ts'
import { pacedStream } from './demo/paced-stream.ts'
import { readTurn } from './demo/prompt.ts'
import type { Reply } from './demo/skill.ts'
import { speak, type SpokenPart } from './demo/speech.ts'

/** What the demo model is, for people. */
export const DEMO_MODEL_LABEL = 'Demo model: understands a few requests, no AI inside'

/** Options of {@link createDemoModel}. */
export interface DemoModelOptions {
  /** 1 (default) is a human reader's speed, 25 to 45 tokens a second; 100 is a hundred times that. */
  speed?: number
}

/**
 * A language model without AI: it understands a small set of requests, calls the tools that it is
 * offered and speaks of their results. It knows nothing but the prompt, needs no key and no network,
 * and stops at once when it is aborted.
 *
 * @throws RangeError when `speed` is not a positive number
 */
export function createDemoModel({ speed = 1 }: DemoModelOptions = {}): LanguageModelV4 {
  const refusals = new Map<string, number>()

  /** A model that is overloaded or broken says so in place of an answer. */
  function replyTo(options: LanguageModelV4CallOptions): Reply {
    const reply = replyOf(options)
    if (reply.refused === undefined) return reply
    const asked = JSON.stringify(options.prompt)
    const count = (refusals.get(asked) ?? 0) + 1
    refusals.set(asked, count)
    if (count <= reply.refused.times) throw refusal(reply.refused.status)
    refusals.delete(asked)
    return reply
  }

  if (!(speed > 0)) throw new RangeError(`The speed must be a positive number, not ${speed}`)
  return {
    specificationVersion: 'v4',
    provider: 'assent.demo',
    modelId: 'demo',
    supportedUrls: {},
    doStream: async (options) => {
      options.abortSignal?.throwIfAborted()
      const parts = speak(replyTo(options), options.prompt, warningsOf(options))
      return { stream: pacedStream(parts, speed, options.abortSignal) }
    },
    doGenerate: async (options) => {
      options.abortSignal?.throwIfAborted()
      const reply = replyTo(options)
      const warnings = warningsOf(options)
      return { ...gather(reply, speak(reply, options.prompt, warnings)), warnings }
    },
  }
}

function replyOf({ prompt, tools, toolChoice }: LanguageModelV4CallOptions): Reply {
  const offered = toolChoice?.type === 'none' ? [] : (tools ?? [])
  return answer(readTurn(prompt), new Set(offered.map(({ name }) => name)))
}

function refusal(statusCode: number): APICallError {
  return new APICallError({
    message: `The demo model is ${statusCode === 500 ? 'broken' : 'overloaded'}, as it was asked to be.`,
    url: 'http://demo-model/',
    requestBodyValues: {},
    statusCode,
    isRetryable: true,
  })
}

function warningsOf({ responseFormat }: LanguageModelV4CallOptions): SharedV4Warning[] {
  return responseFormat?.type === 'json' ? [{ type: 'unsupported', feature: 'responseFormat' }] : []
}

function gather(
  reply: Reply,
  parts: Iterable<SpokenPart>,
): Omit<LanguageModelV4GenerateResult, 'warnings'> {
  const content: LanguageModelV4Content[] = []
  if (reply.reasoning !== undefined) content.push({ type: 'reasoning', text: reply.reasoning })
  content.push({ type: 'text', text: reply.text })
  for (const { part } of parts) {
    if (part.type === 'error') throw part.error
    if (part.type === 'tool-call') content.push(part)
    if (part.type === 'finish') {
      return { content, finishReason: part.finishReason, usage: part.usage }
    }
  }
  throw new Error('The demo model ended without a finish part')
}
