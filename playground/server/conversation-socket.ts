import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { ConversationServer } from '@assent/node'
import { WebSocketServer, type WebSocket } from 'ws'

/** What is used of a server of `node:http`, of any version. */
export interface UpgradingServer {
  on(
    event: 'upgrade',
    listener: (request: IncomingMessage, socket: Duplex, head: Buffer) => void,
  ): unknown
}

/** Options of {@link serveConversations}. */
export interface ConversationSocketOptions {
  readonly conversations: ConversationServer
  /** Default `'/api/conversations'`. */
  readonly path?: string
}

/** After this long without an answer a page is taken for gone, in milliseconds. */
const ALIVE_MS = 10_000
/** A conversation is written in pieces; a piece is a part of a message. */
const MAX_BYTES = 64_000_000

/** Lets pages of this machine and origin connect to their conversations by WebSocket. Returns how to end that. */
export function serveConversations(
  server: UpgradingServer,
  { conversations, path = '/api/conversations' }: ConversationSocketOptions,
): () => void {
  const sockets = new WebSocketServer({ noServer: true, maxPayload: MAX_BYTES })

  server.on('upgrade', (request, socket, head) => {
    // Others listen on this server, such as Vite for its own page.
    const address = URL.parse(request.url ?? '', 'http://here')
    if (address?.pathname !== path) return
    if (!isOfThisOrigin(request)) {
      socket.end('HTTP/1.1 403 Forbidden\r\nconnection: close\r\n\r\n')
      return
    }
    sockets.handleUpgrade(request, socket, head, (opened) => {
      keepAlive(opened)
      const user = address.searchParams.get('user')?.slice(0, 60) || 'somebody'
      const page = conversations.connect({ user, send: (text) => opened.send(text) })
      opened.on('message', (data: Buffer) => page.receive(data.toString('utf8')))
      opened.on('close', () => page.close())
      // Such as a message that is too large; `close` follows.
      opened.on('error', () => undefined)
    })
  })

  return () => {
    for (const opened of sockets.clients) opened.terminate()
    sockets.close()
  }
}

/**
 * A browser tells where a page comes from; what is no browser need not. Nobody signs in here, so it must be called by a
 * name of this machine: a page elsewhere can have its own name lead to it.
 */
function isOfThisOrigin({ headers: { origin, host = '' } }: IncomingMessage): boolean {
  const name = URL.parse(`http://${host}`)?.hostname ?? ''
  const isHere = /^(?:(?:.+\.)?localhost|127(?:\.\d{1,3}){3}|\[::1\])$/u.test(name)
  return isHere && (origin === undefined || URL.parse(origin)?.host === host)
}

function keepAlive(socket: WebSocket): void {
  let isAlive = true
  socket.on('pong', () => (isAlive = true))
  const timer = setInterval(() => {
    if (!isAlive) socket.terminate()
    isAlive = false
    socket.ping()
  }, ALIVE_MS)
  timer.unref()
  socket.on('close', () => clearInterval(timer))
}
