import { evaluateApproval, finishMetadata } from '@assent/engine'
import type { Redact } from '@assent/engine/redaction'
import {
  convertToModelMessages,
  streamText,
  toUIMessageStream,
  type ChatTransport,
  type Instructions,
  type LanguageModel,
  type ToolApprovalConfiguration,
  type ToolSet,
  type UIMessage,
  type UIMessageChunk,
} from 'ai'
import { acceptFiles, type AcceptedMedia } from '../prompt/accepted-media.ts'
import type { ContextOptions } from '../prompt/context-options.ts'
import { fitModel } from '../prompt/fit-model.ts'
import { summarize } from '../prompt/summarize.ts'
import { tellSummary } from '../prompt/tell-summary.ts'
import { explainDenials } from './explain-denials.ts'
import { modelError } from './model-error.ts'
import { modelSettings, type ModelSettings } from './model-settings.ts'
import { resolveFor, type OfRequest } from './resolve-for.ts'
import { withoutExecute } from './without-execute.ts'

/** What a request to a model is about. */
export interface ModelRequest<MESSAGE extends UIMessage = UIMessage> {
  readonly chatId: string
  readonly messages: readonly MESSAGE[]
  readonly body: object | undefined
  readonly metadata: unknown
}

/** Options of {@link modelTransport}; the rest are settings of the AI SDK's `streamText`. */
export interface ModelTransportOptions<
  MESSAGE extends UIMessage = UIMessage,
> extends ModelSettings {
  /** The model, or which one to ask for a request. */
  model: OfRequest<LanguageModel, ModelRequest<MESSAGE>>
  /**
   * The tools that the model is told of. None runs here, whether it has `execute` or not: give the
   * same to `toolPlugin`, which decides and runs.
   */
  tools?: OfRequest<ToolSet, ModelRequest<MESSAGE>>
  /**
   * The rules of `toolPlugin`. They are asked about the tools that the model's provider runs itself:
   * as nothing can make these wait, a rule that would is an error (`provider_cannot_wait`) that names the
   * provider's own option.
   */
  toolApproval?: ToolApprovalConfiguration<ToolSet, unknown>
  /** Milliseconds that such a rule may take. Default 10,000. */
  checkTimeoutMs?: number
  /**
   * Which files messages may have, such as `['image/*', 'application/pdf']`; an empty list: none. A message with
   * another one fails its turn (`details.kind` is `files`), and what an earlier message has of these is left out of
   * what the model is told. Default: whatever the model takes.
   */
  acceptedMedia?: AcceptedMedia
  /**
   * How much the model is told in one request: older outputs, files and turns are left out where it is more. Default:
   * all, and less only when the model says that its context is full.
   */
  context?: ContextOptions
  /** Masks secrets in what a summary is written from, and in it. `false`: nothing. Default: `createRedactor()`. */
  redact?: Redact | false
  /** What the model is told before the conversation. */
  instructions?: OfRequest<Instructions | undefined, ModelRequest<MESSAGE>>
}

/**
 * Asks a model in this process: a `ChatTransport` for engines that run in Node.
 *
 * Each request is one step: the answer with its calls, which the engine decides, runs and sends
 * back. An abort reaches the provider. The stream fails with an `EngineError` as `modelError` makes
 * it: `retryable`, `details.kind`, `details.status`, `details.retryAfterMs`. What was said before it
 * failed is read first.
 */
export function modelTransport<MESSAGE extends UIMessage = UIMessage>(
  options: ModelTransportOptions<MESSAGE>,
): ChatTransport<MESSAGE> {
  const { model, tools = {}, instructions, toolApproval, checkTimeoutMs: timeoutMs } = options
  const { acceptedMedia, context } = options
  const { maxRetries = 1 } = options
  return {
    sendMessages: async ({ chatId, messages, abortSignal, body, metadata }) => {
      const request = { chatId, messages, body, metadata }
      const all = await resolveFor(tools, request)
      const known = withoutExecute(all)
      const instructed = await resolveFor(instructions, request)
      const asked = await resolveFor(model, request)
      const told = await summarize(takenFiles(messages, acceptedMedia), {
        context,
        model: asked,
        tools: known,
        instructions: instructed,
        redact: options.redact,
        abortSignal,
      })
      const { stream } = streamText({
        ...modelSettings({ ...options, maxRetries }),
        ...fitModel({ model: asked, context, summary: told.summary }),
        tools: known,
        toolApproval: async ({ toolCall, messages: before, ...given }) => {
          const rules = { ...given, tools: all, toolApproval, timeoutMs, messages: () => before }
          if (toolCall.providerExecuted) await evaluateApproval({ ...toolCall, toolCall }, rules)
          return undefined
        },
        messages: explainDenials(await convertToModelMessages(told.messages, { tools: known })),
        ...(instructed !== undefined && { instructions: instructed }),
        ...(abortSignal && { abortSignal }),
        // It fails the stream below.
        onError: () => undefined,
      })
      const thrown = new Map<string, unknown>()
      const chunks = toUIMessageStream<ToolSet, UIMessage>({
        stream,
        tools: known,
        originalMessages: messages,
        generateMessageId: () => crypto.randomUUID(),
        sendSources: true,
        redactToolErrors: false,
        onError: (error) => {
          const { message } = modelError(error)
          thrown.set(message, error)
          return message
        },
        messageMetadata: finishMetadata,
      })
      return failing(tellSummary(chunks, told), (chunk) => {
        if (chunk.type === 'error') return thrown.get(chunk.errorText) ?? new Error(chunk.errorText)
        // Not by whoever asked: one of the `timeout` settings ran out.
        if (chunk.type === 'abort' && abortSignal?.aborted !== true) {
          return new DOMException(chunk.reason ?? 'The model took too long.', 'TimeoutError')
        }
        return undefined
      })
    },
    // What an engine asked for itself it reads itself: there is nothing to take up again.
    reconnectToStream: async () => null,
  }
}

function takenFiles<MESSAGE extends UIMessage>(
  messages: readonly MESSAGE[],
  accepted: AcceptedMedia | undefined,
): MESSAGE[] {
  try {
    return acceptFiles(messages, accepted)
  } catch (error) {
    throw modelError(error)
  }
}

/**
 * A stream that fails in the place of a chunk that `errorOf` knows an error for. It is pulled chunk by chunk: what came before
 * is read by then, as a stream that fails forgets what it still holds.
 */
function failing(
  chunks: ReadableStream<UIMessageChunk>,
  errorOf: (chunk: UIMessageChunk) => unknown,
): ReadableStream<UIMessageChunk> {
  const reader = chunks.getReader()
  return new ReadableStream<UIMessageChunk>(
    {
      async pull(controller) {
        const { done, value } = await reader.read().catch((error: unknown) => {
          throw modelError(error)
        })
        if (done) return controller.close()
        const error = errorOf(value)
        if (error === undefined) return controller.enqueue(value)
        void reader.cancel().catch(() => undefined)
        throw modelError(error)
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  )
}
