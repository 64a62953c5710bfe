import { EngineError, describeThrown } from '../errors.ts'
import { parseRetryAfter } from './retry-after.ts'

/** Which request an error is about. `url` goes without its query, which may hold secrets. */
export interface RequestFacts {
  readonly method: 'GET' | 'POST'
  readonly url: string
  /** Tries made so far, this one included. */
  readonly attempts: number
}

/** Statuses that say "not now" rather than "not so". */
const RETRYABLE: ReadonlySet<number> = new Set([408, 425, 429, 500, 502, 503, 504])

/** How much of an unexpected body is kept, in bytes. */
const BODY_BYTES = 2_048

/** How long an unexpected body is read for at most, in milliseconds. */
const BODY_MS = 2_000

/** The server answered with a status other than 2xx. */
export async function statusError(
  response: Response,
  request: RequestFacts,
  now: number,
): Promise<EngineError> {
  const { status, statusText } = response
  const retryAfterMs = parseRetryAfter(response.headers.get('retry-after'), now)
  const body = await readStart(response)
  return new EngineError(
    'http_status',
    `The server answered ${request.method} ${pathOf(request.url)} with ${`${status} ${statusText}`.trim()}. ` +
      statusAdvice(status, retryAfterMs),
    {
      retryable: RETRYABLE.has(status),
      details: {
        ...factsOf(request),
        status,
        body,
        ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
      },
    },
  )
}

function statusAdvice(status: number, retryAfterMs: number | undefined): string {
  if (retryAfterMs !== undefined) return `Try again in ${Math.ceil(retryAfterMs / 1_000)} s.`
  if (RETRYABLE.has(status)) return 'Try again later.'
  if (status === 401 || status === 403) return 'Check the credentials and headers that are sent.'
  if (status === 404 || status === 405) return 'Check the option "api".'
  if (status === 413) return 'The conversation is too long for the server; send less of it.'
  return 'See details.body for what it says.'
}

/**
 * There was no response. `details.unsent` is `true` when the request cannot have reached the server.
 */
export function networkError(
  cause: unknown,
  request: RequestFacts,
  wasOffline: boolean,
): EngineError {
  if (!isUrl(request.url)) {
    return new EngineError(
      'invalid_argument',
      `"${request.url}" is no URL that can be fetched here: outside a page the option "api" must be ` +
        'absolute.',
      { cause, details: factsOf(request) },
    )
  }
  const code = systemCode(cause)
  const unsent = wasOffline || (code !== undefined && UNSENT.has(code))
  return new EngineError(
    'http_network',
    wasOffline
      ? 'This device is offline. Try again when it is connected.'
      : `${request.method} ${pathOf(request.url)} got no response (${code ?? describeThrown(cause)}). ` +
          'Check that the server runs and, from another origin, that it allows this one (CORS).',
    {
      cause,
      retryable: true,
      details: { ...factsOf(request), unsent, ...(code === undefined ? {} : { code }) },
    },
  )
}

/** Failures of a connection that never came about, as Node and Bun name them. */
const UNSENT: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENETDOWN',
  'UND_ERR_CONNECT_TIMEOUT',
  'ConnectionRefused',
])

/** `fetch` rejects with a bare `TypeError`; outside a browser the reason is in its cause. */
function systemCode(thrown: unknown): string | undefined {
  for (let error = thrown, depth = 0; error instanceof Error && depth < 4; depth += 1) {
    if ('code' in error && typeof error.code === 'string') return error.code
    error = error.cause
  }
  return undefined
}

/** Whether a response says that it is one of server-sent events. */
export function isEventStream(response: Response): boolean {
  return mediaTypeOf(response) === 'text/event-stream'
}

/** The server answered with success, but not with an event stream. */
export async function bodyError(response: Response, request: RequestFacts): Promise<EngineError> {
  const mediaType = mediaTypeOf(response)
  const isPage = mediaType === 'text/html'
  const what =
    response.body === null ? 'no body' : isPage ? 'a page' : mediaType || 'no content type'
  return new EngineError(
    'http_body',
    `The server answered ${request.method} ${pathOf(request.url)} with ${what} in place of a UI ` +
      `message stream. Check the option "api"${isPage ? ', and whether one must sign in' : ''}.`,
    {
      details: {
        ...factsOf(request),
        status: response.status,
        contentType: response.headers.get('content-type') ?? '',
        redirected: response.redirected,
        body: await readStart(response),
      },
    },
  )
}

function mediaTypeOf(response: Response): string {
  const contentType = response.headers.get('content-type') ?? ''
  return contentType.replace(/;.*$/s, '').trim().toLowerCase()
}

/** The first {@link BODY_BYTES} of a body as text; the rest is not fetched. */
async function readStart(response: Response): Promise<string> {
  const reader = response.body?.getReader()
  if (reader === undefined) return ''
  const stop = (): void => {
    reader.cancel().catch(() => {
      // It failed by itself.
    })
  }
  const timer = setTimeout(stop, BODY_MS)
  const decoder = new TextDecoder()
  let text = ''
  let left = BODY_BYTES
  try {
    while (left > 0) {
      const { done, value } = await reader.read()
      if (done) break
      text += decoder.decode(value.subarray(0, left), { stream: true })
      left -= value.length
    }
  } catch {
    // The error is about the status; what came of the body is enough.
  } finally {
    clearTimeout(timer)
    stop()
  }
  return text
}

function factsOf({ method, url, attempts }: RequestFacts): Record<string, unknown> {
  return { method, url: pathOf(url), attempts }
}

function pathOf(url: string): string {
  return url.replace(/[?#].*$/s, '')
}

function isUrl(url: string): boolean {
  try {
    return new URL(url, globalThis.location?.href) instanceof URL
  } catch {
    return false
  }
}
