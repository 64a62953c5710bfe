import { once } from 'node:events'
import { createServer } from 'node:http'
import { createConversationServer } from '@assent/node'
import { WebSocketServer } from 'ws'
import { postgresConversations } from '../src/conversations/postgres-conversations.ts'
import { openPostgres } from '../src/open-postgres.ts'

// One of several servers of conversations. It prints where it serves, and serves until it is killed.

const [databaseUrl = '', port = '0'] = process.argv.slice(2)
const database = await openPostgres({ url: databaseUrl, maxConnections: 4 })
const conversations = createConversationServer({
  conversations: postgresConversations(database),
  onError: (error) => process.stderr.write(`${String(error)}\n`),
})
const server = createServer()
const sockets = new WebSocketServer({ server })
sockets.on('connection', (opened) => {
  const page = conversations.connect({ user: 'ada', send: (text) => opened.send(text) })
  opened.on('message', (data: Buffer) => page.receive(data.toString('utf8')))
  opened.on('close', () => page.close())
})
server.listen(Number(port), '127.0.0.1')
await once(server, 'listening')
const address = server.address()
if (address === null || typeof address === 'string') throw new Error('There is no port.')
process.stdout.write(`ws://127.0.0.1:${address.port}\n`)
