import { array, assert, asyncProperty, nat, noBias, sample } from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { readWithAiSdk } from '../../test/differential/ai-sdk-reader.ts'
import { DIFFERENCES_ON_PURPOSE } from '../../test/differential/differences-on-purpose.ts'
import { Encounters } from '../../test/differential/encounters.ts'
import { FAULTS, loadFaulty } from '../../test/differential/faults.ts'
import { firstDifference } from '../../test/differential/first-difference.ts'
import { randomStream } from '../../test/differential/random-stream.ts'
import {
  EMPTY,
  findMismatch,
  record,
  recordParts,
  type Recording,
} from '../../test/differential/recording.ts'
import { STREAMS_BY_HAND } from '../../test/differential/streams-by-hand.ts'
import { Tape } from '../../test/differential/tape.ts'
import { createMessageReducer } from './message-reducer.ts'

const RUNS = process.env['ASSENT_DEEP'] === '1' ? 5000 : 100
const TAPES = noBias(array(nat({ max: 0xffff }), { minLength: 80, maxLength: 300, size: 'max' }))
const REFUSED = DIFFERENCES_ON_PURPOSE.filter(({ ours }) => ours === 'refused')
const READ_OTHERWISE = DIFFERENCES_ON_PURPOSE.filter(({ ours }) => ours !== 'refused')

describe('the reducer and the AI SDK', () => {
  it(`have the same message after every chunk of ${RUNS} random streams`, async () => {
    const encounters = new Encounters()
    let chunkCount = 0
    const property = asyncProperty(TAPES, async (tape) => {
      for (const recording of await recordParts(randomStream(new Tape(tape), EMPTY.id))) {
        expect(findMismatch(recording, createMessageReducer)).toBeUndefined()
        encounters.noteAll(recording)
        chunkCount += recording.chunks.length
      }
    })
    await assert(property, { numRuns: RUNS })
    process.stdout.write(
      `\n${RUNS} random streams, ${chunkCount} chunks. What each type of chunk met, how often:\n` +
        `${encounters}\n`,
    )
    expect(encounters.unexpected).toEqual([])
    expect(encounters.missing).toEqual([])
  }, 900_000)

  it.for(STREAMS_BY_HAND)('have the same message where $name', async ({ chunks, initial }) => {
    expect(findMismatch(await record(chunks, initial), createMessageReducer)).toBeUndefined()
  })

  it.for(REFUSED)('differ on purpose: $name', async ({ chunks, initial = EMPTY, options }) => {
    const reducer = createMessageReducer(initial, options)
    for (const chunk of chunks.slice(0, -1)) reducer.apply(chunk)
    const before = reducer.snapshot()
    expect(() => reducer.apply(chunks.at(-1)!)).toThrow(
      expect.objectContaining({ code: 'stream_invalid' }),
    )
    expect(reducer.snapshot()).toBe(before)
    expect((await readWithAiSdk(initial, chunks)).error).toBeUndefined()
  })

  it.for(READ_OTHERWISE)('differ on purpose: $name', async (difference) => {
    const { chunks, initial = EMPTY, options, ours } = difference
    const reducer = createMessageReducer(initial, options)
    for (const chunk of chunks) reducer.apply(chunk)
    const message = reducer.snapshot()
    const wrong = Object.entries(ours).map(([field, value]) =>
      firstDifference(Reflect.get(message, field), value, field),
    )
    expect(wrong.filter((found) => found !== undefined)).toEqual([])
    const theirs = await readWithAiSdk(initial, chunks)
    expect(firstDifference(message, theirs.messages.at(-1))).toBeDefined()
  })
})

describe('the comparison', () => {
  let recordings: Recording[] = []

  beforeAll(async () => {
    const tapes = sample(TAPES, { numRuns: 150, seed: 7 })
    const random = await Promise.all(
      tapes.map((tape) => recordParts(randomStream(new Tape(tape), EMPTY.id))),
    )
    const byHand = await Promise.all(
      STREAMS_BY_HAND.map(({ chunks, initial }) => record(chunks, initial)),
    )
    recordings = [...byHand, ...random.flat()]
  }, 60_000)

  it('finds nothing in the reducer as it is', () => {
    const found = recordings.map((recording) => findMismatch(recording, createMessageReducer))
    expect(found.filter((mismatch) => mismatch !== undefined)).toEqual([])
  })

  it.for(FAULTS)('notices when $name', async (fault) => {
    const createFaulty = await loadFaulty(fault)
    expect(recordings.some((recording) => findMismatch(recording, createFaulty))).toBe(true)
  })
})
