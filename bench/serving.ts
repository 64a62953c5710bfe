import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { figure, type Figure } from './figures.ts'
import { median } from './measure.ts'
import type { ServerFacts } from './serving/chat-server.ts'

const STREAMS = 500
const PROBES = 60
const REQUESTS = 1_500
const AT_ONCE = 16

/** What a chat server manages: streams that are open at once, and requests one after the other. */
export async function measureServing(): Promise<Figure[]> {
  const server = await startServer()
  try {
    // What is compiled and cached once, before anything counts.
    await answerMany(server, 300)
    return [...(await measureStreams(server)), ...(await measureRequests(server))]
  } finally {
    server.agent.destroy()
    server.process.kill()
  }
}

interface ChatServer {
  readonly process: ChildProcess
  readonly agent: Agent
  readonly port: number
  facts(): Promise<ServerFacts>
}

async function startServer(): Promise<ChatServer> {
  const child = fork(join(import.meta.dirname, 'serving/chat-server.ts'), {
    execArgv: ['--expose-gc', '--conditions=@assent/source'],
  })
  const [ready]: { port: number }[] = await once(child, 'message')
  if (!ready) throw new Error('The server did not say where it is.')
  return {
    process: child,
    agent: new Agent({ keepAlive: true, maxSockets: 2 * STREAMS }),
    port: ready.port,
    async facts() {
      child.send('facts')
      const [facts]: ServerFacts[] = await once(child, 'message')
      if (!facts) throw new Error('The server did not say how it stands.')
      return facts
    },
  }
}

let conversations = 0

/** Posts a conversation; resolves with the response as soon as its head is there. */
async function post({ agent, port }: ChatServer, text: string): Promise<IncomingMessage> {
  const id = `c${++conversations}`
  const messages = [{ id: 'u', role: 'user', parts: [{ type: 'text', text }] }]
  const headers = { 'content-type': 'application/json' }
  const sent = httpRequest({ port, agent, method: 'POST', path: '/api/chat', headers })
  sent.end(JSON.stringify({ id, messages }))
  const [response]: IncomingMessage[] = await once(sent, 'response')
  if (response?.statusCode !== 200) throw new Error(`Answered with ${response?.statusCode}.`)
  return response
}

/** Resolves when the first word of an answer has come; the rest is read and left. */
function firstWord(response: IncomingMessage): Promise<void> {
  return new Promise((resolve, reject) => {
    response.on('data', (bytes: Buffer) => {
      if (bytes.includes('text-delta')) resolve()
    })
    response.on('error', reject)
  })
}

async function toTheEnd(response: IncomingMessage): Promise<void> {
  response.resume()
  if (!response.readableEnded) await once(response, 'end')
}

/** Milliseconds from a request to the first word of its answer. */
async function timeToFirstWord(server: ChatServer): Promise<number> {
  const begun = performance.now()
  const response = await post(server, 'Speak')
  await firstWord(response)
  const ms = performance.now() - begun
  await toTheEnd(response)
  return ms
}

async function probe(server: ChatServer): Promise<number[]> {
  const times: number[] = []
  for (let count = 0; count < PROBES; count++) times.push(await timeToFirstWord(server))
  return times.toSorted((a, b) => a - b)
}

async function measureStreams(server: ChatServer): Promise<Figure[]> {
  const idle = await probe(server)
  const before = await server.facts()
  const open = await Promise.all(
    Array.from({ length: STREAMS }, async () => {
      const response = await post(server, 'Hold')
      await firstWord(response)
      return response
    }),
  )
  const during = await server.facts()
  const busy = await probe(server)
  server.process.send('release')
  await Promise.all(open.map(toTheEnd))
  const peer = { name: 'with no other stream', value: median(idle) }
  const p95 = (sorted: readonly number[]) => sorted[Math.floor(sorted.length * 0.95)] ?? NaN
  return [
    figure({
      name: `memory of an open stream, of ${STREAMS}`,
      value: (during.heapBytes - before.heapBytes) / STREAMS / 1_024,
      unit: 'KB',
      budget: { of: 'value', atMost: 256 },
    }),
    figure({
      name: `time to the first word beside ${STREAMS} open streams`,
      value: median(busy),
      unit: 'ms',
      peer,
      budget: { of: 'share', atMost: 3 },
    }),
    figure({ name: 'the same, of the slowest 5 %', value: p95(busy), unit: 'ms' }),
  ]
}

/** Has so many requests answered, some of them at once. */
async function answerMany(server: ChatServer, count: number): Promise<void> {
  let left = count
  const worker = async () => {
    while (left-- > 0) await toTheEnd(await post(server, 'Speak'))
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
}

async function measureRequests(server: ChatServer): Promise<Figure[]> {
  await answerMany(server, REQUESTS)
  const before = await settled(server)
  const begun = performance.now()
  await answerMany(server, REQUESTS)
  const seconds = (performance.now() - begun) / 1_000
  const after = await server.facts()
  await answerMany(server, REQUESTS)
  const later = await settled(server)
  return [
    figure({
      name: `requests answered, ${AT_ONCE} at once`,
      value: REQUESTS / seconds,
      unit: 'requests/s',
    }),
    figure({
      name: 'CPU time of the server for a request',
      value: (after.cpuMicroseconds - before.cpuMicroseconds) / 1_000 / REQUESTS,
      unit: 'ms',
    }),
    figure({
      name: `memory that ${2 * REQUESTS} requests leave behind`,
      value: Math.max(0, later.heapBytes - before.heapBytes) / 1_024 / 1_024,
      unit: 'MB',
      budget: { of: 'value', atMost: 4 },
    }),
  ]
}

/** How the server stands once what the last requests left is cleared away: the least of a few looks. */
async function settled(server: ChatServer): Promise<ServerFacts> {
  let least = await server.facts()
  for (let look = 0; look < 3; look++) {
    await wait(100)
    const facts = await server.facts()
    least = { ...facts, heapBytes: Math.min(least.heapBytes, facts.heapBytes) }
  }
  return least
}
