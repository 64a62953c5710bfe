import { type AssentDatabase, openDatabase } from '@assent/node'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { strictProvider, type ProviderRefusal } from '../../node/test/strict-provider.ts'
import { createWorker, type Worker, type WorkerOptions } from './create-worker.ts'
import type { Inbox } from './inbox.ts'
import { modelEngine } from './model-engine.ts'
import { sqliteStores } from './sqlite-stores.ts'

let database: AssentDatabase
let inbox: Inbox
let worker: Worker
const told: string[] = []

beforeEach(() => {
  database = openDatabase(':memory:')
  told.length = 0
})

afterEach(async () => {
  await worker.stop({ graceMs: 0 })
  database.close()
})

/** A worker whose model is down for so many requests. */
async function work(down: number, status: number, more: Partial<WorkerOptions> = {}) {
  let left = down
  const refusal: ProviderRefusal = { status, message: 'down' }
  const { model } = await strictProvider(() => (left-- > 0 ? refusal : undefined))
  const stores = sqliteStores(database)
  inbox = stores.inbox
  worker = createWorker({
    ...stores,
    createEngine: modelEngine({ model, settings: { maxRetries: 0 } }),
    retryBaseMs: 1,
    onReply: ({ task }) => void told.push(`${task.id} answered`),
    onHeld: ({ id }, { code, message }) => void told.push(`${id} ${code}: ${message}`),
    onDead: ({ id }, { code }) => void told.push(`${id} dead: ${code}`),
    onError: () => undefined,
    ...more,
  })
  worker.start()
}

/** Resolves when every task is over. */
async function allOver(ids: readonly string[]): Promise<void> {
  const over = Promise.withResolvers<void>()
  const look = async () => {
    const tasks = await Promise.all(ids.map((id) => inbox.get(id)))
    const isOver = tasks.every((task) => task?.state === 'done' || task?.state === 'dead')
    if (isOver) over.resolve()
  }
  const stop = inbox.subscribe(() => void look().catch(over.reject))
  for (const id of ids) await inbox.add({ id, conversationId: 'c', input: `I am ${id}` })
  return over.promise.finally(stop)
}

it.each([0, 429, 503])(
  'holds a conversation whose model cannot be reached (%i): all is answered in order, and the person is told once',
  async (status) => {
    await work(8, status)
    const ids = ['one', 'two', 'three', 'four']
    await allOver(ids)
    expect(told).toEqual([
      expect.stringMatching(/^one model_unreachable: I can’t reach the AI model right now/),
      ...ids.map((id) => `${id} answered`),
    ])
    const tasks = await Promise.all(ids.map((id) => inbox.get(id)))
    expect(tasks.map((task) => task?.attempts)).toEqual([1, 1, 1, 1])
  },
)

it('counts attempts as usual once it has waited for long', async () => {
  await work(100, 503, { holdForMs: 0.001 })
  await allOver(['one'])
  expect(told.at(-1)).toBe('one dead: model_unreachable')
})

it('does not hold for a failure of any other kind', async () => {
  await work(100, 500)
  await allOver(['one'])
  expect(told).toEqual(['one dead: stream_error'])
  expect((await inbox.get('one'))?.attempts).toBe(3)
})
