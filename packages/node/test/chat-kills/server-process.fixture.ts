import { once } from 'node:events'
import { createServer } from 'node:http'
import { jsonSchema, tool } from 'ai'
import { auditLog } from '../../src/audit/sqlite-audit.ts'
import { createChatHandler } from '../../src/chat/create-chat-handler.ts'
import { toNodeListener } from '../../src/chat/node-listener.ts'
import { openDatabase } from '../../src/sqlite/open-database.ts'
import { httpModel } from '../kills/http-model.ts'

// A server of a chat, with a world to act on. It stands by until it is told to serve, as the next of
// several servers does, and serves until it is killed.

const [path = '', url = '', name = ''] = process.argv.slice(2)
const headers = { 'x-worker': name }

const acting = tool({
  inputSchema: jsonSchema<{ key: string }>({ type: 'object' }),
  async execute({ key }, { abortSignal }) {
    const signal = abortSignal && { signal: abortSignal }
    const response = await fetch(`${url}/effect`, { method: 'POST', headers, body: key, ...signal })
    if (!response.ok) throw new Error(`The world says ${response.status}.`)
    return response.text()
  },
})

process.stdout.write('loaded\n')
await once(process.stdin, 'data')
const database = openDatabase(path)
const audit = auditLog(database)
// The one that wrote before is gone.
await audit.interruptRunning({})
const handler = createChatHandler({
  model: httpModel(`${url}/model`, headers),
  tools: { look: acting, note: acting, send: acting, drop: acting },
  defaultApproval: 'approved',
  toolApproval: { send: 'user-approval', drop: 'user-approval' },
  approvalSecret: 'a secret that outlives the servers',
  rateLimit: false,
  runLeaseMs: 1_000,
  database,
  audit,
  onError: (error) => process.stderr.write(`${String(error)}\n`),
})
const server = createServer(toNodeListener(handler))
server.listen(0, '127.0.0.1')
await once(server, 'listening')
const address = server.address()
if (address === null || typeof address === 'string') throw new Error('There is no port.')
process.stdout.write(`http://127.0.0.1:${address.port}\n`)
