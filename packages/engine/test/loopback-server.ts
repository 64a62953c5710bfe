import { createServer } from 'node:http'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'

/** A request as it reached the server. */
export interface ReceivedRequest {
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export interface LoopbackServer extends AsyncDisposable {
  /** `http://127.0.0.1:<port>` */
  readonly origin: string
  readonly port: number
  /** Requests that arrived whole. */
  readonly received: readonly ReceivedRequest[]
  /** How many connections were made. */
  readonly connections: number
  /** Resolves with request number `count` (from 1). */
  request(count: number): Promise<ReceivedRequest>
  /** Resolves when no connection is open. */
  idle(): Promise<void>
  /** Breaks all connections off and takes no more, as a server that died. */
  goDown(): Promise<void>
  /** Listens again, on the same port. */
  comeBack(): Promise<void>
}

/** An HTTP server on the loopback interface; `answer` is called when a request arrived whole. */
export async function startServer(
  answer: (response: ServerResponse, request: ReceivedRequest, count: number) => void,
): Promise<LoopbackServer> {
  const received: ReceivedRequest[] = []
  const sockets = new Set<Socket>()
  const watchers = new Set<() => void>()
  let connections = 0
  const changed = (): void => {
    for (const watcher of watchers) watcher()
  }
  const until = <T>(look: () => T | undefined): Promise<T> =>
    new Promise((resolve) => {
      const watcher = (): void => {
        const found = look()
        if (found === undefined) return
        watchers.delete(watcher)
        resolve(found)
      }
      watchers.add(watcher)
      watcher()
    })

  const server = createServer((request, response) => {
    void readBody(request).then((body) => {
      const { method = '', url = '', headers } = request
      const one = { method, url, headers, body }
      received.push(one)
      answer(response, one, received.length)
      changed()
    })
  })
  server.on('connection', (socket) => {
    connections += 1
    sockets.add(socket)
    socket.on('close', () => {
      sockets.delete(socket)
      changed()
    })
  })
  const listen = (at: number) =>
    new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(at, '127.0.0.1', () => {
        server.off('error', reject)
        resolve()
      })
    })
  const goDown = async () => {
    const closed = new Promise((resolve) => {
      server.close(resolve)
    })
    server.closeAllConnections()
    await closed
  }
  await listen(0)
  const { port } = server.address() as AddressInfo
  return {
    origin: `http://127.0.0.1:${port}`,
    port,
    received,
    get connections() {
      return connections
    },
    request: (count) => until(() => received[count - 1]),
    idle: () => until(() => sockets.size === 0 || undefined).then(() => {}),
    goDown,
    comeBack: () => listen(port),
    [Symbol.asyncDispose]: goDown,
  }
}

async function readBody(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part)
  return Buffer.concat(parts).toString()
}

/** Starts an event stream and sends its headers. */
export function startEvents(response: ServerResponse): ServerResponse {
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' })
  response.flushHeaders()
  return response
}

/** The bytes of events, one for each value; `'[DONE]'` ends a stream. */
export function events(...values: readonly unknown[]): string {
  return values
    .map((value) => `data: ${value === '[DONE]' ? value : JSON.stringify(value)}\n\n`)
    .join('')
}
