import type { UIMessage, UIMessageChunk } from 'ai'
import { describe, expect, it } from 'vitest'
import { LEDGER_CHUNK } from './apply-decision.ts'
import { closeOpenParts } from './close-open-parts.ts'
import { createMessageReducer } from './message-reducer.ts'
import { isToolCallPart, toolCallStatus, type LedgerStatus } from './tool-part.ts'

function decided(approved: boolean): UIMessage {
  const approval = { id: 'p', approved, reason: 'because' }
  const call = { type: 'tool-send', toolCallId: 'a', input: { to: 'x' } } as const
  return { id: 'm', role: 'assistant', parts: [{ ...call, state: 'approval-responded', approval }] }
}

const says = (status: LedgerStatus): UIMessageChunk => ({
  type: LEDGER_CHUNK,
  transient: true,
  data: { approvalId: 'p', status },
})

function after(approved: boolean, ...chunks: UIMessageChunk[]): UIMessage {
  const reducer = createMessageReducer(decided(approved))
  for (const chunk of chunks) reducer.apply(chunk)
  return reducer.snapshot()
}

const statusOf = ({ parts }: UIMessage) =>
  parts.filter(isToolCallPart).map((part) => toolCallStatus(part))

describe('what the ledger says of a decision that came after another one', () => {
  it('shows the call as it stands, and keeps what would be sent again', () => {
    const running = after(false, says('running'))
    expect(statusOf(running)).toEqual(['executing'])
    expect(running.parts).toMatchObject([{ approval: { approved: false } }])
    const denied = after(true, says('denied'))
    expect(statusOf(denied)).toEqual(['denied'])
    expect(denied.parts).toMatchObject([{ approval: { approved: true } }])
  })

  it('is the decision of a call that has its result', () => {
    const ran = after(false, says('ran'), {
      type: 'tool-output-available',
      toolCallId: 'a',
      output: 'sent',
    })
    expect(ran.parts).toMatchObject([
      { state: 'output-available', output: 'sent', approval: { id: 'p', approved: true } },
    ])
    expect(JSON.stringify(ran)).not.toContain('because')
    const denied = after(true, says('denied'), { type: 'tool-output-denied', toolCallId: 'a' })
    expect(denied.parts).toMatchObject([{ state: 'output-denied', approval: { approved: false } }])
  })

  it.each([
    [false, 'running', { state: 'output-error', approval: { approved: true } }],
    [true, 'denied', { state: 'output-denied', approval: { approved: false } }],
  ] as const)('holds when the answer is cut: %s, %s', (approved, status, result) => {
    const cut = after(approved, says(status))
    const closed = closeOpenParts(cut, { text: 'Stopped.', ended: 'interrupted', now: 1 })
    expect(closed.parts).toMatchObject([result])
  })

  it.each(['running', 'ran', 'unknown', 'expired'] as const)(
    'changes nothing of a yes that stands: %s',
    (status) => {
      const { parts } = after(true, says(status))
      expect(parts).not.toMatchObject([{ toolMetadata: { assent: { overruled: 'yes' } } }])
      expect(parts).toMatchObject([{ approval: { approved: true, reason: 'because' } }])
    },
  )
})
