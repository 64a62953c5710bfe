/** What a refused request is refused for, by a stable name; it is the `code` of the JSON error. */
export type RequestErrorCode =
  | 'bad-request'
  | 'bad-body'
  | 'bad-json'
  | 'bad-messages'
  | 'bad-tools'
  | 'files-refused'
  | 'open-call'
  | 'bad-approval'
  | 'may-not-decide'
  | 'unauthorized'
  | 'forbidden'
  | 'foreign-host'
  | 'foreign-origin'
  | 'not-found'
  | 'wrong-method'
  | 'busy'
  | 'decided-otherwise'
  | 'stream-gone'
  | 'too-large'
  | 'too-slow'
  | 'not-json'
  | 'encoded'
  | 'too-many-requests'
  | 'draining'
  | 'server-error'
  | 'wrong-clock'

/**
 * A request that is refused; the message is shown to whoever sent it. An app throws it from its
 * hooks, with any code of its own.
 */
export class RequestError extends Error {
  override readonly name = 'RequestError'
  readonly status: number
  readonly code: string
  /** Of the response. */
  readonly headers: Readonly<Record<string, string>>

  constructor(
    status: number,
    // Any text, and those of the handler known by name.
    code: RequestErrorCode | (string & {}),
    message: string,
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(message)
    this.status = status
    this.code = code
    this.headers = headers
  }
}

/** An error as a JSON response: `{ error: { code, message } }`. */
export function errorResponse(error: RequestError): Response {
  const { status, code, message, headers } = error
  return Response.json(
    { error: { code, message } },
    { status, headers: { 'cache-control': 'no-store', ...headers } },
  )
}
