import { isSettled, isToolCallPart } from '@assent/engine'
import { createRedactor, type Redact } from '@assent/engine/redaction'
import { asSchema, type Instructions, type LanguageModel, type ToolSet, type UIMessage } from 'ai'
import type { ContextOptions } from './context-options.ts'
import { cutText } from './cut-text.ts'
import { estimateTokens, tokensOfJson, type CountTokens } from './estimate-tokens.ts'
import { askForSummary, type SummaryOptions } from './summary-options.ts'
import {
  readSummary,
  withoutSummaries,
  type SummedConversation,
  type Summary,
} from './summary-part.ts'
import { tokensOfSummary } from './told-summary.ts'
import { mask, transcriptOf } from './transcript.ts'

/** What a conversation is summed up with. */
export interface SummarizeOptions {
  readonly context: ContextOptions | undefined
  readonly model: LanguageModel
  readonly tools: ToolSet
  readonly instructions: Instructions | undefined
  /** Masks secrets in what is summed up, and in the summary. `false`: nothing. Default: `createRedactor()`. */
  readonly redact?: Redact | false | undefined
  readonly abortSignal?: AbortSignal | undefined
}

/** A conversation as the model is told it, and whether its summary was written just now. */
export interface Summarized<MESSAGE extends UIMessage> extends SummedConversation<MESSAGE> {
  readonly isNew: boolean
}

/** A summary that is made early is one less that comes too late, as sizes are estimated. */
const FULL = 0.9
/** What is left then, so that the next one is not due with the next message. */
const LEFT = 0.5
/** Of the budget for what is summed up, beside instructions and the summary before. */
const TOLD = 0.5
const BYTES_PER_TOKEN = 3.5
/** A file of an earlier message is left out before messages are. */
const FILE_LEFT_OUT = 'A file was left out to save space'

const defaultRedact = createRedactor()

/**
 * What stands for the beginning of a conversation, written now where that would not fit otherwise. It is written when
 * a person has said something, never between the requests of a turn, and of earlier turns alone, none of which has an
 * open call. Where it fails, the conversation is as it was.
 */
export async function summarize<MESSAGE extends UIMessage>(
  all: readonly MESSAGE[],
  { context, abortSignal, ...options }: SummarizeOptions,
): Promise<Summarized<MESSAGE>> {
  const { summary: wanted = false } = context ?? {}
  if (!context || wanted === false) {
    return { summary: undefined, messages: withoutSummaries(all), isNew: false }
  }
  const own: SummaryOptions = wanted === true ? {} : wanted
  const count = context.countTokens ?? estimateTokens
  const maxTokens = Math.floor(Math.min(own.maxTokens ?? 1_000, context.maxTokens / 8))
  const maxBytes = Math.floor(maxTokens * BYTES_PER_TOKEN)
  const known = readSummary(all, maxBytes)
  try {
    const beside = (await tokensOfTools(options.tools)) + tokensOfJson(options.instructions)
    const budget = context.maxTokens - beside
    const end = dueUntil(known, { budget, reserved: maxTokens, count })
    const last = known.messages[end - 1]
    if (!last) return { ...known, isNew: false }

    const { write = askForSummary, timeoutMs = 15_000 } = own
    const late = AbortSignal.timeout(timeoutMs)
    const signal = abortSignal ? AbortSignal.any([abortSignal, late]) : late
    const redact = options.redact === false ? undefined : (options.redact ?? defaultRedact)
    const summed = known.messages.slice(0, end)
    const transcript = await transcriptOf(
      summed,
      context.maxTokens * TOLD * BYTES_PER_TOKEN,
      redact,
    )
    const before = known.summary && mask(known.summary.text, redact)
    const { model } = options
    const request = { transcript, before, maxTokens, model, abortSignal: signal }
    const written = await untilAborted(signal, async () => write(request))
    const text = cutText(mask(written.trim(), redact), maxBytes)
    if (text === '') throw new Error('The summary of earlier messages is empty.')
    const messages = (known.summary?.messages ?? 0) + end
    const summary: Summary = { text, messages, until: last.id }
    return { summary, messages: known.messages.slice(end), isNew: true }
  } catch (error) {
    if (!abortSignal?.aborted) own.onError?.(error)
    return { ...known, isNew: false }
  }
}

interface Room {
  /** For messages and summary. */
  readonly budget: number
  /** For the summary. */
  readonly reserved: number
  readonly count: CountTokens
}

/** How many messages are to be summed up now: whole turns, the oldest first; 0 for none. */
function dueUntil(
  { summary, messages }: SummedConversation<UIMessage>,
  { budget, reserved, count }: Room,
): number {
  if (messages.at(-1)?.role !== 'user') return 0
  const sizes = messages.map((message) => leastTokens(message, count))
  let left = sizes.reduce((sum, size) => sum + size, 0)
  if (left + tokensOfSummary(summary, count) <= budget * FULL) return 0
  let end = 0
  for (const [at, message] of messages.entries()) {
    if (message.role === 'user') {
      end = at
      if (left + reserved <= budget * LEFT) break
    }
    if (message.parts.some(isOpen)) break
    left -= sizes[at] ?? 0
  }
  return end
}

/** What a provider was told not to run has no result for good. */
function isOpen(part: UIMessage['parts'][number]): boolean {
  if (!isToolCallPart(part) || isSettled(part)) return false
  return part.state !== 'approval-responded' || part.approval.approved
}

/** What of a message is there when all else has been left out that is left out before messages are. */
function leastTokens({ role, parts }: UIMessage, count: CountTokens): number {
  const texts = parts.flatMap((part) => {
    if (part.type === 'text' || part.type === 'reasoning') return [part.text]
    return part.type === 'file' ? [FILE_LEFT_OUT] : []
  })
  const content = texts.map((text) => ({ type: 'text' as const, text }))
  return count({ role: role === 'assistant' ? role : 'user', content })
}

/** As their providers are told of them. */
async function tokensOfTools(tools: ToolSet): Promise<number> {
  const told = Object.entries(tools).map(async ([name, { description, inputSchema }]) => [
    name,
    description,
    await asSchema(inputSchema).jsonSchema,
  ])
  return tokensOfJson(await Promise.all(told))
}

/** Throws the signal's reason where that comes first: what does not listen to it is not waited for. */
async function untilAborted<RESULT>(
  signal: AbortSignal,
  run: () => Promise<RESULT>,
): Promise<RESULT> {
  const aborted = Promise.withResolvers<never>()
  const abort = () => aborted.reject(signal.reason)
  signal.throwIfAborted()
  signal.addEventListener('abort', abort)
  try {
    return await Promise.race([run(), aborted.promise])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
