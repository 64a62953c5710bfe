import { once } from 'node:events'
import { createServer } from 'node:http'
import { createChatHandler, openDatabase, toNodeListener } from '@assent/node'
import { tool } from 'ai'
import { z } from 'zod'
import { createDemoModel } from '../../server/demo-model.ts'

// A server of a chat that acts on a world outside of it, until it is killed: `<database> <world>`.

const [path = '', world = ''] = process.argv.slice(2)
const send_report = tool({
  description: 'Sends a report.',
  inputSchema: z.object({ to: z.string(), subject: z.string(), body: z.string() }),
  metadata: { risk: 'send' },
  async execute({ body }, { abortSignal }) {
    const response = await fetch(`${world}/effect`, {
      method: 'POST',
      body,
      ...(abortSignal && { signal: abortSignal }),
    })
    return { receipt: await response.text() }
  },
})

const handler = createChatHandler({
  model: createDemoModel({ speed: 200 }),
  tools: { send_report },
  approvalSecret: 'a secret that outlives each deploy',
  rateLimit: false,
  runLeaseMs: 1_000,
  database: openDatabase(path),
  onError: (error) => process.stderr.write(`${String(error)}\n`),
})
const server = createServer(toNodeListener(handler)).listen(0, '127.0.0.1')
await once(server, 'listening')
const address = server.address()
if (address === null || typeof address === 'string') throw new Error('There is no port.')
process.stdout.write(`${address.port}\n`)
