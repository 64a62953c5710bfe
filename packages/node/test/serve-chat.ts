import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ToolSet } from 'ai'
import { onTestFinished } from 'vitest'
import type { ChatHandlerOptions } from '../src/chat/chat-options.ts'
import { createChatHandler, type ChatHandler } from '../src/chat/create-chat-handler.ts'
import { toNodeListener } from '../src/chat/node-listener.ts'

/** A server on loopback, closed with its test. */
export interface Served {
  readonly origin: string
  /** Where the chat is. */
  readonly api: string
  /** What the server was told of. */
  readonly errors: unknown[]
  readonly drain: ChatHandler['drain']
}

/** Serves a listener of `node:http` on a free port. */
export async function serveListener(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(async () => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  })
  const { port } = server.address() as AddressInfo
  return `http://127.0.0.1:${port}`
}

export const SECRET = 'a secret of the tests, long enough'

/** Serves a chat handler from `node:http`. */
export async function serveChat<TOOLS extends ToolSet, USER>(
  options: ChatHandlerOptions<TOOLS, USER>,
): Promise<Served> {
  const errors: unknown[] = []
  const handler = createChatHandler<TOOLS, USER>({
    defaultApproval: 'approved',
    approvalSecret: SECRET,
    ...(!options.database && { ledger: 'memory' }),
    onError: (error) => void errors.push(error),
    ...options,
  })
  const origin = await serveListener(toNodeListener(handler, (error) => void errors.push(error)))
  return { origin, api: `${origin}/api/chat`, errors, drain: handler.drain }
}
