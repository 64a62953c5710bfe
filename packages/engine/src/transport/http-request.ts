import type { PrepareReconnectToStreamRequest, PrepareSendMessagesRequest, UIMessage } from 'ai'
import { toEngineError } from '../errors.ts'
import { given } from '../message/given.ts'
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

/** What is asked of a transport: to send messages, or to take up the stream of a chat again. */
export type HttpRequestInput<MESSAGE extends UIMessage> =
  | Parameters<MessageTransport<MESSAGE>['sendMessages']>[0]
  | Parameters<MessageTransport<MESSAGE>['reconnectToStream']>[0]

/**
 * The POST of a conversation, `{ ...body, id, messages, trigger, messageId }`, or the GET of a stream
 * that may still run, `<api>/<chatId>/stream`. A named request has `requestId` and `supersedes` in its body,
 * or `?requestId=` in its address.
 *
 * What fails on the way, an option or what it returns, is the cause of an `invalid_argument`.
 */
export async function makeRequest<MESSAGE extends UIMessage>(
  options: HttpRequestOptions<MESSAGE>,
  sent: HttpRequestInput<MESSAGE>,
): Promise<HttpRequest> {
  try {
    const api = String((await resolve(options.api)) ?? '/api/chat')
    const body = { ...(await resolve(options.body)), ...sent.body }
    const headers = mergeHeaders(await resolve(options.headers), sent.headers)
    const credentials = await resolve(options.credentials)
    const { chatId: id, metadata: requestMetadata, requestId, supersedes } = sent
    const basis = { id, requestMetadata, api, headers, body, credentials }
    if (!('messages' in sent)) {
      const prepared = await options.prepareReconnectToStreamRequest?.(basis)
      return {
        method: 'GET',
        url: prepared?.api ?? streamUrl(api, id, requestId),
        ...headOf(basis, prepared),
      }
    }
    const { messages, trigger, messageId } = sent
    const content = { messages, trigger, messageId }
    // In the body, also of who prepares another one of it: no other origin has to allow a header.
    Object.assign(body, given({ requestId, supersedes }))
    const prepared = await options.prepareSendMessagesRequest?.({ ...basis, ...content })
    return {
      method: 'POST',
      url: prepared?.api ?? api,
      ...headOf(basis, prepared, { 'content-type': 'application/json' }),
      body: JSON.stringify(prepared?.body ?? { ...body, id, ...content }),
    }
  } catch (error) {
    throw toEngineError(
      error,
      'invalid_argument',
      'The options make no request, nothing was sent',
      { retryable: true },
    )
  }
}

async function resolve<T>(value: Resolvable<T>): Promise<T> {
  return isGetter(value) ? value() : value
}

function isGetter<T>(value: Resolvable<T>): value is () => T | PromiseLike<T> {
  return typeof value === 'function'
}

/** Headers and credentials, as they were prepared or else as they were. */
function headOf(
  basis: { headers: HeadersInit; credentials: RequestCredentials | undefined },
  prepared?: { headers?: HeadersInit; credentials?: RequestCredentials },
  defaults?: HeadersInit,
): Pick<HttpRequest, 'headers' | 'credentials'> {
  const credentials = prepared?.credentials ?? basis.credentials
  return {
    headers: mergeHeaders(defaults, prepared?.headers ?? basis.headers),
    ...(credentials && { credentials }),
  }
}

/** Plain and in lower case, because what prepares or fetches a request likes to spread them. */
function mergeHeaders(
  ...sources: (HeadersInit | Record<string, string | undefined> | undefined)[]
): Record<string, string> {
  const merged = new Headers()
  for (const source of sources) {
    const entries = source && Symbol.iterator in source ? source : Object.entries(source ?? {})
    for (const [name, value] of entries) {
      if (value !== undefined && value !== null) merged.set(name, value)
    }
  }
  return Object.fromEntries(merged)
}

/** A URL parser would take the ids "." and ".." for steps in the path, also when encoded. */
function streamUrl(api: string, chatId: string, requestId: string | undefined): string {
  if (/^\.\.?$/.test(chatId)) throw new Error(`a path cannot hold "${chatId}"`)
  const name = requestId === undefined ? '' : `requestId=${encodeURIComponent(requestId)}`
  return api.replace(/\/?(\?[^#]*)?(#.*)?$/s, (_, query = '', hash = '') => {
    const asked = name && `${query ? `${query}&` : '?'}${name}`
    return `/${encodeURIComponent(chatId)}/stream${asked || query}${hash}`
  })
}
