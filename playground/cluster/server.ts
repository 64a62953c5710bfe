import { once } from 'node:events'
import { createServer } from 'node:http'
import { createChatHandler, createConversationServer, toNodeListener } from '@assent/node'
import {
  openPostgres,
  postgresConversations,
  postgresLedger,
  postgresStores,
  postgresStreams,
} from '@assent/postgres'
import { createAdminHandler } from '@assent/worker'
import { serveConversations } from '../server/conversation-socket.ts'
import { EXAMPLE_REQUESTS } from '../server/demo/answer.ts'
import { chooseModel } from '../server/model.ts'
import { clusterTools, INSTRUCTIONS } from './cluster-tools.ts'
import { readSettings } from './settings.ts'

// One of the chat servers of the cluster. It prints where it serves, and says goodbye when it is told to
// end: what goes on has ten seconds.

const { databaseUrl, worldUrl, approvalSecret, host, port } = readSettings(process.env)
const onError = (error: unknown): void => void process.stderr.write(`${String(error)}\n`)
const database = await openPostgres({ url: databaseUrl, onError })
const chosen = chooseModel(process.env)
const { tools, toolApproval } = clusterTools(worldUrl)
const stores = postgresStores(database)
const { audit } = stores
// What a server that crashed ran; nothing of those that go on takes as long.
await audit.interruptRunning({ until: Date.now() - 5 * 60_000 })
const chat = createChatHandler({
  model: chosen.model,
  instructions: INSTRUCTIONS,
  tools,
  toolApproval,
  approvalSecret,
  rateLimit: false,
  ledger: postgresLedger(database),
  streams: postgresStreams(database, { onError }),
  audit,
  onError,
})
const conversations = createConversationServer({
  conversations: postgresConversations(database, {
    audit,
    isNotedElsewhere: (name) => Object.hasOwn(tools, name),
  }),
  onError,
})
const admin = createAdminHandler({
  ...stores,
  onError,
  // The playground knows nobody: whoever can reach it says who they are.
  authorize: ({ headers }) => headers.get('x-playground-user') || 'somebody',
})

async function answer(request: Request): Promise<Response | undefined> {
  const { pathname } = new URL(request.url)
  if (/^\/api\/chat(\/|$)/.test(pathname)) return chat(request)
  if (pathname.startsWith('/api/admin/')) return admin(request)
  if (pathname === '/api/backups') return Response.json({ backups: [] })
  if (pathname === '/api/outbox') return fetch(`${worldUrl}/reports`)
  if (pathname !== '/api/info') return undefined
  return Response.json({ model: chosen.label, mode: chosen.mode, examples: EXAMPLE_REQUESTS })
}

const server = createServer(toNodeListener(answer, onError))
const endSockets = serveConversations(server, { conversations })
server.listen(port, host)
await once(server, 'listening')
const address = server.address()
if (address === null || typeof address === 'string') throw new Error('There is no port.')
process.stdout.write(`http://${host}:${address.port}\n`)

async function end(): Promise<void> {
  server.close()
  endSockets()
  await chat.drain({ timeoutMs: 10_000 })
  await conversations.close()
  await database.close()
  server.closeAllConnections()
  process.exit(0)
}

process.once('SIGTERM', () => void end())
process.once('SIGINT', () => void end())
