import type { UIMessage } from 'ai'
import { isDecidedRemotely, isToolCallPart } from '../message/tool-part.ts'
import { untilAborted } from './abort.ts'
import { answerError, networkError } from './http-errors.ts'
import type { RequestFacts } from './http-errors.ts'
import { makeRequest } from './http-request.ts'
import type { HttpRequest, HttpRequestInput, HttpRequestOptions } from './http-request.ts'
import { withRetries } from './retry.ts'
import type { RetryOptions } from './retry.ts'
import { readChunks } from './sse.ts'
import type { ChunkStream, MessageTransport, ResponseSigns } from './transport.ts'

/** Options of {@link httpTransport}. */
export interface HttpTransportOptions<
  MESSAGE extends UIMessage = UIMessage,
> extends HttpRequestOptions<MESSAGE> {
  /** Default: the global `fetch`, looked up at every request. */
  fetch?: typeof globalThis.fetch
  /** Default: 3 tries in all. `false`: one. */
  retry?: RetryOptions | false
  /** Whether a stream taken up again starts from its beginning. Default `true`. */
  resumeStreamIsReplay?: boolean
}

/**
 * Sends conversations over HTTP and reads the AI SDK's UI message stream: any route of the AI SDK
 * can answer (`createUIMessageStreamResponse`).
 *
 * `sendMessages` posts `{ ...body, id, messages, trigger, messageId }` as JSON to `api`;
 * `reconnectToStream` gets `<api>/<chatId>/stream`, where 204 means that there is nothing to take up.
 * Requests of an engine are named, for servers that keep answers: `requestId` and, where it has left
 * others, `supersedes` in the body, `?requestId=` in the address of a stream.
 *
 * A request is tried again only while it has no successful response: after 408, 425, 429, 500, 502,
 * 503 and 504, and when it cannot have reached the server (see `shouldRetry` in
 * {@link RetryOptions}), with exponential backoff, full jitter and `Retry-After`. A route that streams
 * answers 200 before it calls a model or runs a tool, so those statuses come from ahead of that;
 * where they do not, narrow them down with `shouldRetry`. A request that carries an approval is not
 * repeated after 500 and above: its tool may have run. Once the response began nothing is repeated.
 *
 * Rejects with an `EngineError`: `http_status` (`details.status`, `body` of up to 2,048 bytes,
 * `retryAfterMs`, `attempts`), `http_network`, `http_body`, `invalid_argument` (a request that cannot
 * be made); or with an `AbortError`, at once and wherever the request stands. The stream itself fails
 * with `stream_malformed` (`details.event`: its first 200 characters), `stream_cut` or an
 * `AbortError`. A stream that ends by `[DONE]` without a `finish` chunk ends cleanly.
 */
export function httpTransport<MESSAGE extends UIMessage = UIMessage>(
  options: HttpTransportOptions<MESSAGE> = {},
): MessageTransport<MESSAGE> {
  const request = <RESULT>(
    sent: HttpRequestInput<MESSAGE>,
    read: (answer: Answer) => RESULT | PromiseLike<RESULT>,
  ): Promise<RESULT> =>
    untilAborted(sent.abortSignal, async (signal) =>
      read(
        await fetchAnswer(
          options,
          await makeRequest(options, sent),
          { carriesApproval: carriesApproval(sent), onActivity: sent.onActivity },
          signal,
        ),
      ),
    )
  return {
    resumeStreamIsReplay: options.resumeStreamIsReplay ?? true,
    sendMessages: (sent) => request(sent, (answer) => chunksOf(answer, sent)),
    reconnectToStream: (sent) =>
      request(sent, (answer) => (answer.response.status === 204 ? null : chunksOf(answer, sent))),
  }
}

interface Answer {
  readonly response: Response
  readonly facts: RequestFacts
}

/** Whether the last step has a call that was approved, and that the server is to run. */
function carriesApproval<MESSAGE extends UIMessage>(sent: HttpRequestInput<MESSAGE>): boolean {
  const { parts = [] } = ('messages' in sent && sent.messages.at(-1)) || {}
  const step = parts.findLastIndex(({ type }) => type === 'step-start')
  return parts
    .slice(step + 1)
    .some((part) => isToolCallPart(part) && isDecidedRemotely(part) && part.approval?.approved)
}

/** Sends a request until it has a successful response or may not be sent again. */
function fetchAnswer(
  options: Pick<HttpTransportOptions, 'fetch' | 'retry'>,
  { url, ...init }: HttpRequest,
  { carriesApproval, onActivity }: { readonly carriesApproval: boolean } & ResponseSigns,
  signal: AbortSignal,
): Promise<Answer> {
  const { method } = init
  const sent = { method, carriesApproval, onActivity }
  return withRetries(options.retry, sent, signal, async (attempts) => {
    const facts = { method, url: url.replace(/[?#].*/s, ''), attempts }
    // Looked up late, as others may patch it, and called without `this`, as browsers demand.
    const fetch = options.fetch ?? globalThis.fetch
    const wasOffline = globalThis.navigator?.onLine === false
    let response: Response
    try {
      response = await fetch(url, { ...init, signal })
    } catch (cause) {
      throw networkError(cause, facts, wasOffline)
    }
    // Nobody waits for it any more.
    if (signal.aborted) await response.body?.cancel()
    if (!response.ok) throw await answerError(response, facts)
    return { response, facts }
  })
}

async function chunksOf(
  { response, facts }: Answer,
  { abortSignal, onActivity }: { abortSignal?: AbortSignal | undefined } & ResponseSigns,
): Promise<ChunkStream> {
  const isEvents = /^text\/event-stream\b/i.test(response.headers.get('content-type') ?? '')
  if (!isEvents || response.body === null) throw await answerError(response, facts)
  return readChunks(response.body, abortSignal, onActivity)
}
