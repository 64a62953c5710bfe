import { createMessageEngine, type EngineState, type Persistence } from '@assent/engine'
import { defineStorage, memoryStorage, type MemoryStorage } from '@assent/engine/storage'
import { scriptedTransport } from '@assent/engine/testing'
import type { UIMessage } from 'ai'
import { figure, type Figure } from './figures.ts'
import { race, type Contestant } from './measure.ts'
import { historyOf } from './sample-streams.ts'

const CHUNKS = 2_000
/** As many chunks as an answer brings between two writes. */
const CHUNKS_PER_WRITE = 100
const HISTORIES = [100, 1_000, 10_000]

/** What keeping a conversation costs while an answer streams, and to take it up again. */
export async function measureStorage(): Promise<Figure[]> {
  const streaming: Figure[] = []
  for (const history of HISTORIES) streaming.push(await measureStreaming(history))
  return [...streaming, await measureRestoring(10_000)]
}

async function measureStreaming(history: number): Promise<Figure> {
  const { persistence, stream } = await openConversation(history)
  const contestant: Contestant = {
    name: 'ours',
    units: CHUNKS,
    prepare: () => async () => {
      for (let count = 1; count <= CHUNKS; count++) {
        stream(count)
        if (count % CHUNKS_PER_WRITE === 0) await persistence.save()
      }
    },
  }
  const costs = await race([contestant])
  await persistence.close()
  return figure({
    name: `storing a streamed chunk, history of ${history} messages`,
    value: costs.get(contestant.name) ?? Number.NaN,
    unit: 'µs/chunk',
    // The same at any length of the history: what differs below is the cache of the processor.
    budget: { of: 'value', atMost: 1 },
  })
}

/** A conversation that is kept, whose last message grows. */
async function openConversation(history: number) {
  const answer = (text: string): UIMessage => ({
    id: 'answer',
    role: 'assistant',
    parts: [{ type: 'step-start' }, { type: 'text', text, state: 'streaming' }],
  })
  let last = answer('')
  const messages = new Map(historyOf(history).map((message) => [message.id, message]))
  const state: EngineState = {
    requestState: 'processing',
    processingState: 'completing',
    messages: [...messages.values()],
    messageIds: [...messages.keys()],
    error: undefined,
    turn: undefined,
    queue: [],
    confirmations: [],
    drafts: [],
  }
  const persistence: Persistence = defineStorage(memoryStorage()).open({
    conversationId: 'bench',
    getState: () => state,
    getMessage: (id) => (id === last.id ? last : messages.get(id)),
    now: Date.now,
    report(error) {
      throw error
    },
  })
  await persistence.restore()
  for (const id of messages.keys()) persistence.changed(id)
  await persistence.save()
  return {
    persistence,
    stream(count: number) {
      last = answer('word '.repeat(count % CHUNKS_PER_WRITE))
      persistence.changed(last.id)
    },
  }
}

async function measureRestoring(history: number): Promise<Figure> {
  const disk = await diskOf(history)
  const storage = defineStorage(disk)
  const contestant: Contestant = {
    name: 'ours',
    units: 1,
    prepare: () => async () => {
      const engine = createMessageEngine({ id: 'bench', storage, transport: scriptedTransport([]) })
      await engine.ready
      const { length } = engine.getState().messages
      engine.dispose()
      if (length !== history) throw new Error(`${length} of ${history} messages were restored.`)
    },
  }
  const costs = await race([contestant], { warmups: 1, repetitions: 5 })
  return figure({
    name: `restoring a conversation of ${history} messages`,
    value: (costs.get(contestant.name) ?? Number.NaN) / 1_000,
    unit: 'ms',
  })
}

async function diskOf(history: number): Promise<MemoryStorage> {
  const disk = memoryStorage()
  const engine = createMessageEngine({
    id: 'bench',
    storage: defineStorage(disk),
    messages: historyOf(history),
    transport: scriptedTransport([]),
  })
  await engine.ready
  engine.dispose()
  for (;;) {
    const [records] = [...disk.snapshot().values()]
    if (records && records.size >= history) return disk
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
