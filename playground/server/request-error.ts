/** A request that is refused; what it says is shown to the person who sent it. */
export class RequestError extends Error {
  override readonly name = 'RequestError'

  readonly status: number
  readonly code: string

  constructor(status: number, code: string, message: string) {
    super(message)
    this.status = status
    this.code = code
  }
}

/** An error as a JSON response: `{ error: { code, message } }`. */
export function errorResponse(
  status: number,
  code: string,
  message: string,
  headers: Record<string, string> = {},
): Response {
  return Response.json({ error: { code, message } }, { status, headers })
}
