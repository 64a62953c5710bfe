import type { IncomingMessage, ServerResponse } from 'node:http'
import { noteClientAddress } from './client-address.ts'
import { errorResponse, RequestError } from './request-error.ts'

/** A listener of `node:http`, and a middleware as Connect, Express and Vite take it. */
export type NodeListener = (
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  next?: () => void,
) => void

/**
 * Serves a web-standard handler from Node's HTTP server. The request's signal aborts when the client
 * goes away; the response is read no faster than the client takes it.
 *
 * @param handle answers a request, or leaves it (`undefined`) to the next middleware
 * @param onError is told what `handle` or the response's stream threw. Default: a warning of
 *   the process
 */
export function toNodeListener(
  handle: (request: Request) => Promise<Response | undefined>,
  onError: (error: unknown) => void = warnOf,
): NodeListener {
  return (incoming, outgoing, next) => {
    const gone = new AbortController()
    outgoing.on('close', () => {
      if (!outgoing.writableFinished) {
        gone.abort(new DOMException('The client went away.', 'AbortError'))
      }
    })
    const serve = async () => {
      const request = toRequest(incoming, gone.signal)
      const response = request ? await handle(request) : badRequest()
      if (response) await send(response, outgoing, gone.signal)
      else if (next) next()
      else await send(notFound(), outgoing, gone.signal)
    }
    serve().catch((error: unknown) => {
      if (gone.signal.aborted) return
      // One of these is told to the client, or is why its stream breaks off.
      if (!(error instanceof RequestError)) onError(error)
      // After the first byte, a cut connection is the only way left to say that it failed.
      if (outgoing.headersSent) outgoing.destroy()
      else void send(serverError(), outgoing, gone.signal).catch(onError)
    })
  }
}

function warnOf(error: unknown): void {
  process.emitWarning(error instanceof Error ? error : String(error))
}

function toRequest(incoming: IncomingMessage, signal: AbortSignal): Request | undefined {
  // Connect strips the mount point from `url` and keeps the whole here.
  const path =
    'originalUrl' in incoming && typeof incoming.originalUrl === 'string'
      ? incoming.originalUrl
      : incoming.url
  const scheme = 'encrypted' in incoming.socket ? 'https' : 'http'
  const { host = 'localhost' } = incoming.headers
  const base = `${scheme}://${host}`
  // Anything but a name and a port would be read as another part of the address.
  if (path === undefined || /[/\\?#@\s]/u.test(host) || !URL.canParse(path, base)) return undefined
  const headers = new Headers()
  for (const [name, value] of Object.entries(incoming.headersDistinct)) {
    // HTTP/2 has headers of its own, which a `Request` does not take.
    if (!name.startsWith(':')) for (const item of value ?? []) headers.append(name, item)
  }
  const method = incoming.method ?? 'GET'
  const hasBody = method !== 'GET' && method !== 'HEAD'
  const request = new Request(new URL(path, base), {
    method,
    headers,
    signal,
    ...(hasBody && { body: bodyOf(incoming), duplex: 'half' }),
  })
  noteClientAddress(request, incoming.socket.remoteAddress)
  return request
}

/** The body, or what a middleware before has made of it, such as `express.json()`. */
function bodyOf(incoming: IncomingMessage): BodyInit {
  if (!incoming.readableDidRead) return streamOf(incoming)
  const body: unknown = 'body' in incoming ? incoming.body : undefined
  if (body === undefined) {
    throw new Error(
      'A middleware has read the body of the request and kept nothing of it in "body". Mount the chat before it.',
    )
  }
  if (typeof body === 'string') return body
  return body instanceof Uint8Array ? new Uint8Array(body) : JSON.stringify(body)
}

function streamOf(incoming: IncomingMessage): ReadableStream<Uint8Array<ArrayBuffer>> {
  const chunks: AsyncIterator<Buffer<ArrayBuffer>> = incoming[Symbol.asyncIterator]()
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await chunks.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    async cancel() {
      await chunks.return?.()
    },
  })
}

async function send(
  response: Response,
  outgoing: ServerResponse,
  gone: AbortSignal,
): Promise<void> {
  const reader = response.body?.getReader()
  if (gone.aborted) {
    await reader?.cancel(gone.reason)
    return
  }
  outgoing.writeHead(response.status, Object.fromEntries(response.headers))
  if (!reader) {
    outgoing.end()
    return
  }
  outgoing.flushHeaders()
  // Wakes a read that waits for a model which has nothing to say yet.
  gone.addEventListener('abort', () => void reader.cancel(gone.reason).catch(() => undefined), {
    once: true,
  })
  for (;;) {
    const { done, value } = await reader.read()
    if (gone.aborted) return
    if (done) break
    if (!outgoing.write(value)) await drained(outgoing, gone)
  }
  outgoing.end()
}

async function drained(outgoing: ServerResponse, gone: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const settle = () => {
      outgoing.off('drain', settle)
      gone.removeEventListener('abort', settle)
      resolve()
    }
    outgoing.on('drain', settle)
    gone.addEventListener('abort', settle)
    if (gone.aborted) settle()
  })
}

function badRequest(): Response {
  const message = 'The address of the request makes no sense.'
  return errorResponse(new RequestError(400, 'bad-request', message))
}

function notFound(): Response {
  return errorResponse(new RequestError(404, 'not-found', 'Not found.'))
}

function serverError(): Response {
  const message = 'The server failed; its console says why.'
  return errorResponse(new RequestError(500, 'server-error', message))
}
