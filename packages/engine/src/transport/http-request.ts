import type { PrepareReconnectToStreamRequest, PrepareSendMessagesRequest, UIMessage } from 'ai'
import { EngineError, toEngineError } from '../errors.ts'
import type { MessageTransport } from './transport.ts'

/** A value, a promise of it, or a function that is asked for it at every request. */
export type Resolvable<T> = T | PromiseLike<T> | (() => T | PromiseLike<T>)

/** What requests are made of; all but `api` as in the AI SDK's HTTP transports. */
export interface HttpRequestOptions<MESSAGE extends UIMessage = UIMessage> {
  /** Where conversations are posted to. Default `'/api/chat'`. Outside a page it must be absolute. */
  api?: Resolvable<string | URL>
  /** Added to every request; those of a single request win. */
  headers?: Resolvable<Record<string, string> | Headers>
  /** Properties added to every JSON body; those of a single request win. */
  body?: Resolvable<object>
  /** As in `fetch`, whose default is `'same-origin'`. */
  credentials?: Resolvable<RequestCredentials>
  /** Makes the request instead; `headers`, `credentials` and `api` that it leaves out stay. */
  prepareSendMessagesRequest?: PrepareSendMessagesRequest<MESSAGE>
  /** Makes the request of `reconnectToStream` instead; what it leaves out stays. */
  prepareReconnectToStreamRequest?: PrepareReconnectToStreamRequest
}

/** A request that is ready to be sent, and sent again. */
export interface HttpRequest {
  readonly method: 'GET' | 'POST'
  readonly url: string
  readonly headers: Record<string, string>
  readonly body?: string
  readonly credentials?: RequestCredentials
}

type SendOptions<MESSAGE extends UIMessage> = Omit<
  Parameters<MessageTransport<MESSAGE>['sendMessages']>[0],
  'abortSignal'
>
type ReconnectOptions<MESSAGE extends UIMessage> = Omit<
  Parameters<MessageTransport<MESSAGE>['reconnectToStream']>[0],
  'abortSignal'
>

/** The POST of a conversation: `{ ...body, id, messages, trigger, messageId }`. */
export async function makeSendRequest<MESSAGE extends UIMessage>(
  options: HttpRequestOptions<MESSAGE>,
  sent: SendOptions<MESSAGE>,
): Promise<HttpRequest> {
  const basis = await resolveBasis(options, sent)
  const { api, headers, body, credentials } = basis
  const { chatId: id, messages, trigger, messageId, metadata: requestMetadata } = sent
  const prepared = await callOption('prepareSendMessagesRequest', () =>
    options.prepareSendMessagesRequest?.({
      ...basis,
      id,
      messages,
      trigger,
      messageId,
      requestMetadata,
    }),
  )
  return {
    method: 'POST',
    url: prepared?.api ?? api,
    headers: {
      'content-type': 'application/json',
      ...(prepared?.headers === undefined ? headers : mergeHeaders(prepared.headers)),
    },
    body: toJson(prepared?.body ?? { ...body, id, messages, trigger, messageId }),
    ...withCredentials(prepared?.credentials ?? credentials),
  }
}

/** The GET of a stream that may still run: `<api>/<chatId>/stream`. */
export async function makeReconnectRequest<MESSAGE extends UIMessage>(
  options: HttpRequestOptions<MESSAGE>,
  sent: ReconnectOptions<MESSAGE>,
): Promise<HttpRequest> {
  const basis = await resolveBasis(options, sent)
  const { api, headers, credentials } = basis
  const { chatId: id, metadata: requestMetadata } = sent
  const prepared = await callOption('prepareReconnectToStreamRequest', () =>
    options.prepareReconnectToStreamRequest?.({ ...basis, id, requestMetadata }),
  )
  return {
    method: 'GET',
    url: prepared?.api ?? streamUrl(api, id),
    headers: prepared?.headers === undefined ? headers : mergeHeaders(prepared.headers),
    ...withCredentials(prepared?.credentials ?? credentials),
  }
}

async function resolveBasis<MESSAGE extends UIMessage>(
  options: HttpRequestOptions<MESSAGE>,
  sent: ReconnectOptions<MESSAGE>,
) {
  const [api, headers, body, credentials] = await Promise.all([
    callOption('api', () => resolve(options.api ?? '/api/chat')),
    callOption('headers', async () => mergeHeaders(await resolve(options.headers), sent.headers)),
    callOption('body', () => resolve(options.body)),
    callOption('credentials', () => resolve(options.credentials)),
  ])
  return { api: String(api), headers, body: { ...body, ...sent.body }, credentials }
}

async function resolve<T>(value: Resolvable<T>): Promise<T> {
  return isGetter(value) ? value() : value
}

function isGetter<T>(value: Resolvable<T>): value is () => T | PromiseLike<T> {
  return typeof value === 'function'
}

async function callOption<T>(name: string, call: () => T | PromiseLike<T>): Promise<T> {
  try {
    return await call()
  } catch (error) {
    const context = `The option "${name}" of httpTransport failed, nothing was sent`
    throw toEngineError(error, 'invalid_argument', context, { retryable: true })
  }
}

/** Plain and in lower case, because what prepares or fetches a request likes to spread them. */
function mergeHeaders(
  ...sources: (HeadersInit | Record<string, string | undefined> | undefined)[]
): Record<string, string> {
  const merged = new Headers()
  for (const source of sources) {
    if (source === undefined) continue
    for (const [name, value] of Symbol.iterator in source ? source : Object.entries(source)) {
      if (value !== undefined && value !== null) merged.set(name, value)
    }
  }
  return Object.fromEntries(merged)
}

function withCredentials(credentials: RequestCredentials | undefined): {
  credentials?: RequestCredentials
} {
  return credentials === undefined ? {} : { credentials }
}

function toJson(body: object): string {
  try {
    return JSON.stringify(body)
  } catch (cause) {
    throw new EngineError(
      'invalid_argument',
      'The request is no JSON, nothing was sent. Look for cycles and BigInts in messages and body.',
      { cause },
    )
  }
}

/** A URL parser would take the ids "." and ".." for steps in the path, also when encoded. */
function streamUrl(api: string, chatId: string): string {
  if (chatId === '.' || chatId === '..') {
    throw new EngineError(
      'invalid_argument',
      `"${chatId}" cannot be the id of a conversation here.`,
    )
  }
  const [, path = '', rest = ''] = /^([^?#]*)(.*)$/s.exec(api) ?? []
  return `${path.replace(/\/$/, '')}/${encodeURIComponent(chatId)}/stream${rest}`
}
