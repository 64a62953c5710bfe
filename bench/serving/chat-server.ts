// A chat served from a process of its own, so that its memory and CPU time are the server's alone.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { LanguageModelV4, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { createChatHandler, memoryStreams, toNodeListener } from '@assent/node'
import { z } from 'zod'

/** What the server can be asked: how it stands, or to end the answers that it holds. */
const command = z.enum(['facts', 'release'])

/** How the server stands. */
export interface ServerFacts {
  /** After a full garbage collection. */
  readonly heapBytes: number
  /** Since it was started. */
  readonly cpuMicroseconds: number
}

const WORDS = 'An answer that is neither short nor long, as answers are. '.split(/(?<= )/)
const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 1, text: 1, reasoning: undefined },
}

let held = Promise.withResolvers<void>()

/** Says a few words at once; asked to hold, it says one and waits before the rest. */
const model: LanguageModelV4 = {
  specificationVersion: 'v4',
  provider: 'bench',
  modelId: 'words',
  supportedUrls: {},
  doGenerate: () => Promise.reject(new Error('It streams only.')),
  doStream: async ({ prompt }) => {
    const isHeld = JSON.stringify(prompt.at(-1)).includes('Hold')
    const parts: LanguageModelV4StreamPart[] = [
      { type: 'stream-start', warnings: [] },
      { type: 'text-start', id: 't' },
      ...WORDS.map((delta) => ({ type: 'text-delta' as const, id: 't', delta })),
      { type: 'text-end', id: 't' },
      { type: 'finish', finishReason: { unified: 'stop', raw: 'stop' }, usage },
    ]
    let next = 0
    return {
      stream: new ReadableStream<LanguageModelV4StreamPart>({
        async pull(controller) {
          if (isHeld && next === 3) await held.promise
          const part = parts[next++]
          if (part) controller.enqueue(part)
          else controller.close()
        },
      }),
    }
  },
}

const chat = createChatHandler({
  model,
  approvalSecret: 'a secret of the benchmarks',
  rateLimit: false,
  // Small, so that what is kept on purpose does not look like what is lost.
  streams: memoryStreams({ maxBytes: 256 * 1024 }),
})
const server = createServer(toNodeListener(chat))
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  process.send?.({ port })
})

process.on('message', (message) => {
  if (command.parse(message) === 'release') {
    held.resolve()
    held = Promise.withResolvers()
    return
  }
  globalThis.gc?.()
  const { user, system } = process.cpuUsage()
  const facts: ServerFacts = {
    heapBytes: process.memoryUsage().heapUsed,
    cpuMicroseconds: user + system,
  }
  process.send?.(facts)
})
