import type { IncomingMessage, ServerResponse } from 'node:http'
import { toRequest } from './node-request.ts'
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
  const message =
    'The request has no address that makes sense: one host, the same in its first line and its headers, and a method of pages.'
  return errorResponse(new RequestError(400, 'bad-request', message))
}

function notFound(): Response {
  return errorResponse(new RequestError(404, 'not-found', 'Not found.'))
}

function serverError(): Response {
  const message = 'The server failed; its console says why.'
  return errorResponse(new RequestError(500, 'server-error', message))
}
