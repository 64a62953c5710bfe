import { parseJsonEventStream, uiMessageChunkSchema, type UIMessageChunk } from 'ai'
import { readChunks } from '../packages/engine/src/transport/sse.ts'
import { figure, type Figure } from './figures.ts'
import { race, type Contestant } from './measure.ts'
import { drain, interleavedAnswer, longAnswer, mixedAnswer, streamOf } from './sample-streams.ts'

const UNIT = 'µs/chunk'
/** What a fast server sends at once. */
const BLOCK_BYTES = 16 * 1_024
const TIMES_JSON_PARSE = 1.3

interface Sample {
  readonly name: string
  readonly chunks: readonly UIMessageChunk[]
  readonly blocks: readonly Uint8Array[]
  readonly hasBudget: boolean
}

/** Bytes of a response to its chunks, beside `JSON.parse` of the same events and the AI SDK. */
export async function measureSse(): Promise<Figure[]> {
  const text = longAnswer(100_000)
  const mixed = mixedAnswer(400)
  const interleaved = interleavedAnswer(100_000)
  const samples: Sample[] = [
    { name: 'one text', chunks: text, blocks: inBlocks(text), hasBudget: true },
    { name: 'steps with tools', chunks: mixed, blocks: inBlocks(mixed), hasBudget: true },
    {
      name: 'two texts in turn',
      chunks: interleaved,
      blocks: inBlocks(interleaved),
      hasBudget: true,
    },
    { name: 'one text, an event per read', chunks: text, blocks: inEvents(text), hasBudget: false },
  ]
  const figures: Figure[] = []
  for (const sample of samples) figures.push(...(await compare(sample)))
  return figures
}

async function compare({ name, chunks, blocks, hasBudget }: Sample): Promise<Figure[]> {
  const events = chunks.map((chunk) => JSON.stringify(chunk))
  const expectAll = (count: number): void => {
    if (count !== chunks.length) throw new Error(`Read ${count} of ${chunks.length} chunks.`)
  }
  const units = chunks.length
  const ours: Contestant = {
    name: 'ours',
    units,
    prepare() {
      const body = streamOf(blocks)
      return async () => expectAll(await drain(readChunks(body)))
    },
  }
  const plain: Contestant = {
    name: 'JSON.parse',
    units,
    prepare: () => () => {
      const parsed: unknown[] = []
      for (const event of events) parsed.push(JSON.parse(event))
      expectAll(parsed.length)
    },
  }
  const peer: Contestant = {
    name: 'AI SDK',
    units,
    prepare() {
      const stream = streamOf(blocks)
      return async () => {
        expectAll(await drain(parseJsonEventStream({ stream, schema: uiMessageChunkSchema })))
      }
    },
  }
  const costs = await race([ours, plain, peer])
  const cost = ({ name }: Contestant): number => costs.get(name) ?? Number.NaN
  return [
    figure({
      name: `SSE bytes to chunks, ${name}`,
      value: cost(ours),
      unit: UNIT,
      peer: { name: 'JSON.parse of the same events', value: cost(plain) },
      ...(hasBudget ? { budget: { of: 'share', atMost: TIMES_JSON_PARSE } } : {}),
    }),
    figure({
      name: `SSE bytes to chunks, ${name}`,
      value: cost(ours),
      unit: UNIT,
      peer: { name: 'AI SDK parseJsonEventStream', value: cost(peer) },
    }),
  ]
}

function inEvents(chunks: readonly UIMessageChunk[]): Uint8Array[] {
  const encoder = new TextEncoder()
  return [...chunks.map((chunk) => JSON.stringify(chunk)), '[DONE]'].map((event) =>
    encoder.encode(`data: ${event}\n\n`),
  )
}

function inBlocks(chunks: readonly UIMessageChunk[]): Uint8Array[] {
  const bytes = Buffer.concat(inEvents(chunks))
  const blocks: Uint8Array[] = []
  for (let start = 0; start < bytes.length; start += BLOCK_BYTES) {
    blocks.push(new Uint8Array(bytes.subarray(start, start + BLOCK_BYTES)))
  }
  return blocks
}
