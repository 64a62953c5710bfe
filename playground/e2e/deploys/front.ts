import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http'
import { extname, join, normalize } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as wait } from 'node:timers/promises'

/** When the server is killed. */
export const MOMENTS = [
  'the decision is on its way',
  'nothing is done yet',
  'it is done and not told',
  'the answer streams',
] as const
export type Moment = (typeof MOMENTS)[number]

/** What a browser talks to: the page, and the chat of a server that comes and goes. */
export interface Front {
  readonly url: string
  /** How often something was done, by its text. */
  readonly effects: ReadonlyMap<string, number>
  /** Kills the server at this moment of the next decision; it is back after as many milliseconds. */
  deploy(moment: Moment, awayMs: number): void
  /** Resolves when the deploy is over. */
  deployed(): Promise<void>
  close(): Promise<void>
}

const FIXTURE = join(import.meta.dirname, 'server.fixture.ts')
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
}

/**
 * Serves a built page, and hands its chat on to a server in another process; counts what that does.
 *
 * @param outDir where the page is
 * @param database of the server
 */
export async function startFront(outDir: string, database: string): Promise<Front> {
  const effects = new Map<string, number>()
  let planned: { readonly moment: Moment; readonly awayMs: number } | undefined
  let over = Promise.withResolvers<void>()
  let child: ChildProcess | undefined
  let port: number | undefined

  async function startServer(world: string): Promise<void> {
    const args = ['--conditions=@assent/source', FIXTURE, database, world]
    child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    if (!child.stdout) throw new Error('The server says nothing.')
    const { value } = await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next()
    port = Number(value)
  }

  /** Kills the server when that is planned for now. */
  async function reach(moment: Moment): Promise<void> {
    const plan = planned
    if (plan?.moment !== moment || !child) return
    planned = undefined
    port = undefined
    child.kill('SIGKILL')
    await once(child, 'exit')
    void wait(plan.awayMs)
      .then(() => startServer(url))
      .then(over.resolve, over.reject)
  }

  async function act(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const key = await textOf(incoming)
    await reach('nothing is done yet')
    effects.set(key, (effects.get(key) ?? 0) + 1)
    await reach('it is done and not told')
    response.end(`r-${key}`)
  }

  async function handOn(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await textOf(incoming)
    const isDecision = body.includes('"approved":true') && body.includes('approval-responded')
    if (isDecision) await reach('the decision is on its way')
    // As a proxy says it, or as a machine that is off.
    if (port === undefined && effects.size % 2 === 0) return void response.writeHead(502).end()
    if (port === undefined) return void response.destroy()
    const { method, url: path, headers } = incoming
    const out = request({ host: '127.0.0.1', port, method, path, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.on('data', (bytes: Buffer) => {
        response.write(bytes)
        if (isDecision && bytes.includes('tool-output-available')) void reach('the answer streams')
      })
      answer.on('end', () => response.end())
      answer.on('error', () => response.destroy())
    })
    out.on('error', () => response.destroy())
    response.on('close', () => out.destroy())
    out.end(body)
  }

  async function serveFile(path: string, response: ServerResponse): Promise<void> {
    const name = path === '/' ? 'index.html' : normalize(decodeURIComponent(path))
    const file = await readFile(join(outDir, name)).catch(() => undefined)
    if (!file) return void response.writeHead(404).end()
    response.writeHead(200, { 'content-type': TYPES[extname(name)] ?? 'application/octet-stream' })
    response.end(file)
  }

  const front = createServer((incoming, response) => {
    const { pathname } = new URL(incoming.url ?? '/', 'http://front')
    const serve = () => {
      if (pathname === '/effect') return act(incoming, response)
      if (pathname.startsWith('/api/chat')) return handOn(incoming, response)
      return serveFile(pathname, response)
    }
    void serve().catch(() => response.destroy())
  })
  front.listen(0, '127.0.0.1')
  await once(front, 'listening')
  const address = front.address()
  if (address === null || typeof address === 'string') throw new Error('There is no port.')
  const url = `http://127.0.0.1:${address.port}`
  await startServer(url)

  return {
    url,
    effects,
    deploy(moment, awayMs) {
      planned = { moment, awayMs }
      over = Promise.withResolvers()
    },
    deployed: () => over.promise,
    async close() {
      child?.kill('SIGKILL')
      front.closeAllConnections()
      front.close()
      await once(front, 'close')
    },
  }
}

async function textOf(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}
