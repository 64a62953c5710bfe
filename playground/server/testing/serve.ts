import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { toNodeListener } from '@assent/node'

/** A handler that is served over HTTP on loopback. */
export interface Served {
  readonly url: string
  /** What the handler threw. */
  readonly errors: readonly unknown[]
  readonly close: () => Promise<void>
}

/** Serves a handler the way the playground does, on a free port of 127.0.0.1. */
export async function serve(
  handle: (request: Request) => Promise<Response | undefined>,
): Promise<Served> {
  const errors: unknown[] = []
  const server = createServer(toNodeListener(handle, (error) => void errors.push(error)))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    errors,
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
