import { createInterface } from 'node:readline'
import { createMessageEngine, toolPlugin } from '@assent/engine'
import { modelTransport, shareWithPages } from '@assent/node'
import { jsonSchema, tool } from 'ai'
import { httpModel } from '../../node/test/kills/http-model.ts'
import { postgresConversations } from '../src/conversations/postgres-conversations.ts'
import { openPostgres } from '../src/open-postgres.ts'

// Works on a conversation as a worker does: holds it, and lets pages read along. It sends what it is told
// to, a line each, until it is killed.

const [databaseUrl = '', world = '', conversationId = ''] = process.argv.slice(2)
const headers = { 'x-worker': 'holder' }
const onError = (error: unknown): void => void process.stderr.write(`${String(error)}\n`)
const database = await openPostgres({ url: databaseUrl, maxConnections: 4 })
const conversations = postgresConversations(database)
const hold = await conversations.hold(conversationId)
if (!hold) throw new Error('Another process holds it.')
const ask = tool({
  inputSchema: jsonSchema<{ key: string }>({ type: 'object' }),
  needsApproval: true,
  async execute({ key }) {
    return (await fetch(`${world}/effect`, { method: 'POST', headers, body: key })).text()
  },
})
const engine = createMessageEngine({
  id: conversationId,
  storage: hold.storage,
  transport: modelTransport({ model: httpModel(`${world}/model`, headers), tools: { ask } }),
  plugins: [toolPlugin({ tools: { ask } })],
  onError,
})
await engine.ready
shareWithPages(conversations, { engine, onError })
process.stdout.write('holds\n')
for await (const line of createInterface({ input: process.stdin })) void engine.sendMessage(line)
