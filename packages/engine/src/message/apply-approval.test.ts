import type { UIMessage, UIMessageChunk } from 'ai'
import { describe, expect, it } from 'vitest'
import { createMessageReducer } from './message-reducer.ts'
import { toLocalApprovalId } from './tool-part.ts'

type Parts = UIMessage['parts']

const CALL = { type: 'tool-send', toolCallId: 'a', input: { to: 'x' } } as const
const READY: Parts[number] = { ...CALL, state: 'input-available' }
const REQUEST: UIMessageChunk = { type: 'tool-approval-request', approvalId: 'p', toolCallId: 'a' }

function answer(approved: boolean, approvalId = 'p'): UIMessageChunk {
  return { type: 'tool-approval-response', approvalId, approved }
}

function partsOf(parts: Parts, ...chunks: UIMessageChunk[]): unknown {
  const reducer = createMessageReducer({ id: 'm', role: 'assistant', parts })
  for (const chunk of chunks) reducer.apply(chunk)
  return reducer.snapshot().parts
}

describe('an approval', () => {
  it('is asked for with everything that the server says about it', () => {
    expect(
      partsOf([READY], {
        ...REQUEST,
        approvalDescriptor: { risk: 'send' },
        inputSchemaInput: null,
        reason: 'leaves the app',
        isAutomatic: true,
        signature: 's',
      }),
    ).toEqual([
      {
        ...CALL,
        state: 'approval-requested',
        approval: {
          id: 'p',
          descriptor: { risk: 'send' },
          inputSchemaInput: null,
          requestReason: 'leaves the app',
          isAutomatic: true,
          signature: 's',
        },
      },
    ])
  })

  it('says nothing that the server did not say', () => {
    expect(partsOf([READY], { ...REQUEST, isAutomatic: false })).toEqual([
      { ...CALL, state: 'approval-requested', approval: { id: 'p' } },
    ])
  })

  it('keeps what its request said when it is decided', () => {
    expect(
      partsOf(
        [READY],
        { ...REQUEST, signature: 's', reason: 'asks' },
        {
          type: 'tool-approval-response',
          approvalId: 'p',
          approved: false,
          reason: 'no',
          providerExecuted: true,
          providerMetadata: { v: { n: 1 } },
        },
      ),
    ).toEqual([
      {
        ...CALL,
        state: 'approval-responded',
        providerExecuted: true,
        callProviderMetadata: { v: { n: 1 } },
        approval: { id: 'p', signature: 's', requestReason: 'asks', approved: false, reason: 'no' },
      },
    ])
  })

  it('may be asked for anew under another id, and the former id is void', () => {
    const again: UIMessageChunk = { ...REQUEST, approvalId: 'q' }
    expect(partsOf([READY], REQUEST, again, answer(true, 'q'))).toMatchObject([
      { state: 'approval-responded', approval: { id: 'q', approved: true } },
    ])
    expect(() => partsOf([READY], REQUEST, again, answer(true, 'p'))).toThrow(
      expect.objectContaining({ code: 'stream_invalid' }),
    )
  })

  it('is decided for an earlier step of a restored message', () => {
    const parts: Parts = [
      { ...CALL, state: 'approval-requested', approval: { id: 'p' } },
      { type: 'step-start' },
    ]
    expect(partsOf(parts, answer(true))).toMatchObject([
      { state: 'approval-responded', approval: { approved: true } },
      { type: 'step-start' },
    ])
  })

  it('may be decided the same way twice', () => {
    expect(partsOf([READY], REQUEST, answer(true), answer(true))).toEqual(
      partsOf([READY], REQUEST, answer(true)),
    )
  })

  const running: Parts[number] = {
    ...CALL,
    state: 'output-available',
    output: 1,
    preliminary: true,
  }
  const done: Parts[number] = { ...CALL, state: 'output-available', output: 1 }
  const failed: Parts[number] = { ...CALL, state: 'output-error', errorText: 'no' }
  const denied: Parts[number] = {
    ...CALL,
    state: 'output-denied',
    approval: { id: 'p', approved: false },
  }

  it.for<[string, Parts, UIMessageChunk[]]>([
    ['of an unknown call', [READY], [{ ...REQUEST, toolCallId: 'x' }]],
    ['of a call that is running', [running], [REQUEST]],
    ['of a call that has an output', [done], [REQUEST]],
    ['of a call that failed', [failed], [REQUEST]],
    ['of a call that was denied', [denied], [REQUEST]],
    ['of a call that was decided', [READY], [REQUEST, answer(true), REQUEST]],
    [
      'of a call whose input is not complete',
      [],
      [{ type: 'tool-input-start', toolCallId: 'a', toolName: 'send' }, REQUEST],
    ],
    ['that nobody asked for', [READY], [answer(true)]],
    [
      'that the engine asked for',
      [{ ...CALL, state: 'approval-requested', approval: { id: toLocalApprovalId('1') } }],
      [answer(true, toLocalApprovalId('1'))],
    ],
    ['by an id of every object', [READY], [answer(true, 'constructor')]],
    ['that was decided otherwise', [READY], [REQUEST, answer(true), answer(false)]],
    ['of a call that has its denial', [denied], [answer(true)]],
  ])('is refused: %s', ([, parts, chunks]) => {
    const reducer = createMessageReducer({ id: 'm', role: 'assistant', parts })
    for (const chunk of chunks.slice(0, -1)) reducer.apply(chunk)
    const before = reducer.snapshot()
    expect(() => reducer.apply(chunks.at(-1)!)).toThrow(
      expect.objectContaining({ code: 'stream_invalid' }),
    )
    expect(reducer.snapshot()).toBe(before)
  })
})
