import { type AssentDatabase, openDatabase } from '@assent/node'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { strictProvider, type StrictProvider } from '../../node/test/strict-provider.ts'
import { createWorker, type Worker } from './create-worker.ts'
import type { Inbox, Task, TaskState } from './inbox.ts'
import { modelEngine, type ModelEngineOptions } from './model-engine.ts'
import { sqliteStores } from './sqlite-stores.ts'

let database: AssentDatabase
let inbox: Inbox
let provider: StrictProvider
let worker: Worker
const said: string[] = []

beforeEach(async () => {
  database = openDatabase(':memory:')
  provider = await strictProvider()
  said.length = 0
})

afterEach(async () => {
  await worker.stop({ graceMs: 0 })
  database.close()
})

function work(options: Partial<ModelEngineOptions> = {}): void {
  const stores = sqliteStores(database)
  inbox = stores.inbox
  worker = createWorker({
    ...stores,
    createEngine: modelEngine({ model: provider.model, ...options }),
    onReply: ({ text }) => void said.push(text),
    onDead: (_task, { code, message }) => void said.push(`${code}: ${message}`),
    onError: () => undefined,
  })
  worker.start()
}

/** Adds a task, and resolves when it is over. */
async function say(id: string, input: Task['input']): Promise<TaskState> {
  const over = Promise.withResolvers<TaskState>()
  const look = async () => {
    const state = (await inbox.get(id))?.state ?? 'queued'
    if (state === 'done' || state === 'dead') over.resolve(state)
  }
  const stop = inbox.subscribe(() => void look().catch(over.reject))
  await inbox.add({ id, conversationId: 'c', input })
  return over.promise.finally(stop)
}

const VOICE = [
  { type: 'text', text: 'Listen' },
  {
    type: 'file',
    filename: 'voice.ogg',
    mediaType: 'audio/ogg',
    url: 'data:audio/ogg;base64,T2dn',
  },
]

it('fails the message whose file the model does not take at once, and no later one', async () => {
  work()
  expect(await say('one', VOICE)).toBe('dead')
  expect(await say('two', 'Hello?')).toBe('done')
  expect(said).toEqual([
    expect.stringMatching(/^files_refused: The model can’t read voice\.ogg \(audio\/ogg\)\./),
    'said 1',
  ])
  expect((await inbox.get('one'))?.attempts).toBe(1)
  expect(provider.asked[0]).toContain('[A file was left out: voice.ogg, audio/ogg, which this')
})

it('refuses files that are not accepted without asking the model', async () => {
  work({ acceptedMedia: ['image/*'] })
  expect(await say('one', VOICE)).toBe('dead')
  expect(said).toEqual([expect.stringContaining('isn’t supported here. Supported: image/*.')])
  expect(provider.asked).toEqual([])
})

it('takes the message of a discarded task out of the conversation', async () => {
  work()
  await say('one', VOICE)
  await inbox.discard('one')
  await say('two', 'Hello?')
  expect(provider.asked[0]).not.toContain('voice.ogg')
  expect(provider.asked[0]).not.toContain('Listen')
})
