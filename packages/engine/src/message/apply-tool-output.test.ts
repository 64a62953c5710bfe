import type { UIMessage, UIMessageChunk } from 'ai'
import { describe, expect, it } from 'vitest'
import { createMessageReducer } from './message-reducer.ts'

function partsOf(parts: UIMessage['parts'], ...chunks: UIMessageChunk[]): unknown {
  const reducer = createMessageReducer({ id: 'm', role: 'assistant', parts })
  for (const chunk of chunks) reducer.apply(chunk)
  return reducer.snapshot().parts
}

const CALL: UIMessage['parts'][number] = {
  type: 'tool-read',
  toolCallId: 'a',
  state: 'approval-responded',
  input: { path: '/' },
  title: 'Read',
  approval: { id: 'p', approved: true, signature: 's' },
  callProviderMetadata: { v: { call: 1 } },
}

describe('the result of a call', () => {
  it('leaves everything else of the call as it was', () => {
    expect(
      partsOf([CALL], {
        type: 'tool-output-available',
        toolCallId: 'a',
        output: [1],
        providerExecuted: true,
        providerMetadata: { v: { result: 1 } },
        toolMetadata: { server: 's' },
      }),
    ).toEqual([
      {
        ...CALL,
        state: 'output-available',
        output: [1],
        providerExecuted: true,
        resultProviderMetadata: { v: { result: 1 } },
        toolMetadata: { server: 's' },
      },
    ])
  })

  it('is preliminary until one comes that is not', () => {
    const output = { type: 'tool-output-available', toolCallId: 'a' } as const
    const preliminary = partsOf([CALL], { ...output, output: 1, preliminary: true })
    expect(preliminary).toEqual([
      { ...CALL, state: 'output-available', output: 1, preliminary: true },
    ])
    expect(
      partsOf([CALL], { ...output, output: 1, preliminary: true }, { ...output, output: 2 }),
    ).toEqual([{ ...CALL, state: 'output-available', output: 2 }])
  })

  it('takes the place of an earlier one, as an error or a denial', () => {
    const error: UIMessageChunk = { type: 'tool-output-error', toolCallId: 'a', errorText: 'no' }
    expect(partsOf([CALL], error)).toEqual([{ ...CALL, state: 'output-error', errorText: 'no' }])
    expect(
      partsOf([CALL], error, { type: 'tool-output-available', toolCallId: 'a', output: 1 }),
    ).toEqual([{ ...CALL, state: 'output-available', output: 1 }])
    expect(partsOf([CALL], { type: 'tool-output-denied', toolCallId: 'a' })).toEqual([
      { ...CALL, state: 'output-denied' },
    ])
  })

  it('finds the call of an earlier step, and of this step first', () => {
    const output: UIMessageChunk = { type: 'tool-output-available', toolCallId: 'a', output: 1 }
    const STEP: UIMessageChunk = { type: 'start-step' }
    expect(partsOf([CALL], STEP, output)).toMatchObject([
      { state: 'output-available' },
      { type: 'step-start' },
    ])
    const call: UIMessageChunk = {
      type: 'tool-input-available',
      toolCallId: 'a',
      toolName: 'x',
      input: 1,
    }
    expect(partsOf([CALL], STEP, call, output)).toMatchObject([
      { state: 'approval-responded' },
      { type: 'step-start' },
      { type: 'tool-x', state: 'output-available' },
    ])
  })

  it('keeps what has come of an input that was cut short', () => {
    expect(
      partsOf(
        [],
        { type: 'tool-input-start', toolCallId: 'a', toolName: 'read' },
        { type: 'tool-input-delta', toolCallId: 'a', inputTextDelta: '{"path":"/e' },
        { type: 'tool-output-error', toolCallId: 'a', errorText: 'cut' },
      ),
    ).toEqual([
      {
        type: 'tool-read',
        toolCallId: 'a',
        state: 'output-error',
        input: { path: '/e' },
        rawInput: '{"path":"/e',
        errorText: 'cut',
      },
    ])
  })

  it.for<UIMessageChunk>([
    { type: 'tool-output-available', toolCallId: 'x', output: 1 },
    { type: 'tool-output-error', toolCallId: 'constructor', errorText: 'no' },
    { type: 'tool-output-denied', toolCallId: '__proto__' },
  ])('is refused for an unknown call: $type', (chunk) => {
    expect(() => partsOf([CALL], chunk)).toThrow(
      expect.objectContaining({
        code: 'stream_invalid',
        message: expect.stringContaining('No such call. Send its tool-input-available first.'),
      }),
    )
  })
})
