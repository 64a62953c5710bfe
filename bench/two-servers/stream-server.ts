// A chat server in a process of its own: with DATABASE_URL its streams are in PostgreSQL, else in memory.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import type { LanguageModelV4, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { createChatHandler, memoryStreams, toNodeListener } from '@assent/node'
import { openPostgres, postgresStreams } from '@assent/postgres'

const { DATABASE_URL, CHUNKS = '40', INTERVAL_MS = '200' } = process.env
const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 1, text: 1, reasoning: undefined },
}

/** Says a word, and another one after each interval. */
const model: LanguageModelV4 = {
  specificationVersion: 'v4',
  provider: 'bench',
  modelId: 'words',
  supportedUrls: {},
  doGenerate: () => Promise.reject(new Error('It streams only.')),
  doStream: async () => {
    const parts = say()
    return {
      stream: new ReadableStream<LanguageModelV4StreamPart>({
        async pull(controller) {
          const { value, done } = await parts.next()
          if (done === true) controller.close()
          else controller.enqueue(value)
        },
      }),
    }
  },
}

async function* say(): AsyncGenerator<LanguageModelV4StreamPart> {
  yield { type: 'stream-start', warnings: [] }
  yield { type: 'text-start', id: 't' }
  for (let count = 0; count < Number(CHUNKS); count++) {
    if (count > 0) await wait(Number(INTERVAL_MS))
    yield { type: 'text-delta', id: 't', delta: `word ${count} ` }
  }
  yield { type: 'text-end', id: 't' }
  yield { type: 'finish', finishReason: { unified: 'stop', raw: 'stop' }, usage }
}

const streams =
  DATABASE_URL === undefined
    ? memoryStreams()
    : postgresStreams(await openPostgres({ url: DATABASE_URL }))
const chat = createChatHandler({
  model,
  approvalSecret: 'a secret of the benchmarks',
  rateLimit: false,
  streams,
})
const server = createServer(toNodeListener(chat))
server.listen(0, '127.0.0.1', () => {
  process.send?.({ port: (server.address() as AddressInfo).port })
})
process.on('message', () => {
  const { user, system } = process.cpuUsage()
  process.send?.({ cpuMicroseconds: user + system })
})
