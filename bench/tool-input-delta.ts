import { readUIMessageStream, type UIMessage, type UIMessageChunk } from 'ai'
import { createMessageReducer } from '../packages/engine/src/message/message-reducer.ts'
import { figure, flatness, type Figure } from './figures.ts'
import { race, type Contestant } from './measure.ts'
import { proseDeltas, streamOf } from './sample-streams.ts'
import { expectSameMessage } from './same-message.ts'

const UNIT = 'µs/delta'
const BUDGET = { of: 'value', atMost: 3 } as const
const KILOBYTES = [2.5, 10, 40]
const DELTA_LENGTH = 16
/** Deltas per measured run; shorter arguments are run more than once. */
const DELTAS_PER_RUN = 40_000

const OPENING: readonly UIMessageChunk[] = [
  { type: 'tool-input-start', toolCallId: 'call', toolName: 'write_file' },
]

/** Arguments of about that many bytes, by what they look like. */
const SHAPES: Readonly<Record<string, (bytes: number) => unknown>> = {
  'one long text': (bytes) => ({ path: 'notes/plan.md', content: prose(bytes) }),
  'a list of edits': (bytes) => ({
    path: 'notes/plan.md',
    edits: Array.from({ length: Math.ceil(bytes / 160) }, (_, line) => ({
      line,
      isForced: line % 2 === 0,
      before: prose(50),
      after: prose(50),
    })),
  }),
}

/** A delta of a tool's arguments through the reducer, beside the AI SDK's reader. */
export async function measureToolInputDelta(): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const [shape, make] of Object.entries(SHAPES)) {
    const ofShape: Figure[] = []
    for (const kilobytes of KILOBYTES) {
      const text = JSON.stringify(make(kilobytes * 1_024))
      ofShape.push(...(await compare(`${kilobytes} KB, ${shape}`, inDeltas(text))))
    }
    const bare = ofShape.filter(({ budget }) => budget !== null)
    figures.push(...ofShape, flatness(`tool-input delta, flat in the size of ${shape}`, bare))
  }
  return figures
}

async function compare(name: string, deltas: readonly UIMessageChunk[]): Promise<Figure[]> {
  await expectSameMessage(emptyMessage(), [...OPENING, ...deltas])
  const ours = reducing('ours', deltas, (reducer, chunk) => reducer.apply(chunk))
  const oursWithSnapshots = reducing('ours, snapshot per delta', deltas, (reducer, chunk) => {
    reducer.apply(chunk)
    reducer.snapshot()
  })
  const peer: Contestant = {
    name: 'AI SDK',
    units: deltas.length,
    prepare() {
      const stream = streamOf([...OPENING, ...deltas])
      return async () => {
        for await (const _ of readUIMessageStream({ message: emptyMessage(), stream }));
      }
    },
  }
  const costs = await race([ours, oursWithSnapshots, peer])
  const cost = (contestant: Contestant): number => costs.get(contestant.name) ?? Number.NaN
  const beside = { name: 'AI SDK readUIMessageStream', value: cost(peer) }
  return [
    figure({
      name: `tool-input delta, ${name}`,
      value: cost(ours),
      unit: UNIT,
      peer: beside,
      budget: BUDGET,
    }),
    figure({
      name: `tool-input delta, ${name}, with a snapshot after each`,
      value: cost(oursWithSnapshots),
      unit: UNIT,
      peer: beside,
    }),
  ]
}

type Reducer = ReturnType<typeof createMessageReducer>

function reducing(
  name: string,
  deltas: readonly UIMessageChunk[],
  take: (reducer: Reducer, chunk: UIMessageChunk) => void,
): Contestant {
  const calls = Math.max(1, Math.floor(DELTAS_PER_RUN / deltas.length))
  return {
    name,
    units: calls * deltas.length,
    prepare() {
      const reducers = Array.from({ length: calls }, openReducer)
      return () => {
        for (const reducer of reducers) for (const chunk of deltas) take(reducer, chunk)
      }
    },
  }
}

function openReducer(): Reducer {
  const reducer = createMessageReducer(emptyMessage())
  for (const chunk of OPENING) reducer.apply(chunk)
  return reducer
}

function inDeltas(text: string): UIMessageChunk[] {
  const deltas: UIMessageChunk[] = []
  for (let start = 0; start < text.length; start += DELTA_LENGTH) {
    const inputTextDelta = text.slice(start, start + DELTA_LENGTH)
    deltas.push({ type: 'tool-input-delta', toolCallId: 'call', inputTextDelta })
  }
  return deltas
}

function prose(length: number): string {
  return proseDeltas(Math.ceil(length / 4))
    .join('')
    .slice(0, length)
}

function emptyMessage(): UIMessage {
  return { id: 'answer', role: 'assistant', parts: [] }
}
