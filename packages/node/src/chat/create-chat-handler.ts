import type { ToolSet } from 'ai'
import { noteWhereRun } from '../audit/noted-tools.ts'
import { streamAnswer } from './answer.ts'
import { createSetupReader, quietly } from './answer-setup.ts'
import { createAnswerStreams } from './answer-streams.ts'
import type { Authorized, ChatHandlerOptions } from './chat-options.ts'
import { clientAddress } from './client-address.ts'
import { assertNamed } from './assert-named.ts'
import { checkCaller, letRead, preflightResponse } from './check-caller.ts'
import { ChatHandlerError, checkNumbers, checkRisks } from './handler-errors.ts'
import { memoryStreams } from './memory-streams.ts'
import { createOpenWork, type DrainOptions } from './open-work.ts'
import { tokenBucket } from './rate-limit.ts'
import { errorResponse, RequestError } from './request-error.ts'
import { readRoute } from './route.ts'

/** Serves a chat, request by request. */
export interface ChatHandler {
  (request: Request): Promise<Response>
  /**
   * Brings it to its end before the process goes: what comes from now on is refused (503, `draining`), the
   * answers under way go on, and what takes longer than `timeoutMs` is cut off, so that its page takes it up
   * elsewhere. Resolves when nothing is under way any more.
   */
  drain(options?: DrainOptions): Promise<void>
}

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
 * A POST may name itself (`requestId` in its body): a GET or DELETE with `?requestId=` is then about the
 * answer to that request, and about no later or earlier one. Only so an answer is given that has ended
 * meanwhile. The same POST again is given the answer that is under way; another one takes its place when
 * nobody reads that, or when it names the former request in `supersedes`.
 *
 * Errors are JSON, `{ error: { code, message } }` with a `RequestErrorCode`; what fails once the
 * answer has begun is an `error` chunk. Neither has a word of the provider's.
 *
 * @throws ChatHandlerError when it cannot be made so
 */
export function createChatHandler<TOOLS extends ToolSet = ToolSet, USER = unknown>(
  options: ChatHandlerOptions<TOOLS, USER>,
): ChatHandler {
  const { maxSteps, maxBodyBytes, approvalMaxAgeMs, runLeaseMs, checkTimeoutMs } = options
  const { bodyTimeoutMs, maxMessages, maxParts } = options
  const { unreadMs = 120_000, takeOverMs = 4_000, keepAliveMs = 15_000 } = options
  if (typeof options.tools !== 'function') assertNamed(options)
  checkRisks(options.toolOptions ?? {})
  checkNumbers({ maxSteps, maxBodyBytes, approvalMaxAgeMs, runLeaseMs, checkTimeoutMs })
  checkNumbers({ bodyTimeoutMs, maxMessages, maxParts, unreadMs, takeOverMs, keepAliveMs })
  const { path = '/api/chat', authorize, onError } = options
  const userKey: (user: USER) => unknown = options.userKey ?? defaultUserKey
  const { rateLimit = tokenBucket(), streams: store = memoryStreams() } = options
  const { onDisconnect = 'continue', addressOf = clientAddress } = options
  const { allowedHosts = [], allowedOrigins = [] } = options
  if (!options.model) {
    throw new ChatHandlerError('invalid_argument', 'Give the option model: a model, or a function.')
  }
  if (options.mayDecide && !authorize) {
    throw new ChatHandlerError(
      'invalid_argument',
      'mayDecide needs authorize: without it nobody says who decides.',
    )
  }
  const { audit, tools } = options
  // Before the first request: a page may write calls of before a restart.
  if (audit && tools && typeof tools !== 'function') noteWhereRun(tools, audit)
  const callers = { allowedHosts, allowedOrigins }
  const work = createOpenWork()
  const readSetup = createSetupReader(options, work)
  const report = (error: unknown) => quietly(() => onError?.(error, undefined))
  const times = { unreadMs, takeOverMs, keepAliveMs }
  const streams = createAnswerStreams({ store, onDisconnect, ...times, work, onError: report })

  /** The promise may be any that can be awaited. */
  const whoSent = async (request: Request): Promise<Authorized<USER>> => authorize?.(request)

  async function serve(request: Request): Promise<Response> {
    const route = readRoute(request, path)
    const user = await whoSent(request)
    if (authorize && !isUser(user)) {
      throw new RequestError(401, 'unauthorized', 'Sign in to go on.')
    }
    const owner = isUser(user) ? userKey(user) : ''
    if (typeof owner !== 'string' || (authorize && owner === '')) {
      // Else users would share conversations: a missing id, or 1 and '1', or whatever is not a number.
      const message = `Give userKey, which answers a text that tells users apart and is not empty. It answered ${String(owner) || 'an empty text'} (${typeof owner}).`
      throw new ChatHandlerError('invalid_argument', message)
    }
    const reader = request.signal
    if (route.action !== 'send') {
      const key = streamKey(owner, route.chatId)
      const { requestId } = route
      if (route.action === 'stop') return streams.stop({ key, requestId })
      await limit(request, owner)
      return streams.resume({ key, requestId, reader })
    }
    work.assertOpen()
    await limit(request, owner)
    // Without `authorize` nobody says who the user is.
    const setup = await readSetup(request, { user: user as USER, owner })
    const { chatId } = setup.context
    work.assertOpen()
    const key = streamKey(owner, chatId)
    const decisions = [...setup.approvals.values()].map(({ approvalId }) => approvalId).toSorted()
    return streams.start(
      {
        ...setup.name,
        key,
        reader,
        ...(decisions.length > 0 && { decisions: JSON.stringify(decisions) }),
      },
      (signals) => streamAnswer(setup, signals),
    )
  }

  async function limit(request: Request, owner: string): Promise<void> {
    // Who cannot be told from others shares what they are allowed.
    const key = owner || (addressOf(request) ?? 'everybody')
    const waitMs = rateLimit ? await rateLimit.take(key) : 0
    if (waitMs <= 0) return
    const seconds = Math.ceil(waitMs / 1000)
    throw new RequestError(
      429,
      'too-many-requests',
      `Too many requests. Try again in ${seconds} s.`,
      { 'retry-after': String(seconds) },
    )
  }

  async function handle(request: Request): Promise<Response> {
    let origin: string | undefined
    try {
      // Whoever authorizes requests says who may call.
      if (!authorize) origin = checkCaller(request, callers)
      if (origin !== undefined && request.method === 'OPTIONS') {
        return letRead(preflightResponse(request), origin)
      }
      return letRead(await serve(request), origin)
    } catch (error) {
      // What is wrong with the server itself is told to it, too.
      if (!(error instanceof RequestError)) report(error)
      else if (error.cause !== undefined) report(error.cause)
      return letRead(errorResponse(error instanceof RequestError ? error : serverError()), origin)
    }
  }
  return Object.assign(handle, { drain: work.drain })
}

/** What is told of an error that may have words of the app's, or of the provider's. */
function serverError(): RequestError {
  return new RequestError(500, 'server-error', 'The server failed; its log says why.')
}

function isUser<USER>(user: Authorized<USER>): user is USER & {} {
  return user !== undefined && user !== null && user !== false
}

function defaultUserKey(user: unknown): unknown {
  return typeof user === 'object' && user !== null && 'id' in user ? user.id : user
}

function streamKey(owner: string, chatId: string): string {
  return chatId === '' ? '' : JSON.stringify([owner, chatId])
}
