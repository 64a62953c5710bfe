// A chat server in a process of its own: with DATABASE_URL its streams are in PostgreSQL, else in memory.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createChatHandler, memoryStreams, toNodeListener } from '@assent/node'
import { openPostgres, postgresStreams } from '@assent/postgres'
import { wordsModel } from './words-model.ts'

const { DATABASE_URL, CHUNKS = '40', INTERVAL_MS = '200' } = process.env
const streams =
  DATABASE_URL === undefined
    ? memoryStreams()
    : postgresStreams(await openPostgres({ url: DATABASE_URL }))
const chat = createChatHandler({
  model: wordsModel(Number(CHUNKS), Number(INTERVAL_MS)),
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
