import type { IncomingMessage } from 'node:http'
import { noteClientAddress } from './client-address.ts'

/** The host of a request that names none: a name that belongs to nobody (RFC 2606), so no check lets it in. */
const NO_HOST = 'host.invalid'
/** Methods that `fetch` refuses to send, and a `Request` to have. */
const FORBIDDEN_METHODS: ReadonlySet<string> = new Set(['CONNECT', 'TRACE', 'TRACK'])

/**
 * A request of Node's as one of the web.
 *
 * @param signal aborts when the client has gone
 * @returns `undefined` for one that has no single address: several hosts, or another one in its first line
 *   than in its headers
 */
export function toRequest(incoming: IncomingMessage, signal: AbortSignal): Request | undefined {
  const url = urlOf(incoming)
  const method = incoming.method ?? 'GET'
  if (!url || FORBIDDEN_METHODS.has(method)) return undefined
  const headers = new Headers()
  // HTTP/2 has headers of its own, which a `Request` does not take.
  for (const [name, value] of headersOf(incoming)) {
    if (!name.startsWith(':')) headers.append(name, value)
  }
  const hasBody = method !== 'GET' && method !== 'HEAD'
  if (hasBody && incoming.readableDidRead) {
    // They are about the bytes that came, not about what was made of them.
    for (const name of ['content-encoding', 'content-length']) headers.delete(name)
  }
  const request = new Request(url, {
    method,
    headers,
    signal,
    ...(hasBody && { body: bodyOf(incoming), duplex: 'half' }),
  })
  noteClientAddress(request, incoming.socket.remoteAddress)
  return request
}

/** Where it was sent to: what checks the host and what reads the address must see the same one. */
function urlOf(incoming: IncomingMessage): URL | undefined {
  // Connect strips the mount point from `url` and keeps the whole here.
  const target =
    'originalUrl' in incoming && typeof incoming.originalUrl === 'string'
      ? incoming.originalUrl
      : incoming.url
  const named = headersOf(incoming).flatMap(([name, value]) => (isHost(name) ? [value] : []))
  // HTTP/2 names it in `:authority`, and may say the same in `Host` again.
  const hosts = incoming.httpVersionMajor > 1 ? [...new Set(named)] : named
  if (hosts.length > 1) return undefined
  const [host = NO_HOST] = hosts
  const scheme = 'encrypted' in incoming.socket ? 'https' : 'http'
  // Anything but a name and a port would be read as another part of the address.
  if (target === undefined || /[/\\?#@\s]/u.test(host)) return undefined
  const base = URL.parse(`${scheme}://${host}`)
  const url = base && URL.parse(target, base)
  const isSame = url?.host === base?.host && url?.username === '' && url.password === ''
  return url && isSame && /^https?:$/u.test(url.protocol) ? url : undefined
}

/** All headers as they came: HTTP/2 has no other form that keeps each of them. */
function headersOf({ rawHeaders }: IncomingMessage): readonly (readonly [string, string])[] {
  return rawHeaders.flatMap((name, index) =>
    index % 2 === 0 ? [[name, rawHeaders[index + 1] ?? ''] as const] : [],
  )
}

function isHost(name: string): boolean {
  return name === ':authority' || name.toLowerCase() === 'host'
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
