import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { extname, join, normalize } from 'node:path'
import type { Duplex } from 'node:stream'
import { createOutbox } from '../server/outbox.ts'

/** The door of the cluster: serves the page, hands its requests to the servers in turn, and is their world. */
export interface Front {
  readonly url: string
  /** How often a report was sent, by its body. */
  readonly sent: ReadonlyMap<string, number>
  /** Which servers there are, by URL. */
  setServers(urls: readonly string[]): void
  /** Called before and after a report is sent. */
  onReport: (moment: 'before' | 'after', body: string) => void | Promise<void>
  close(): Promise<void>
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
}

/** @param outDir where the built page is */
export async function startFront(
  outDir: string,
  { host = '127.0.0.1', port = 0 }: { readonly host?: string; readonly port?: number } = {},
): Promise<Front> {
  const sent = new Map<string, number>()
  const outbox = createOutbox()
  const sockets = new Set<Duplex>()
  let servers: readonly URL[] = []
  let turn = 0

  /** All servers, another one first each time. */
  function inTurn(): readonly URL[] {
    turn = (turn + 1) % Math.max(1, servers.length)
    return [...servers.slice(turn), ...servers.slice(0, turn)]
  }

  async function takeReport(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const report: { to: string; subject: string; body: string } = JSON.parse(
      (await bytesOf(incoming)).toString(),
    )
    await front.onReport('before', report.body)
    sent.set(report.body, (sent.get(report.body) ?? 0) + 1)
    const { receipt } = outbox.send(report)
    await front.onReport('after', report.body)
    response.end(JSON.stringify({ receipt }))
  }

  async function handOn(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await bytesOf(incoming)
    for (const server of inTurn()) {
      if (await tryServer(server, incoming, response, body)) return
    }
    response.writeHead(503).end()
  }

  /** Whether that server took it: one that is not there has got nothing of it. */
  function tryServer(
    { hostname, port: to }: URL,
    incoming: IncomingMessage,
    response: ServerResponse,
    body: Buffer,
  ): Promise<boolean> {
    return new Promise((resolve) => {
      const { method, url: path, headers } = incoming
      const out = request({ hostname, port: to, method, path, headers, agent: false }, (answer) => {
        // It is about to end: another one takes it.
        if (answer.statusCode === 503) {
          answer.resume()
          return resolve(false)
        }
        resolve(true)
        response.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(response)
        answer.on('error', () => response.destroy())
      })
      let isConnected = false
      out.on('socket', (socket) => socket.once('connect', () => (isConnected = true)))
      out.on('error', () => {
        if (isConnected) response.destroy()
        resolve(isConnected)
      })
      response.on('close', () => out.destroy())
      out.end(body)
    })
  }

  async function serveFile(path: string, response: ServerResponse): Promise<void> {
    const name = path === '/' ? 'index.html' : normalize(decodeURIComponent(path))
    const file = await readFile(join(outDir, name)).catch(() => undefined)
    if (!file) return void response.writeHead(404).end()
    response.writeHead(200, { 'content-type': TYPES[extname(name)] ?? 'application/octet-stream' })
    response.end(file)
  }

  const http = createServer((incoming, response) => {
    const { pathname } = new URL(incoming.url ?? '/', 'http://front')
    const serve = (): Promise<void> => {
      if (pathname.startsWith('/api/')) return handOn(incoming, response)
      if (pathname !== '/reports') return serveFile(pathname, response)
      if (incoming.method === 'POST') return takeReport(incoming, response)
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ reports: outbox.list() }))
      return Promise.resolve()
    }
    void serve().catch(() => response.destroy())
  })

  http.on('upgrade', (incoming: IncomingMessage, socket: Duplex, head: Buffer) => {
    void joinPage(inTurn(), incoming, socket, head)
  })

  /** Joins a page with the first server that is there. */
  async function joinPage(
    candidates: readonly URL[],
    { method, url: path, rawHeaders }: IncomingMessage,
    socket: Duplex,
    head: Buffer,
  ): Promise<void> {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => sockets.delete(socket))
    for (const { hostname, port: to } of candidates) {
      const out = connect(Number(to), hostname)
      const isThere = await new Promise<boolean>((resolve) => {
        out.once('connect', () => resolve(true))
        out.once('error', () => resolve(false))
      })
      if (!isThere) continue
      const lines = rawHeaders.flatMap((name, index) =>
        index % 2 === 0 ? [`${name}: ${rawHeaders[index + 1] ?? ''}`] : [],
      )
      out.write(`${[`${method} ${path} HTTP/1.1`, ...lines].join('\r\n')}\r\n\r\n`)
      out.write(head)
      out.on('error', () => socket.destroy())
      out.on('close', () => socket.destroy())
      socket.on('close', () => out.destroy())
      out.pipe(socket).pipe(out)
      return
    }
    socket.destroy()
  }

  http.listen(port, host)
  await once(http, 'listening')
  const address = http.address()
  if (address === null || typeof address === 'string') throw new Error('There is no port.')

  const front: Front = {
    url: `http://${host}:${address.port}`,
    sent,
    onReport: () => undefined,
    setServers(urls) {
      servers = urls.map((url) => new URL(url))
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      http.closeAllConnections()
      http.close()
      await once(http, 'close')
    },
  }
  return front
}

async function bytesOf(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk)
  return Buffer.concat(chunks)
}
