import { appendFileSync } from 'node:fs'
import { openDatabase } from '@assent/node'
import { createWorker, modelEngine, sqliteStores } from '@assent/worker'
import { jsonSchema, tool } from 'ai'
import { sqliteTelegramRecords, telegramChannel } from '../src/index.ts'
import { answeringModel } from './answering-model.ts'

// A bot with a worker in one process, until it is killed. What it does is noted in a file.

const [path = '', apiRoot = '', token = '', effects = '', ...users] = process.argv.slice(2)
const database = openDatabase(path)
const stores = sqliteStores(database, { maxAttempts: 1_000 })
const { inbox } = stores
const acting = tool({
  inputSchema: jsonSchema<{ key: string }>({ type: 'object' }),
  execute: ({ key }) => {
    appendFileSync(effects, `${key}\n`)
    return `done: ${key}`
  },
})
const channel = telegramChannel({
  token,
  apiRoot,
  inbox,
  records: sqliteTelegramRecords(database),
  allow: users.map((user) => ({ user: Number(user), may: ['talk', 'approve'] })),
  lookMs: 50,
  // What is cut off fails, and what fails is looked at by its traces.
  onError: () => undefined,
})
const worker = createWorker({
  ...stores,
  leaseMs: 600,
  pollMs: 40,
  retryBaseMs: 20,
  createEngine: modelEngine({
    model: answeringModel(),
    tools: { effect: acting, ask: acting, safe: acting },
    defaultApproval: 'approved',
    toolApproval: { ask: 'user-approval' },
  }),
  onReply: (reply) => channel.reply(reply),
  onError: () => undefined,
})
// It does not outlive the test.
process.stdin.on('end', () => process.exit()).resume()
await channel.start()
worker.start()
process.stdout.write('working\n')
