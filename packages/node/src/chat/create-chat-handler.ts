import type { ToolSet } from 'ai'
import { streamAnswer } from './answer.ts'
import { createSetupReader, quietly } from './answer-setup.ts'
import { createAnswerStreams, type AnswerRequest } from './answer-streams.ts'
import type { ChatHandlerOptions } from './chat-options.ts'
import { clientAddress } from './client-address.ts'
import { assertNamed } from './assert-named.ts'
import { ChatHandlerError, checkNumbers, checkRisks } from './handler-errors.ts'
import { memoryStreams } from './memory-streams.ts'
import { tokenBucket } from './rate-limit.ts'
import { errorResponse, RequestError } from './request-error.ts'
import { readRoute } from './route.ts'

/**
 * Serves a chat: posted conversations in, the AI SDK's UI message stream out.
 *
 * - `POST <path>` takes `{ id, messages, tools? }` as the AI SDK's transports and `httpTransport` post
 *   it. Tools of the page (`tools: [{ name, description, inputSchema }]`) are told to the model beside
 *   the server's own, whose names win.
 * - `GET <path>/<chatId>/stream` takes the answer up from its beginning, also after a reload; 204 when
 *   there is none.
 * - `DELETE <path>/<chatId>/stream` stops it: the model, and the tools that listen.
 *
 * A request may name itself by the header `x-assent-request`: a GET or DELETE with the same is then
 * about the answer to that request, and about no later or earlier one. Only so an answer is given that
 * has ended meanwhile.
 *
 * Errors are JSON, `{ error: { code, message } }` with a `RequestErrorCode`; what fails once the
 * answer has begun is an `error` chunk. Neither has a word of the provider's.
 *
 * @throws ChatHandlerError when it cannot be made so
 */
export function createChatHandler<TOOLS extends ToolSet = ToolSet, USER = unknown>(
  options: ChatHandlerOptions<TOOLS, USER>,
): (request: Request) => Promise<Response> {
  const { maxSteps, maxBodyBytes, approvalMaxAgeMs, runLeaseMs, checkTimeoutMs } = options
  const { bodyTimeoutMs, maxMessages, maxParts } = options
  const { unreadMs = 120_000, takeOverMs = 1000, keepAliveMs = 15_000 } = options
  if (typeof options.tools !== 'function') assertNamed(options)
  checkRisks(options.toolOptions ?? {})
  checkNumbers({ maxSteps, maxBodyBytes, approvalMaxAgeMs, runLeaseMs, checkTimeoutMs })
  checkNumbers({ bodyTimeoutMs, maxMessages, maxParts, unreadMs, takeOverMs, keepAliveMs })
  const { path = '/api/chat', authorize, onError } = options
  const userKey: (user: USER) => unknown = options.userKey ?? defaultUserKey
  const { rateLimit = tokenBucket(), streams: store = memoryStreams() } = options
  const { onDisconnect = 'continue' } = options
  const readSetup = createSetupReader(options)
  const report = (error: unknown) => quietly(() => onError?.(error, undefined))
  const times = { unreadMs, takeOverMs, keepAliveMs }
  const streams = createAnswerStreams({ store, onDisconnect, ...times, onError: report })

  async function serve(request: Request): Promise<Response> {
    const route = readRoute(request, path)
    const user = await authorize?.(request)
    if (authorize && !isUser(user)) {
      throw new RequestError(401, 'unauthorized', 'Sign in to go on.')
    }
    const owner = isUser(user) ? userKey(user) : ''
    if (typeof owner !== 'string' || (authorize && owner === '')) {
      // Else users would share conversations: a missing id, or 1 and '1', or whatever is not a number.
      const message = `Give userKey, which answers a text that tells users apart and is not empty. It answered ${String(owner) || 'an empty text'} (${typeof owner}).`
      throw new ChatHandlerError('invalid_argument', message)
    }
    if (route.action === 'stop') return streams.stop(answerOf(request, owner, route.chatId))
    await limit(request, owner)
    if (route.action === 'resume') {
      return streams.resume(answerOf(request, owner, route.chatId))
    }
    // Without `authorize` nobody says who the user is.
    const setup = await readSetup(request, { user: user as USER, owner })
    const { chatId } = setup.context
    const answer = answerOf(request, owner, chatId)
    const decisions = [...setup.approvals.values()].map(({ approvalId }) => approvalId).toSorted()
    return streams.start(
      { ...answer, ...(decisions.length > 0 && { decisions: JSON.stringify(decisions) }) },
      (signal) => streamAnswer(setup, signal),
    )
  }

  async function limit(request: Request, owner: string): Promise<void> {
    const key = owner || clientAddress(request)
    const waitMs = rateLimit && key ? await rateLimit.take(key) : 0
    if (waitMs <= 0) return
    const seconds = Math.ceil(waitMs / 1000)
    throw new RequestError(
      429,
      'too-many-requests',
      `Too many requests. Try again in ${seconds} s.`,
      { 'retry-after': String(seconds) },
    )
  }

  return async (request) => {
    try {
      return await serve(request)
    } catch (error) {
      if (error instanceof RequestError) return errorResponse(error)
      report(error)
      return errorResponse(serverError(error))
    }
  }
}

/** What is told of an error that may have words of the app's, or of the provider's. */
function serverError(error: unknown): RequestError {
  const isClock = error instanceof ChatHandlerError && error.code === 'wrong_clock'
  return isClock
    ? new RequestError(500, 'wrong-clock', "The server's clock tells no time; nothing was run.")
    : new RequestError(500, 'server-error', 'The server failed; its log says why.')
}

function isUser<USER>(user: USER | undefined): user is USER & {} {
  return user !== undefined && user !== null && user !== false
}

function defaultUserKey(user: unknown): unknown {
  return typeof user === 'object' && user !== null && 'id' in user ? user.id : user
}

function answerOf(request: Request, owner: string, chatId: string): AnswerRequest {
  return {
    key: chatId === '' ? '' : JSON.stringify([owner, chatId]),
    requestId: request.headers.get('x-assent-request') ?? undefined,
    reader: request.signal,
  }
}
