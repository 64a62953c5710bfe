import { isDevelopment } from '../development.ts'
import { errorCode } from '../error-code.ts'
import { EngineError, describeThrown } from '../errors.ts'
import { readRefusedDecisions, type RefusedDecisions } from '../message/refused-decisions.ts'
import { readOn } from './read-on.ts'
import { parseRetryAfter } from './retry-after.ts'

/** Which request an error is about. */
export interface RequestFacts {
  readonly method: 'GET' | 'POST'
  /** Without its query, which may hold secrets. */
  readonly url: string
  /** Tries made so far, this one included. */
  readonly attempts: number
}

/** Statuses that say "not now" rather than "not so". */
const RETRYABLE: readonly number[] = [408, 425, 429, 500, 502, 503, 504]

/** How much of an unexpected body is kept, in bytes. */
const BODY_BYTES = 2_048

/** How long an unexpected body is read for at most, in milliseconds. */
const BODY_MS = 2_000

/** The server answered with a status other than 2xx, or else not with an event stream. */
export async function answerError(response: Response, facts: RequestFacts): Promise<EngineError> {
  const { ok, status, headers, redirected } = response
  const contentType = headers.get('content-type') ?? ''
  const retryAfterMs = parseRetryAfter(headers.get('retry-after'), Date.now())
  const retryable = RETRYABLE.includes(status)
  const body = await readStart(response)
  const said = errorIn(body)
  const advice = ok
    ? `This is ${contentType || 'no content type'}, not an event stream. Check the option "api" and ` +
      'whether to sign in'
    : retryAfterMs !== undefined
      ? `Try again in ${Math.ceil(retryAfterMs / 1_000)} s`
      : retryable && !said.refusal
        ? 'Try again later'
        : (said.message ?? adviceOn(status))
  return new EngineError(
    ok ? 'http_body' : 'http_status',
    `${facts.method} ${facts.url} was answered with ${status}. ${advice.replace(/\.$/, '')}.`,
    {
      retryable,
      details: {
        ...facts,
        status,
        contentType,
        redirected,
        retryAfterMs,
        body,
        // What a server that is about to stop says it has not read; no gateway does.
        ...(said.code === 'draining' && { unsent: true }),
        refusal: said.refusal,
        // As an `error` chunk says it of what was found out later.
        ...(said.code === 'files-refused' && { kind: 'files' }),
      },
    },
  )
}

function adviceOn(status: number): string {
  if (status === 401 || status === 403) return 'Check the credentials and headers'
  if (status === 404 || status === 405) return 'Check the option "api"'
  return status === 413 ? 'The conversation is too long for it' : 'See details.body'
}

/** What a server says in an error of its own. */
interface ServerError {
  readonly code?: unknown
  readonly message?: string
  readonly refusal?: RefusedDecisions | undefined
}

/** What the server says itself, as `createChatHandler` and many others do: `{ error: { code, message } }`. */
function errorIn(body: string): ServerError {
  try {
    const { error }: { error?: unknown } = Object(JSON.parse(body))
    const { code, message }: { code?: unknown; message?: unknown } = Object(error)
    const refusal = readRefusedDecisions(error)
    return { code, refusal, ...(typeof message === 'string' && message !== '' && { message }) }
  } catch {
    return {}
  }
}

/** The first {@link BODY_BYTES} of a body as text; the rest is not fetched. */
async function readStart({ body }: Response): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  let left = BODY_BYTES
  if (body !== null) {
    await readOn(body.getReader(), BODY_MS, (bytes) => {
      text += decoder.decode(bytes.subarray(0, left), { stream: true })
      left -= bytes.length
      return left > 0
    })
  }
  return text
}

/** Failures of a connection that never came about, as Node and Bun name them. */
const UNSENT =
  /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|E(HOST|NET)(UNREACH|DOWN)|UND_ERR_CONNECT_TIMEOUT|ConnectionRefused/

/**
 * There was no response. `details.unsent` is `true` when the request cannot have reached the server.
 */
export function networkError(
  cause: unknown,
  facts: RequestFacts,
  wasOffline: boolean,
): EngineError {
  const { method, url } = facts
  if (!URL.canParse(url, globalThis.location?.href)) {
    return new EngineError(
      'invalid_argument',
      isDevelopment && `"${url}" is no URL outside a page. Make the option "api" absolute.`,
      { cause, details: { ...facts } },
    )
  }
  const code = systemCode(cause)
  const reason = wasOffline ? 'this device is offline' : (code ?? describeThrown(cause))
  return new EngineError(
    'http_network',
    `${method} ${url} got no response (${reason}). Check the connection and the server (CORS).`,
    {
      cause,
      retryable: true,
      details: { ...facts, unsent: wasOffline || UNSENT.test(code ?? ''), code },
    },
  )
}

/** `fetch` rejects with a bare `TypeError`; outside a browser the reason is in it or its cause. */
function systemCode(thrown: unknown): string | undefined {
  return errorCode((thrown instanceof Error && thrown.cause) || thrown)
}
