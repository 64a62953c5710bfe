import { randomBytes } from 'node:crypto'
import type { LanguageModelV4 } from '@ai-sdk/provider'
import {
  convertToModelMessages,
  createUIMessageStreamResponse,
  isStepCount,
  streamText,
  toUIMessageStream,
  type UIMessageChunk,
} from 'ai'
import { readAnnouncedTools } from './announced-tools.ts'
import { createApprovedRuns } from './approved-runs.ts'
import { readChatRequest } from './chat-request.ts'
import { errorText } from './error-text.ts'
import { explainDenials } from './explain-denials.ts'
import { errorResponse, RequestError } from './request-error.ts'
import { createServerTools, type ServerWorld } from './server-tools.ts'

const INSTRUCTIONS = [
  'You are the assistant of a small notes app. Help with the notes, and with what your other tools can do.',
  'Use tools rather than guess, and make calls that do not depend on each other in one step.',
  'Some calls are shown to the person, who approves or denies them. Do not ask for permission in',
  'words; make the call. When one is denied, respect the reason and do not try the same again.',
].join(' ')

/** Options of {@link createChatHandler}. */
export interface ChatHandlerOptions {
  model: LanguageModelV4
  world: ServerWorld
  /** Is told of what went wrong on the way, with the original error. */
  onError?: (error: unknown) => void
}

/**
 * Answers chat requests: posted conversations in, the AI SDK's UI message stream out.
 *
 * Takes the tools that run in the page from the body (`tools`) and adds the server's own. Approvals
 * are signed with a secret that is made here, so an approval that this handler did not ask for is
 * refused. A bad request is a JSON error; what fails later is an `error` chunk of the stream.
 */
export function createChatHandler({
  model,
  world,
  onError = () => undefined,
}: ChatHandlerOptions): (request: Request) => Promise<Response> {
  const approvalSecret = randomBytes(32)
  const approvedRuns = createApprovedRuns()
  return async (request) => {
    try {
      const { messages, tools: announced } = await readChatRequest(request)
      const own = createServerTools(world, approvedRuns.of(messages))
      // The server's own names win: a page cannot put its tool in the place of a guarded one.
      const tools = {
        ...readAnnouncedTools(announced, new Set(Object.keys(own.tools))),
        ...own.tools,
      }
      const { stream } = streamText({
        model,
        instructions: INSTRUCTIONS,
        messages: explainDenials(await convertToModelMessages(messages, { tools })),
        tools,
        toolApproval: own.toolApproval,
        experimental_toolApprovalSecret: approvalSecret,
        stopWhen: isStepCount(10),
        // A person waits: rather say soon that it failed than try for long.
        maxRetries: 1,
        abortSignal: request.signal,
        onError: ({ error }) => onError(error),
      })
      const chunks = toUIMessageStream({
        stream,
        tools,
        originalMessages: messages,
        generateMessageId: () => crypto.randomUUID(),
        sendReasoning: true,
        sendSources: true,
        onError: errorText,
        // A failed tool's own words: the model speaks of them, so the page must show the same.
        redactToolErrors: false,
        messageMetadata: ({ part }) =>
          part.type === 'finish' && part.rawFinishReason !== undefined
            ? { rawFinishReason: part.rawFinishReason }
            : undefined,
      })
      return createUIMessageStreamResponse({
        stream: endInErrorChunk(chunks, onError),
        keepAliveMs: 15_000,
      })
    } catch (error) {
      if (error instanceof RequestError) {
        return errorResponse(error.status, error.code, error.message)
      }
      onError(error)
      return errorResponse(500, 'server-error', errorText(error))
    }
  }
}

/** A stream that throws, as on a cut connection to the model, ends with an `error` chunk instead. */
function endInErrorChunk(
  stream: ReadableStream<UIMessageChunk>,
  onError: (error: unknown) => void,
): ReadableStream<UIMessageChunk> {
  const reader = stream.getReader()
  let isCancelled = false
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await reader.read()
        if (isCancelled) return
        if (done) controller.close()
        else controller.enqueue(value)
      } catch (error) {
        // Nobody reads on; how the stream ends then is no failure.
        if (isCancelled) return
        onError(error)
        controller.enqueue({ type: 'error', errorText: errorText(error) })
        controller.close()
      }
    },
    cancel(reason) {
      isCancelled = true
      return reader.cancel(reason)
    },
  })
}
