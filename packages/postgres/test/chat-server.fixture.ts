import { once } from 'node:events'
import { createServer } from 'node:http'
import { createChatHandler, toNodeListener } from '@assent/node'
import { jsonSchema, tool } from 'ai'
import { httpModel } from '../../node/test/kills/http-model.ts'
import { postgresLedger } from '../src/chat/postgres-ledger.ts'
import { postgresStreams } from '../src/chat/postgres-streams.ts'
import { openPostgres } from '../src/open-postgres.ts'

// One of several servers of a chat, with a world to act on. It prints where it serves, and serves until it
// is killed.

const [databaseUrl = '', world = '', name = ''] = process.argv.slice(2)
const headers = { 'x-worker': name }

const send = tool({
  inputSchema: jsonSchema<{ key: string }>({ type: 'object' }),
  async execute({ key }) {
    const response = await fetch(`${world}/effect`, { method: 'POST', headers, body: key })
    return response.text()
  },
})

const database = await openPostgres({ url: databaseUrl, maxConnections: 4 })
const handler = createChatHandler({
  model: httpModel(`${world}/model`, headers),
  tools: { send },
  toolApproval: { send: 'user-approval' },
  approvalSecret: 'a secret that all servers have',
  rateLimit: false,
  runLeaseMs: 1_000,
  ledger: postgresLedger(database),
  streams: postgresStreams(database),
  onError: (error) => process.stderr.write(`${name}: ${String(error)}\n`),
})
const server = createServer(toNodeListener(handler))
server.listen(0, '127.0.0.1')
await once(server, 'listening')
const address = server.address()
if (address === null || typeof address === 'string') throw new Error('There is no port.')
process.stdout.write(`http://127.0.0.1:${address.port}/api/chat\n`)
