import { type AssentDatabase, openDatabase } from '@assent/node'
import { jsonSchema, tool } from 'ai'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { scriptedModel, type ModelStep } from '../../node/test/scripted-model.ts'
import { createWorker, type Worker } from './create-worker.ts'
import type { TaskState } from './inbox.ts'
import { modelEngine } from './model-engine.ts'
import { sqliteStores, type SqliteStores } from './sqlite-stores.ts'
import { standingPermissions } from './standing-permissions.ts'

let database: AssentDatabase
let stores: SqliteStores
let worker: Worker
const written: string[] = []

beforeEach(() => {
  database = openDatabase(':memory:')
  stores = sqliteStores(database)
  written.length = 0
})

afterEach(async () => {
  await worker.stop({ graceMs: 0 })
  database.close()
})

const call = (id: string): ModelStep => [[id, 'write', { text: id }]]

function work(steps: readonly ModelStep[]): void {
  worker = createWorker({
    ...stores,
    createEngine: modelEngine({
      model: scriptedModel(steps),
      tools: {
        write: tool({
          inputSchema: jsonSchema<{ text: string }>({ type: 'object' }),
          execute: ({ text }) => void written.push(text),
        }),
      },
      toolOptions: { write: { summary: ({ text }) => `Write ${text}` } },
    }),
  })
  worker.start()
}

/** Resolves when a task is in a state; adds it before. */
async function until(id: string, state: TaskState): Promise<void> {
  const there = Promise.withResolvers<void>()
  const look = async () => {
    if ((await stores.inbox.get(id))?.state === state) there.resolve()
  }
  const stop = stores.inbox.subscribe(() => void look().catch(there.reject))
  await stores.inbox.add({ id, conversationId: 'c', input: id })
  await look()
  return there.promise.finally(stop)
}

async function giveAlways(id: string): Promise<void> {
  await until(id, 'parked')
  const always = { toolCallId: id, outcome: 'yes_always', scope: { covers: 'tool' } } as const
  await stores.inbox.answer(id, { decisions: [always], by: 'Ada' })
  await until(id, 'done')
}

it('what was allowed for always is listed, and asks again once it is taken back', async () => {
  work([call('one'), 'Done.', call('two'), 'Done.', call('three'), 'Done.'])
  const permissions = standingPermissions(stores)
  expect(await permissions.list('c')).toEqual([])
  await giveAlways('one')
  await until('two', 'done')
  const [given] = await permissions.list('c')
  expect(given).toMatchObject({
    toolName: 'write',
    scope: { covers: 'tool' },
    status: 'standing',
    summary: 'Write one',
    input: { text: 'one' },
    uses: 1,
  })
  const revocation = { conversationId: 'c', permissionId: given!.id, user: 'telegram:11' }
  expect(await permissions.revoke(revocation)).toBe('revoked')
  expect(await permissions.revoke(revocation)).toBe('unknown')
  expect((await permissions.list('c')).map(({ status }) => status)).toEqual(['revoked'])
  const [noted] = await stores.audit.query({ kind: 'decision', limit: 1 })
  expect(noted?.payload).toMatchObject({ revokes: given!.id, who: 'telegram:11' })
  await until('three', 'parked')
  expect(written).toEqual(['one', 'two'])
})

it('while somebody works on the conversation nothing is taken back, and it is told when that is over', async () => {
  work([call('one'), 'Done.'])
  const permissions = standingPermissions(stores)
  await giveAlways('one')
  const [given] = await permissions.list('c')
  const revocation = { conversationId: 'c', permissionId: given!.id, user: 'telegram:11' }
  const held = await stores.conversations.hold('c')
  expect(await permissions.revoke(revocation)).toBe('busy')
  const free = Promise.withResolvers<void>()
  const stop = permissions.onFree('c', free.resolve)
  await held?.release()
  await free.promise
  stop()
  expect(await permissions.revoke(revocation)).toBe('revoked')
})
