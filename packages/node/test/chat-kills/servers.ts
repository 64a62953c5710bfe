import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { startNode, type NodeProcess } from '../node-process.ts'

const FIXTURE = join(import.meta.dirname, 'server-process.fixture.ts')

/** A server at a time, and the next one, which stands by. */
export interface Servers {
  /** The name of the one that serves. */
  readonly name: string
  /** Resolves with where it serves, also when it is only being started. */
  ready(): Promise<string>
  /** Where the latest one serves, or served. */
  readonly origin: string
  /** Kills it as a crash does, and has the next one serve. */
  kill(): void
  close(): Promise<void>
}

/** @param awayMs how long nobody serves after a kill */
export async function startServers(
  path: string,
  url: string,
  awayMs: () => number = () => 0,
): Promise<Servers> {
  let started = 0
  const all = new Set<NodeProcess>()
  const standBy = async () => {
    const name = `server-${++started}`
    const server = startNode(FIXTURE, path, url, name)
    all.add(server)
    void server.ended.then(() => all.delete(server))
    await server.line()
    return { name, server }
  }
  const serve = async (chosen: Awaited<ReturnType<typeof standBy>>) => {
    chosen.server.say('serve')
    const origin = await chosen.server.line()
    return { ...chosen, origin }
  }
  let current = await serve(await standBy())
  let next = standBy()
  let ready = Promise.resolve(current.origin)
  const replace = async () => {
    await current.server.ended
    await wait(awayMs())
    current = await serve(await next)
    next = standBy()
    return current.origin
  }
  return {
    get name() {
      return current.name
    },
    get origin() {
      return current.origin
    },
    ready: () => ready,
    kill() {
      current.server.kill()
      ready = replace()
      // Whoever waits for it is told.
      ready.catch(() => undefined)
    },
    async close() {
      await Promise.allSettled([ready, next])
      for (const server of all) server.kill()
      await Promise.all([...all].map(({ ended }) => ended))
    },
  }
}
