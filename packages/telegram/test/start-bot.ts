import { appendFileSync } from 'node:fs'
import {
  createWorker,
  healthRecords,
  modelEngine,
  standingPermissions,
  type WorkerOptions,
} from '@assent/worker'
import { jsonSchema, tool } from 'ai'
import { telegramChannel, type TelegramRecords } from '../src/index.ts'
import { answeringModel } from './answering-model.ts'

/** Starts a bot with a worker in one process, until it is killed. What it does is noted in a file. */
export async function startBot(
  stores: Pick<WorkerOptions, 'inbox' | 'conversations' | 'replies' | 'audit'>,
  records: TelegramRecords,
  [apiRoot = '', token = '', effects = '', ...users]: readonly string[],
): Promise<void> {
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
    inbox: stores.inbox,
    records,
    allow: users.map((user) => ({ user: Number(user), may: ['talk', 'approve'] })),
    permissions: standingPermissions(stores),
    healthRecords: healthRecords(stores),
    acceptedMedia: ['image/*'],
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
      context: { maxTokens: 8_000, summary: true },
      tools: { effect: acting, ask: acting, safe: acting },
      defaultApproval: 'approved',
      toolApproval: { ask: 'user-approval' },
    }),
    onReply: (reply) => channel.reply(reply),
    onText: (said) => channel.progress(said),
    onError: () => undefined,
  })
  // It does not outlive the test.
  process.stdin.on('end', () => process.exit()).resume()
  await channel.start()
  worker.start()
  process.stdout.write('working\n')
}
