import { once } from 'node:events'
import { createServer } from 'node:http'
import { jsonSchema, tool } from 'ai'
import { createChatHandler } from '../src/chat/create-chat-handler.ts'
import { toNodeListener } from '../src/chat/node-listener.ts'
import { openDatabase } from '../src/sqlite/open-database.ts'
import { httpModel } from './kills/http-model.ts'

// A server of a chat that a platform tells to go: `<database> <model> <tool> <timeoutMs>`.

const [path = '', model = '', effect = '', timeoutMs = ''] = process.argv.slice(2)
const send = tool({
  inputSchema: jsonSchema<{ to: string }>({ type: 'object' }),
  async execute({ to }, { abortSignal }) {
    const signal = abortSignal && { signal: abortSignal }
    return (await fetch(effect, { method: 'POST', body: to, ...signal })).text()
  },
})
const database = openDatabase(path)
const chat = createChatHandler({
  model: httpModel(model, {}),
  tools: { send },
  toolApproval: { send: 'user-approval' },
  approvalSecret: 'a secret that outlives each deploy',
  database,
  onError: (error) => process.stderr.write(`${String(error)}\n`),
})
const server = createServer(toNodeListener(chat)).listen(0, '127.0.0.1')
await once(server, 'listening')

process.once('SIGTERM', async () => {
  process.stdout.write('draining\n')
  await chat.drain({ timeoutMs: Number(timeoutMs) })
  server.close(() => database.close())
  server.closeIdleConnections()
  process.stdin.destroy()
})

const address = server.address()
if (address === null || typeof address === 'string') throw new Error('There is no port.')
process.stdout.write(`http://127.0.0.1:${address.port}\n`)
