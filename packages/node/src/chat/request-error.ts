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
  | 'unknown-tool'
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

/** A decision that a refused request brought, and that was not taken. */
export interface RefusedApproval {
  readonly approvalId: string
  /** Whether it is known that its call has not begun, for no earlier request either. */
  readonly isOpen: boolean
}

/** What a {@link RequestError} says beside its status, code and message. */
export interface RequestErrorOptions extends ErrorOptions {
  /** Told to the page: their calls wait on there, and can be decided again. */
  readonly refused?: readonly RefusedApproval[]
}

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
  readonly refused: readonly RefusedApproval[]

  constructor(
    status: number,
    // Any text, and those of the handler known by name.
    code: RequestErrorCode | (string & {}),
    message: string,
    headers: Readonly<Record<string, string>> = {},
    { refused = [], ...options }: RequestErrorOptions = {},
  ) {
    super(message, options)
    this.status = status
    this.code = code
    this.headers = headers
    this.refused = refused
  }
}

/** An error as a JSON response: `{ error: { code, message } }`, with `refused` where decisions were not taken. */
export function errorResponse(error: RequestError): Response {
  const { status, code, message, headers, refused } = error
  return Response.json(
    { error: { code, message, ...(refused.length > 0 && { refused }) } },
    { status, headers: { 'cache-control': 'no-store', ...headers } },
  )
}
