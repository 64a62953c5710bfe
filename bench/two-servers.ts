// 1,000 answers at once on two servers with PostgreSQL, beside one server in memory, measured in one run:
//
//   node --conditions=@assent/source bench/two-servers.ts
//
// How long until the first word, and what a chunk costs the servers. `ASSENT_STREAMS` is how many.
import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { Agent, request, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { startEmbedded } from '../packages/postgres/test/embedded-server.ts'

const STREAMS = Number(process.env['ASSENT_STREAMS'] ?? 1_000)
const CHUNKS = 20
const INTERVAL_MS = 1_000
/** The answers begin within this time, one after the other. */
const RAMP_MS = 10_000

interface StreamServer {
  readonly process: ChildProcess
  readonly port: number
}

interface Measured {
  readonly name: string
  /** Milliseconds from the request to the first word. */
  readonly first: { readonly p50: number; readonly p95: number }
  /** Microseconds of CPU time of all servers. */
  readonly perChunk: number
}

const agent = new Agent({ keepAlive: false, maxSockets: Infinity })
let conversations = 0

async function startServer(databaseUrl?: string): Promise<StreamServer> {
  const child = fork(join(import.meta.dirname, 'two-servers/stream-server.ts'), {
    execArgv: ['--conditions=@assent/source'],
    env: {
      ...process.env,
      CHUNKS: String(CHUNKS),
      INTERVAL_MS: String(INTERVAL_MS),
      ...(databaseUrl !== undefined && { DATABASE_URL: databaseUrl }),
    },
  })
  const { port } = await ready<{ port: number }>(child)
  return { process: child, port }
}

async function ready<ANSWER>(child: ChildProcess): Promise<ANSWER> {
  const [answer]: ANSWER[] = await once(child, 'message')
  if (answer === undefined) throw new Error('The server said nothing.')
  return answer
}

async function cpuOf(servers: readonly StreamServer[]): Promise<number> {
  let total = 0
  for (const { process: child } of servers) {
    child.send('facts')
    const { cpuMicroseconds } = await ready<{ cpuMicroseconds: number }>(child)
    total += cpuMicroseconds
  }
  return total
}

/** Resolves when the answer is over, with when its first word came. */
async function read(response: IncomingMessage): Promise<number> {
  if (response.statusCode !== 200) throw new Error(`It was answered with ${response.statusCode}.`)
  let first = 0
  let text = ''
  for await (const bytes of response) {
    if (first > 0) continue
    text += String(bytes)
    if (text.includes('word 0')) first = performance.now()
  }
  if (first === 0) throw new Error('There was no word.')
  return first
}

async function ask(port: number, path: string, body?: string): Promise<IncomingMessage> {
  const asked = request({
    port,
    path,
    agent,
    host: '127.0.0.1',
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'content-type': 'application/json' },
  })
  asked.end(body)
  const [response]: IncomingMessage[] = await once(asked, 'response')
  if (!response) throw new Error('There was no response.')
  return response
}

async function measure(
  name: string,
  servers: readonly StreamServer[],
  isTakenUp: boolean,
): Promise<Measured> {
  const before = await cpuOf(servers)
  const waits = await Promise.all(
    Array.from({ length: STREAMS }, async (_, index) => {
      await new Promise((resolve) => void setTimeout(resolve, (index / STREAMS) * RAMP_MS))
      const id = `c${++conversations}`
      const messages = [{ id: 'u', role: 'user', parts: [{ type: 'text', text: 'Go' }] }]
      const [own, other] = [servers[index % servers.length], servers[(index + 1) % servers.length]]
      if (!own || !other) throw new Error('There is no server.')
      const began = performance.now()
      const response = await ask(own.port, '/api/chat', JSON.stringify({ id, messages }))
      const reading = read(response)
      if (isTakenUp) await read(await ask(other.port, `/api/chat/${id}/stream`))
      return (await reading) - began
    }),
  )
  waits.sort((a, b) => a - b)
  const at = (part: number): number => waits[Math.floor(part * (waits.length - 1))] ?? 0
  const perChunk = ((await cpuOf(servers)) - before) / (STREAMS * CHUNKS)
  return { name, first: { p50: at(0.5), p95: at(0.95) }, perChunk }
}

function print({ name, first, perChunk }: Measured, base: Measured): void {
  const ratio = (one: number, other: number): string => `${(one / other).toFixed(1)} ×`
  process.stdout.write(
    `${name.padEnd(32)} first word ${first.p50.toFixed(0)} ms (p95 ${first.p95.toFixed(0)}), ` +
      `${ratio(first.p50, base.first.p50)}; a chunk ${perChunk.toFixed(0)} µs, ` +
      `${ratio(perChunk, base.perChunk)}\n`,
  )
}

const database = await startEmbedded({ name: 'assent-bench-' })
const servers: StreamServer[] = []
try {
  const alone = await startServer()
  servers.push(alone)
  process.stdout.write(`${STREAMS} answers of ${CHUNKS} chunks, one in ${INTERVAL_MS} ms\n`)
  const base = await measure('one server, in memory', [alone], false)
  print(base, base)
  alone.process.kill()
  const two = [await startServer(database.url), await startServer(database.url)]
  servers.push(...two)
  print(await measure('two servers, PostgreSQL', two, false), base)
  print(await measure('the same, taken up at the other', two, true), base)
} finally {
  for (const { process: child } of servers) child.kill()
  agent.destroy()
  await database.stop()
}
