import { readUIMessageStream, type UIMessage, type UIMessageChunk } from 'ai'
import { createMessageReducer } from '../packages/engine/src/message/message-reducer.ts'
import { createStore } from '../packages/engine/src/store.ts'
import { figure, flatness, type Figure } from './figures.ts'
import { race, type Contestant } from './measure.ts'
import { historyOf, partsOf, proseDeltas, streamOf } from './sample-streams.ts'
import { expectSameMessage } from './same-message.ts'

const UNIT = 'µs/delta'
const BUDGET = { of: 'value', atMost: 1 } as const
/** Deltas per measured run; shorter streams are run more than once. */
const DELTAS_PER_RUN = 200_000
const OPENING: readonly UIMessageChunk[] = [{ type: 'text-start', id: 't' }]

/** A text delta through the reducer, beside the AI SDK's reader of the same chunks. */
export async function measureTextDelta(): Promise<Figure[]> {
  const byLength: Figure[] = []
  for (const length of [1_000, 5_000, 20_000]) {
    byLength.push(...(await compareReaders(`${length} deltas`, emptyMessage(), length)))
  }
  const byParts: Figure[] = []
  for (const parts of [10, 500]) {
    const message = { ...emptyMessage(), parts: partsOf(parts) }
    byParts.push(...(await compareReaders(`message of ${parts} parts`, message, 1_000)))
  }
  const byHistory: Figure[] = []
  for (const length of [0, 500, 2_000]) byHistory.push(await measureStore(length))
  return [
    ...byLength,
    flatness('text delta, flat in the length of the stream', bare(byLength)),
    ...byParts,
    flatness('text delta, flat in the parts of the message', bare(byParts)),
    ...byHistory,
    flatness('text delta, flat in the history', byHistory),
  ]
}

/** The figures without a snapshot per delta. */
function bare(figures: readonly Figure[]): Figure[] {
  return figures.filter(({ budget }) => budget !== null)
}

async function compareReaders(name: string, message: UIMessage, length: number): Promise<Figure[]> {
  const deltas = textDeltas(length)
  await expectSameMessage(message, [...OPENING, ...deltas])
  const ours = reducing('ours', message, deltas, (reducer, chunk) => reducer.apply(chunk))
  const oursWithSnapshots = reducing(
    'ours, snapshot per delta',
    message,
    deltas,
    (reducer, chunk) => {
      reducer.apply(chunk)
      reducer.snapshot()
    },
  )
  const peer: Contestant = {
    name: 'AI SDK',
    units: length,
    prepare() {
      const stream = streamOf([...OPENING, ...deltas])
      return async () => {
        for await (const _ of readUIMessageStream({ message: structuredClone(message), stream }));
      }
    },
  }
  const costs = await race([ours, oursWithSnapshots, peer])
  const cost = (contestant: Contestant): number => costs.get(contestant.name) ?? Number.NaN
  const beside = { name: 'AI SDK readUIMessageStream', value: cost(peer) }
  return [
    figure({
      name: `text delta, ${name}`,
      value: cost(ours),
      unit: UNIT,
      peer: beside,
      budget: BUDGET,
    }),
    figure({
      name: `text delta, ${name}, with a snapshot after each`,
      value: cost(oursWithSnapshots),
      unit: UNIT,
      peer: beside,
    }),
  ]
}

type Reducer = ReturnType<typeof createMessageReducer>

function reducing(
  name: string,
  message: UIMessage,
  deltas: readonly UIMessageChunk[],
  take: (reducer: Reducer, chunk: UIMessageChunk) => void,
): Contestant {
  const streams = Math.max(1, Math.floor(DELTAS_PER_RUN / deltas.length))
  return {
    name,
    units: streams * deltas.length,
    prepare() {
      const reducers = Array.from({ length: streams }, () => openReducer(message))
      return () => {
        for (const reducer of reducers) for (const chunk of deltas) take(reducer, chunk)
      }
    },
  }
}

/** The whole way of a chunk inside the engine: reducer, marking what changed, asking for a frame. */
async function measureStore(history: number): Promise<Figure> {
  const deltas = textDeltas(DELTAS_PER_RUN)
  const contestant: Contestant = {
    name: 'ours',
    units: deltas.length,
    prepare() {
      const store = createStore({
        messages: [...historyOf(history), emptyMessage()],
        confirmations: [],
        scheduleFrame: () => () => {},
        onListenerError: (error) => {
          throw error
        },
      })
      store.attach(emptyMessage().id, openReducer(emptyMessage()))
      return () => {
        for (const chunk of deltas) store.apply(chunk)
      }
    },
  }
  const costs = await race([contestant])
  return figure({
    name: `text delta, history of ${history} messages`,
    value: costs.get(contestant.name) ?? Number.NaN,
    unit: UNIT,
    budget: BUDGET,
  })
}

function openReducer(message: UIMessage): Reducer {
  const reducer = createMessageReducer(message)
  for (const chunk of OPENING) reducer.apply(chunk)
  return reducer
}

function textDeltas(count: number): UIMessageChunk[] {
  return proseDeltas(count).map((delta) => ({ type: 'text-delta', id: 't', delta }))
}

function emptyMessage(): UIMessage {
  return { id: 'answer', role: 'assistant', parts: [] }
}
