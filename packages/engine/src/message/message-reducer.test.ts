import type { UIMessage, UIMessageChunk } from 'ai'
import { describe, expect, it } from 'vitest'
import { createMessageReducer, type MessageReducerOptions } from './message-reducer.ts'

const EMPTY: UIMessage = { id: 'm', role: 'assistant', parts: [] }
const STEP: UIMessageChunk = { type: 'start-step' }

function read(
  initial: UIMessage,
  options: MessageReducerOptions,
  ...chunks: UIMessageChunk[]
): ReturnType<typeof createMessageReducer> {
  const reducer = createMessageReducer(initial, options)
  for (const chunk of chunks) reducer.apply(chunk)
  return reducer
}

describe('the snapshots of a reducer', () => {
  it('are the initial message until something changes', () => {
    const reducer = createMessageReducer(EMPTY)
    expect(reducer.snapshot()).toBe(EMPTY)
    reducer.apply({ type: 'finish-step' })
    reducer.apply({ type: 'message-metadata', messageMetadata: undefined })
    expect(reducer.snapshot()).toBe(EMPTY)
  })

  it('are the same object as long as nothing changes', () => {
    const reducer = read(EMPTY, {}, { type: 'text-start', id: '1' })
    const before = reducer.snapshot()
    expect(reducer.snapshot()).toBe(before)
    reducer.apply({ type: 'text-delta', id: '1', delta: 'a' })
    expect(reducer.snapshot()).not.toBe(before)
  })

  it('share the parts that did not change', () => {
    const call = { toolCallId: 'a', toolName: 'x' }
    const reducer = read(
      EMPTY,
      {},
      { type: 'text-start', id: '1' },
      { type: 'tool-input-start', ...call },
      { type: 'data-a', id: '1', data: 1 },
    )
    const before = reducer.snapshot()
    reducer.apply({ type: 'tool-input-delta', toolCallId: 'a', inputTextDelta: '[1' })
    const after = reducer.snapshot()
    expect(after.parts[0]).toBe(before.parts[0])
    expect(after.parts[1]).not.toBe(before.parts[1])
    expect(after.parts[2]).toBe(before.parts[2])
    expect(after.parts).not.toBe(before.parts)
  })

  it('never change, whatever comes later', () => {
    const chunks: UIMessageChunk[] = [
      { type: 'start', messageMetadata: { usage: { input: 1 } } },
      STEP,
      { type: 'text-start', id: '1' },
      { type: 'text-delta', id: '1', delta: 'a' },
      { type: 'text-delta', id: '1', delta: 'b' },
      { type: 'text-end', id: '1' },
      { type: 'tool-input-start', toolCallId: 'a', toolName: 'x' },
      { type: 'tool-input-delta', toolCallId: 'a', inputTextDelta: '{"a":[1' },
      { type: 'tool-input-delta', toolCallId: 'a', inputTextDelta: ',2]}' },
      { type: 'tool-input-available', toolCallId: 'a', toolName: 'x', input: { a: [1, 2] } },
      { type: 'tool-approval-request', approvalId: 'p', toolCallId: 'a' },
      { type: 'tool-approval-response', approvalId: 'p', approved: true },
      { type: 'tool-output-available', toolCallId: 'a', output: 1, preliminary: true },
      { type: 'tool-output-available', toolCallId: 'a', output: 2 },
      { type: 'finish', messageMetadata: { usage: { output: 2 } } },
      { type: 'reset-step' },
      { type: 'start', messageId: 'n' },
    ]
    const reducer = createMessageReducer(EMPTY)
    const taken = chunks.map((chunk) => {
      reducer.apply(chunk)
      const snapshot = reducer.snapshot()
      return { snapshot, copy: structuredClone(snapshot) }
    })
    expect(taken.map(({ snapshot }) => snapshot)).toEqual(taken.map(({ copy }) => copy))
    expect(EMPTY.parts).toEqual([])
  })
})

describe('a start', () => {
  it('names the message, and begins another one when the id is another', () => {
    const message = read(EMPTY, {}, STEP, { type: 'start', messageId: 'n' }, STEP).snapshot()
    expect(message).toEqual({ id: 'n', role: 'assistant', parts: [{ type: 'step-start' }] })
  })

  it('keeps the parts when the id is the same or missing', () => {
    const reducer = read(EMPTY, {}, STEP, { type: 'start' }, { type: 'start', messageId: 'm' })
    expect(reducer.snapshot().parts).toHaveLength(1)
  })

  it('leaves id and parts alone with keepId, and merges its metadata', () => {
    const initial: UIMessage = { ...EMPTY, metadata: { a: 1 }, parts: [{ type: 'step-start' }] }
    const start: UIMessageChunk = { type: 'start', messageId: 'n', messageMetadata: { b: 2 } }
    expect(read(initial, { keepId: true }, start).snapshot()).toEqual({
      ...initial,
      metadata: { a: 1, b: 2 },
    })
  })

  it('empties the message once when the stream is a replay', () => {
    const initial: UIMessage = {
      ...EMPTY,
      metadata: { a: 1 },
      parts: [
        {
          type: 'tool-x',
          toolCallId: 'a',
          state: 'approval-requested',
          input: {},
          approval: { id: 'p' },
        },
      ],
    }
    const reducer = read(
      initial,
      { replay: true, keepId: true },
      { type: 'start', messageId: 'n' },
      STEP,
      { type: 'start' },
      STEP,
    )
    expect(reducer.snapshot()).toEqual({
      id: 'm',
      role: 'assistant',
      parts: [{ type: 'step-start' }, { type: 'step-start' }],
    })
    expect(() =>
      reducer.apply({ type: 'tool-approval-response', approvalId: 'p', approved: true }),
    ).toThrow(expect.objectContaining({ code: 'stream_invalid' }))
  })

  it('forgets what was open when it empties the message', () => {
    const reducer = read(
      EMPTY,
      { replay: true },
      { type: 'text-start', id: '1' },
      { type: 'tool-input-start', toolCallId: 'a', toolName: 'x' },
      { type: 'tool-input-delta', toolCallId: 'a', inputTextDelta: '{' },
      { type: 'start' },
    )
    expect(reducer.snapshot()).toEqual(EMPTY)
    expect(() => reducer.apply({ type: 'text-delta', id: '1', delta: 'a' })).toThrow(
      expect.objectContaining({ code: 'stream_invalid' }),
    )
    expect(() =>
      reducer.apply({ type: 'tool-input-delta', toolCallId: 'a', inputTextDelta: '1' }),
    ).toThrow(expect.objectContaining({ code: 'stream_invalid' }))
  })
})

describe('the finish reason', () => {
  it('is that of the last finish that gave one, and is forgotten with the message', () => {
    const reducer = createMessageReducer(EMPTY)
    expect(reducer.finishReason).toBeUndefined()
    reducer.apply({ type: 'finish', finishReason: 'tool-calls' })
    reducer.apply({ type: 'finish' })
    expect(reducer.finishReason).toBe('tool-calls')
    reducer.apply({ type: 'start' })
    expect(reducer.finishReason).toBe('tool-calls')
    reducer.apply({ type: 'start', messageId: 'n' })
    expect(reducer.finishReason).toBeUndefined()
  })
})

describe('a step that is reset', () => {
  it('takes its parts with it, and an id that it used names the call before again', () => {
    const call = { type: 'tool-input-available', toolCallId: 'a', toolName: 'x' } as const
    const reducer = read(
      EMPTY,
      {},
      STEP,
      { ...call, input: 1 },
      { type: 'tool-approval-request', approvalId: 'p', toolCallId: 'a' },
      { type: 'data-a', id: '1', data: 1 },
      STEP,
      { ...call, input: 2 },
      { type: 'tool-approval-request', approvalId: 'p', toolCallId: 'a' },
      { type: 'data-a', id: '2', data: 2 },
      { type: 'reset-step' },
      { type: 'tool-approval-response', approvalId: 'p', approved: true },
      { type: 'data-a', id: '2', data: 3 },
    )
    expect(reducer.snapshot().parts).toEqual([
      { type: 'step-start' },
      {
        type: 'tool-x',
        toolCallId: 'a',
        state: 'approval-responded',
        input: 1,
        approval: { id: 'p', approved: true },
      },
      { type: 'data-a', id: '1', data: 1 },
      { type: 'step-start' },
      { type: 'data-a', id: '2', data: 3 },
    ])
  })
})

describe('a restored message', () => {
  it('streams the inputs of its last step on, and of no other', () => {
    const input = { state: 'input-streaming', input: undefined, rawInput: '{"a":' } as const
    const initial: UIMessage = {
      ...EMPTY,
      parts: [
        { type: 'tool-x', toolCallId: 'a', ...input },
        { type: 'step-start' },
        { type: 'dynamic-tool', toolName: 'y', toolCallId: 'b', ...input },
      ],
    }
    const reducer = createMessageReducer(initial)
    const delta = { type: 'tool-input-delta', inputTextDelta: '1' } as const
    reducer.apply({ ...delta, toolCallId: 'b' })
    expect(reducer.snapshot().parts[2]).toEqual({
      type: 'dynamic-tool',
      toolName: 'y',
      toolCallId: 'b',
      state: 'input-streaming',
      input: { a: 1 },
      rawInput: '{"a":1',
    })
    expect(() => reducer.apply({ ...delta, toolCallId: 'a' })).toThrow(
      expect.objectContaining({ code: 'stream_invalid' }),
    )
  })
})

describe('chunks that are not for the message', () => {
  it.for([
    { type: 'error', errorText: 'no' },
    { type: 'abort', reason: 'stopped' },
    { type: 'finish-step' },
    { type: 'made-up-tomorrow', toolCallId: 'a' },
    { type: '__proto__' },
  ])('change nothing: $type', (chunk) => {
    const reducer = createMessageReducer(EMPTY)
    // A type that is not in the AI SDK's union comes from a newer server.
    reducer.apply(JSON.parse(JSON.stringify(chunk)))
    expect(reducer.snapshot()).toBe(EMPTY)
  })
})
