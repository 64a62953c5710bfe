// A worker in a process of its own, whose model answers at once.
import { createMessageEngine, toolPlugin } from '@assent/engine'
import { answer, callTools, scriptedTransport } from '@assent/engine/testing'
import { openPostgres, postgresStores } from '@assent/postgres'
import { createWorker } from '@assent/worker'
import { jsonSchema, tool } from 'ai'

const { DATABASE_URL = '', IS_AUDITED } = process.env
const stores = postgresStores(await openPostgres({ url: DATABASE_URL }))
const look = tool({
  inputSchema: jsonSchema<{ word: string }>({ type: 'object' }),
  execute: ({ word }) => `${word}: ${'seen '.repeat(200)}`,
})
const worker = createWorker({
  ...stores,
  audit: IS_AUDITED === 'yes' && stores.audit,
  concurrency: 8,
  createEngine: ({ conversationId, storage, plugins }) =>
    createMessageEngine({
      id: conversationId,
      storage,
      transport: scriptedTransport([
        callTools([{ toolCallId: 'call', toolName: 'look', input: { word: 'fox' } }]),
        answer('Here it is.'),
      ]),
      plugins: [
        ...plugins,
        toolPlugin({ tools: { look }, defaultApproval: 'approved', durable: 'required' }),
      ],
    }),
})
process.once('message', () => worker.start())
process.send?.('ready')
