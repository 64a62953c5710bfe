import type { UIMessage, UIMessageChunk } from 'ai'
import { array, assert, asyncProperty, nat, noBias } from 'fast-check'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { randomStream } from '../../test/differential/random-stream.ts'
import { Tape } from '../../test/differential/tape.ts'
import { callsAndResults, promptOf } from '../../test/model-prompt.ts'
import {
  closeOpenParts,
  closeOpenText,
  type CallFate,
  type CloseOptions,
} from './close-open-parts.ts'
import { createMessageReducer } from './message-reducer.ts'
import { isSettled, isToolCallPart, type ToolCallPart } from './tool-part.ts'

const RUNS = process.env['ASSENT_DEEP'] === '1' ? 2000 : 60
const OPTIONS: CloseOptions = { text: 'Stopped.', ended: 'cancelled', now: 42 }
const ENDED = { ended: 'cancelled', endedAt: 42 }
const CALL = { type: 'tool-send', toolCallId: 'a', input: { to: 'x' } } as const

function message(...parts: UIMessage['parts']): UIMessage {
  return { id: 'm', role: 'assistant', parts }
}

function closed(part: ToolCallPart, options = OPTIONS): unknown {
  return closeOpenParts(message(part), options).parts[0]
}

describe('closing what is open', () => {
  it('ends texts and reasoning', () => {
    const parts: UIMessage['parts'] = [
      { type: 'text', text: 'a', state: 'streaming' },
      { type: 'reasoning', id: '1', text: 'b', state: 'streaming' },
    ]
    const done = [
      { type: 'text', text: 'a', state: 'done' },
      { type: 'reasoning', id: '1', text: 'b', state: 'done' },
    ]
    expect(closeOpenParts(message(...parts), OPTIONS).parts).toEqual(done)
    expect(closeOpenText(message(...parts)).parts).toEqual(done)
  })

  it.for<[string, ToolCallPart, { mayHaveRun?: true }?]>([
    [
      'whose input streams',
      { ...CALL, state: 'input-streaming', rawInput: '{"to":"x', inputEncoding: 'json' },
    ],
    ['whose input is there', { ...CALL, state: 'input-available' }, { mayHaveRun: true }],
    ['that waits for a person', { ...CALL, state: 'approval-requested', approval: { id: 'p' } }],
    [
      'that shows a preliminary output',
      { ...CALL, state: 'output-available', output: 1, preliminary: true },
      { mayHaveRun: true },
    ],
    [
      'that the provider runs',
      { ...CALL, state: 'input-available', providerExecuted: true },
      { mayHaveRun: true },
    ],
  ])('gives a call a result, and says whether it may have run: %s', ([, part, known = {}]) => {
    expect(closed(part)).toEqual({
      ...CALL,
      state: 'output-error',
      errorText: 'Stopped.',
      toolMetadata: { assent: { ...ENDED, ...known } },
      ...(part.providerExecuted ? { providerExecuted: true } : {}),
    })
  })

  it('keeps the yes of a call that was approved, and all that was known of it', () => {
    const part: ToolCallPart = {
      ...CALL,
      state: 'approval-responded',
      title: 'Send',
      callProviderMetadata: { v: { n: 1 } },
      approval: { id: 'p', approved: true, reason: 'fine', signature: 's' },
      toolMetadata: { server: 's', assent: { decidedAt: 7, decidedBy: 'person' } },
    }
    expect(closed(part)).toEqual({
      ...part,
      state: 'output-error',
      errorText: 'Stopped.',
      toolMetadata: {
        server: 's',
        assent: { decidedAt: 7, decidedBy: 'person', ...ENDED, mayHaveRun: true },
      },
    })
  })

  it('gives a call without input an empty one, since providers want one', () => {
    const part: ToolCallPart = { type: 'tool-send', toolCallId: 'a', state: 'input-streaming' }
    expect(closed(part)).toMatchObject({ state: 'output-error', input: {} })
  })

  it('makes a denial the result of a call that was denied', () => {
    const approval = { id: 'p', approved: false, reason: 'no' } as const
    expect(closed({ ...CALL, state: 'approval-responded', approval })).toEqual({
      ...CALL,
      state: 'output-denied',
      approval,
      toolMetadata: { assent: { endedAt: 42 } },
    })
  })

  it('can say something else for each call', () => {
    const text = (fate: CallFate, part: ToolCallPart) => `${part.toolCallId} was ${fate}.`
    const part: ToolCallPart = { ...CALL, state: 'input-available' }
    expect(closed(part, { ...OPTIONS, text })).toMatchObject({ errorText: 'a was unknown.' })
    const isRunHere = (toolName: string) => toolName === 'send'
    expect(closed(part, { ...OPTIONS, text, isRunHere })).toMatchObject({
      errorText: 'a was unstarted.',
      toolMetadata: { assent: ENDED },
    })
  })

  const answered: ToolCallPart = {
    ...CALL,
    state: 'approval-responded',
    providerExecuted: true,
    approval: { id: 'p', approved: true },
  }

  it.for<[string, UIMessage['parts']]>([
    ['nothing', []],
    [
      'texts that are done',
      [
        { type: 'text', text: 'a', state: 'done' },
        { type: 'text', text: 'b' },
      ],
    ],
    ['a call with an output', [{ ...CALL, state: 'output-available', output: 1 }]],
    ['a call with an error', [{ ...CALL, state: 'output-error', errorText: 'no' }]],
    [
      'a denied call',
      [{ ...CALL, state: 'output-denied', approval: { id: 'p', approved: false } }],
    ],
    ['a provider call that was answered, which comes back under another id', [answered]],
  ])('leaves the very same message with %s', ([, parts]) => {
    const before = message(...parts)
    expect(closeOpenParts(before, OPTIONS)).toBe(before)
    expect(closeOpenText(before)).toBe(before)
  })

  it('leaves the calls that are to be kept', () => {
    const parts: UIMessage['parts'] = [
      { ...CALL, state: 'input-available' },
      { ...CALL, toolCallId: 'b', state: 'input-available' },
    ]
    const kept = closeOpenParts(message(...parts), {
      ...OPTIONS,
      keep: ({ toolCallId }) => toolCallId === 'a',
    })
    expect(kept.parts[0]).toBe(parts[0])
    expect(kept.parts[1]).toMatchObject({ state: 'output-error' })
  })

  it('leaves calls alone where only text is closed', () => {
    const before = message({ ...CALL, state: 'input-available' })
    expect(closeOpenText(before)).toBe(before)
  })
})

const QUESTION: UIMessage = { id: 'u', role: 'user', parts: [{ type: 'text', text: 'And now?' }] }

/** Where a random stream is cut, the message is as open as it can be. */
function cutMessage(chunks: readonly UIMessageChunk[]): UIMessage {
  const reducer = createMessageReducer(message())
  for (const chunk of chunks) reducer.apply(chunk)
  return reducer.snapshot()
}

describe('a closed message followed by another of the user', () => {
  // Random calls may fail while their input streams; the AI SDK warns about the rest of their text.
  beforeAll(() => void vi.stubGlobal('AI_SDK_LOG_WARNINGS', false))

  it(`is a history that a model accepts, after ${RUNS} random streams were cut`, async () => {
    let callCount = 0
    const tapes = noBias(
      array(nat({ max: 0xffff }), { minLength: 40, maxLength: 160, size: 'max' }),
    )
    const property = asyncProperty(tapes, async (tape) => {
      const [chunks = []] = randomStream(new Tape(tape), 'm')
      const open = cutMessage(chunks)
      const closed = closeOpenParts(open, OPTIONS)
      const { prompt, errors } = await promptOf([QUESTION, closed, { ...QUESTION, id: 'v' }])
      expect(errors).toEqual([])
      const { calls, results } = callsAndResults(prompt ?? [])
      expect(results).toEqual(calls)
      const local = closed.parts.filter(isToolCallPart).filter((part) => !part.providerExecuted)
      expect(local.every(isSettled)).toBe(true)
      expect(calls).toEqual(local.map(({ toolCallId }) => toolCallId))
      callCount += calls.length
    })
    await assert(property, { numRuns: RUNS })
    expect(callCount).toBeGreaterThan(RUNS)
  }, 120_000)

  it('is one that a model would not accept had it not been closed', async () => {
    const open = message({ type: 'step-start' }, { ...CALL, state: 'input-available' })
    const { prompt, errors } = await promptOf([QUESTION, open, { ...QUESTION, id: 'v' }])
    expect(prompt).toBeUndefined()
    expect(errors).toEqual([expect.objectContaining({ name: 'AI_MissingToolResultsError' })])
  })
})
