import type { UIMessageChunk } from 'ai'
import { describe, expect, it } from 'vitest'
import { createMessageReducer, type MessageReducer } from './message-reducer.ts'

function read(...chunks: UIMessageChunk[]): MessageReducer {
  const reducer = createMessageReducer({ id: 'm', role: 'assistant', parts: [] })
  for (const chunk of chunks) reducer.apply(chunk)
  return reducer
}

function partsOf(...chunks: UIMessageChunk[]): unknown {
  return read(...chunks).snapshot().parts
}

const START: UIMessageChunk = { type: 'tool-input-start', toolCallId: 'a', toolName: 'write' }

function delta(inputTextDelta: string, toolCallId = 'a'): UIMessageChunk {
  return { type: 'tool-input-delta', toolCallId, inputTextDelta }
}

function available(input: unknown, toolName = 'write'): UIMessageChunk {
  return { type: 'tool-input-available', toolCallId: 'a', toolName, input }
}

describe('the input of a call', () => {
  it('is shown as far as it has come, with its text', () => {
    expect(partsOf(START, delta('{"path":"/et'), delta('c","lines":[1,2'))).toEqual([
      {
        type: 'tool-write',
        toolCallId: 'a',
        state: 'input-streaming',
        input: { path: '/etc', lines: [1, 2] },
        rawInput: '{"path":"/etc","lines":[1,2',
      },
    ])
  })

  it('stays as it was in the messages that were handed out', () => {
    const reducer = read(START, delta('{"list":[1'))
    const before = reducer.snapshot()
    const copy = structuredClone(before)
    reducer.apply(delta(',2],"more":{"a":'))
    reducer.snapshot()
    reducer.apply(delta('1'))
    expect(reducer.snapshot().parts[0]).toMatchObject({ input: { list: [1, 2], more: { a: 1 } } })
    expect(before).toEqual(copy)
  })

  it('is its text where it is no JSON', () => {
    expect(partsOf({ ...START, inputEncoding: 'text' }, delta('select '), delta('"1'))).toEqual([
      {
        type: 'tool-write',
        toolCallId: 'a',
        state: 'input-streaming',
        inputEncoding: 'text',
        input: 'select "1',
        rawInput: 'select "1',
      },
    ])
  })

  it('takes the place of what streamed once it is complete, under the repaired name', () => {
    expect(partsOf(START, delta('{"path'), available({ path: '/' }, 'write_file'))).toEqual([
      {
        type: 'tool-write_file',
        toolCallId: 'a',
        state: 'input-available',
        input: { path: '/' },
      },
    ])
  })

  it('begins again when it starts again while it streams', () => {
    expect(partsOf(START, delta('{"a":1'), START, delta('{"b":2'))).toMatchObject([
      { input: { b: 2 }, rawInput: '{"b":2' },
    ])
  })

  it('comes without deltas, of a dynamic tool', () => {
    expect(
      partsOf({
        type: 'tool-input-available',
        toolCallId: 'a',
        toolName: 'search',
        dynamic: true,
        input: 1,
        title: 'Search',
        providerExecuted: true,
        providerMetadata: { v: { n: 1 } },
        toolMetadata: { server: 's' },
      }),
    ).toEqual([
      {
        type: 'dynamic-tool',
        toolName: 'search',
        toolCallId: 'a',
        state: 'input-available',
        input: 1,
        title: 'Search',
        providerExecuted: true,
        callProviderMetadata: { v: { n: 1 } },
        toolMetadata: { server: 's' },
      },
    ])
  })

  it('is rejected with the reason, and the call stays static', () => {
    expect(
      partsOf(START, delta('{"path'), {
        type: 'tool-input-error',
        toolCallId: 'a',
        toolName: 'write',
        dynamic: true,
        input: '{"path',
        errorText: 'no JSON',
        providerMetadata: { v: { n: 1 } },
      }),
    ).toEqual([
      {
        type: 'tool-write',
        toolCallId: 'a',
        state: 'output-error',
        input: '{"path',
        errorText: 'no JSON',
        resultProviderMetadata: { v: { n: 1 } },
      },
    ])
  })

  it('may come again as it is in another response', () => {
    const before = read(available({ a: 1, b: [2] })).snapshot()
    const reducer = createMessageReducer(before)
    reducer.apply(available({ b: [2], a: 1 }))
    expect(reducer.snapshot().parts).toEqual(before.parts)
  })

  it('belongs to another call when the id comes again in another step', () => {
    const STEP: UIMessageChunk = { type: 'start-step' }
    expect(partsOf(STEP, available(1), STEP, START, delta('2'), available(2))).toMatchObject([
      { type: 'step-start' },
      { input: 1 },
      { type: 'step-start' },
      { input: 2, state: 'input-available' },
    ])
  })

  it.for<[string, UIMessageChunk[]]>([
    ['a delta without a start', [delta('1')]],
    ['a delta after the end', [START, available(1), delta('1')]],
    [
      'a delta after a result',
      [START, { type: 'tool-output-denied', toolCallId: 'a' }, delta('1')],
    ],
    ['a delta after the step was reset', [START, { type: 'reset-step' }, delta('1')]],
    ['a second call of the same id and input', [available(1), available(1)]],
    ['a second call that streams', [START, delta('1'), available(1), START]],
    ['another input for the same call', [available(1), available(2)]],
    ['another tool for the same call', [available(1), available(1, 'wipe')]],
    ['a start for a call that is complete', [available(1), START]],
  ])('is refused: %s', ([, chunks]) => {
    const reducer = read(...chunks.slice(0, -1))
    const before = reducer.snapshot()
    expect(() => reducer.apply(chunks.at(-1)!)).toThrow(
      expect.objectContaining({
        code: 'stream_invalid',
        details: expect.objectContaining({ id: 'a' }),
      }),
    )
    expect(reducer.snapshot()).toBe(before)
  })
})
