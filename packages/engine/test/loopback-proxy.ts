import { connect, createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'

/** What a proxy does with the bytes that come back on one connection. */
export type Downstream = (
  bytes: AsyncIterable<Buffer>,
  client: {
    /** Resolves when the bytes were handed to the system, in a segment of their own. */
    send(bytes: Uint8Array): Promise<void>
    /** Closes the connection in order. */
    end(): void
    /** Breaks the connection off with a TCP reset. */
    reset(): void
  },
) => Promise<void>

export interface LoopbackProxy extends AsyncDisposable {
  readonly origin: string
}

/** A TCP proxy in front of a port; requests pass unchanged, `downstream` handles what is answered. */
export async function startProxy(port: number, downstream: Downstream): Promise<LoopbackProxy> {
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = connect(port, '127.0.0.1')
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.setNoDelay(true)
      socket.on('close', () => {
        sockets.delete(socket)
        client.destroy()
        upstream.destroy()
      })
      // A broken connection is what is tested; its close event does the rest.
      socket.on('error', () => {})
    }
    client.pipe(upstream)
    const bytes = upstream.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>
    downstream(bytes, {
      send: (part) =>
        new Promise((resolve) => {
          client.write(part, () => setImmediate(resolve))
        }),
      end: () => client.end(),
      reset: () => client.resetAndDestroy(),
    }).catch(() => client.destroy())
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const { port: own } = server.address() as AddressInfo
  return {
    origin: `http://127.0.0.1:${own}`,
    [Symbol.asyncDispose]: async () => {
      const closed = new Promise((resolve) => {
        server.close(resolve)
      })
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}
