import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { BrowserCommand } from 'vitest/node'

interface Watch {
  readonly server: Server
  readonly seen: string[]
}

const watches = new Map<string, Watch>()

/**
 * Begins to count what a page asks for: every request to an address with `evil` in it, in all frames and
 * windows. A server on loopback answers and counts, too; others are answered in its place.
 *
 * @returns the address of the server
 */
export const watchNetwork: BrowserCommand<[]> = async ({ context, sessionId }) => {
  const seen: string[] = []
  const server = createServer((request, response) => {
    seen.push(`answered ${request.url ?? ''}`)
    response.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  await context.route(/evil/, (route) => {
    const url = new URL(route.request().url())
    seen.push(url.href)
    return url.hostname === '127.0.0.1' ? route.continue() : route.fulfill({ body: '' })
  })
  context.on('page', (page) => seen.push(`window ${page.url()}`))
  watches.set(sessionId, { server, seen })
  const { port }: Pick<AddressInfo, 'port'> = Object(server.address())
  return `http://127.0.0.1:${port}/evil`
}

/** What was asked for since the last time. */
export const takeRequests: BrowserCommand<[]> = ({ sessionId }) =>
  watches.get(sessionId)?.seen.splice(0) ?? []

/** Ends it. */
export const unwatchNetwork: BrowserCommand<[]> = async ({ context, sessionId }) => {
  await context.unroute(/evil/)
  watches.get(sessionId)?.server.close()
  watches.delete(sessionId)
}

declare module 'vitest/browser' {
  interface BrowserCommands {
    watchNetwork: () => Promise<string>
    takeRequests: () => Promise<string[]>
    unwatchNetwork: () => Promise<void>
  }
}
