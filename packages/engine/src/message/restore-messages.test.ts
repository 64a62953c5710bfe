import type { UIMessage } from 'ai'
import { describe, expect, it } from 'vitest'
import { callsAndResults, promptOf } from '../../test/model-prompt.ts'
import { restoreMessages } from './restore-messages.ts'
import { isSettled, isToolCallPart, type ToolCallPart } from './tool-part.ts'

const CALL = { type: 'tool-send', input: { to: 'x' } } as const
const user = (id: string): UIMessage => ({ id, role: 'user', parts: [{ type: 'text', text: id }] })
const assistant = (id: string, ...parts: UIMessage['parts']): UIMessage => ({
  id,
  role: 'assistant',
  parts: [{ type: 'step-start' }, ...parts],
})

const waiting: ToolCallPart = {
  ...CALL,
  toolCallId: 'waiting',
  state: 'approval-requested',
  approval: { id: 'assent-1', requestReason: 'It is sent.', signature: 's' },
}
const answeredElsewhere: ToolCallPart = {
  ...CALL,
  toolCallId: 'answered',
  state: 'approval-responded',
  approval: { id: 'server-1', approved: true },
}
const denied: ToolCallPart = {
  ...CALL,
  toolCallId: 'denied',
  state: 'approval-responded',
  approval: { id: 'assent-4', approved: false, reason: 'no' },
}
/** Calls of which nothing tells whether they ran. */
const unclear: ToolCallPart[] = [
  { ...CALL, toolCallId: 'a', state: 'input-streaming', rawInput: '{"to":"x' },
  { ...CALL, toolCallId: 'b', state: 'input-available' },
  {
    ...CALL,
    toolCallId: 'c',
    state: 'approval-responded',
    approval: { id: 'assent-2', approved: true },
  },
  {
    ...CALL,
    toolCallId: 'd',
    state: 'input-available',
    toolMetadata: { assent: { startedAt: 1 } },
  },
  { ...CALL, toolCallId: 'e', state: 'output-available', output: 'half', preliminary: true },
  {
    ...CALL,
    toolCallId: 'f',
    state: 'approval-requested',
    approval: { id: 'assent-3', isAutomatic: true },
  },
  { ...CALL, toolCallId: 'g', state: 'input-available', providerExecuted: true },
]

function partOf(message: UIMessage | undefined, toolCallId: string) {
  return message?.parts.filter(isToolCallPart).find((part) => part.toolCallId === toolCallId)
}

describe('restored messages', () => {
  it('are the very same when nothing in them is open', () => {
    const messages = [
      user('q'),
      assistant('a', { ...CALL, toolCallId: '1', state: 'output-available', output: 1 }),
      { id: 's', role: 'system' as const, parts: [{ type: 'text' as const, text: 'x' }] },
    ]
    const restored = restoreMessages(messages, 42)
    expect(restored.waiting).toEqual([])
    for (const [index, message] of restored.messages.entries())
      expect(message).toBe(messages[index])
  })

  it('wait for the decisions of the last message, in call order, as they were asked for', () => {
    const other = { ...waiting, toolCallId: 'other' }
    const messages = [user('q'), assistant('a', waiting, { type: 'step-start' }, other)]
    const { messages: restored, waiting: left } = restoreMessages(messages, 42)
    expect(restored[1]).toBe(messages[1])
    expect(left).toEqual([
      { messageId: 'a', step: 1, toolCallId: 'waiting' },
      { messageId: 'a', step: 2, toolCallId: 'other' },
    ])
  })

  it('wait for nothing that a later message has passed by', () => {
    const { messages, waiting: left } = restoreMessages([assistant('a', waiting), user('q')], 42)
    expect(left).toEqual([])
    expect(partOf(messages[0], 'waiting')).toMatchObject({ state: 'output-error' })
  })

  it.each(unclear.map((part) => [part.toolCallId, part] as const))(
    'say of a call that may have run that nobody knows: %s',
    (_name, part) => {
      const restored = restoreMessages([user('q'), assistant('a', part, waiting)], 42)
      const { messages } = restored
      expect(restored.waiting).toHaveLength(1)
      const closed = partOf(messages[1], part.toolCallId)
      expect(closed).toMatchObject({
        toolMetadata: { assent: { ended: 'interrupted', endedAt: 42 } },
      })
      expect(JSON.stringify(closed)).toMatch(/Interrupted: .* whether this ran is not known/)
      expect(closed && isSettled(closed)).toBe(true)
    },
  )

  it('keep answers to calls elsewhere, which are sent with the next step, and settle denials', () => {
    const { messages } = restoreMessages(
      [user('q'), assistant('a', answeredElsewhere, denied, waiting)],
      42,
    )
    expect(partOf(messages[1], 'answered')).toBe(answeredElsewhere)
    expect(partOf(messages[1], 'denied')).toMatchObject({
      state: 'output-denied',
      approval: { reason: 'no' },
    })
  })

  it.each([
    ['without an id', [{ role: 'user', parts: [] }]],
    ['with an empty id', [{ id: '', role: 'user', parts: [] }]],
    ['with an id that comes twice', [user('same'), user('same')]],
  ])('are refused %s', (_name, messages) => {
    expect(() => restoreMessages(messages as UIMessage[], 42)).toThrow(
      expect.objectContaining({ code: 'invalid_argument' }),
    )
  })

  it('followed by a message of the user are a history that a model accepts', async () => {
    const before = assistant('a', ...unclear, denied)
    const { messages } = restoreMessages([user('q'), before, user('and now?')], 42)
    const { prompt, errors } = await promptOf(messages)
    expect(errors).toEqual([])
    const { calls, results } = callsAndResults(prompt ?? [])
    expect(results).toEqual(calls)
    expect(calls).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'denied'])
    const open = await promptOf([user('q'), before, user('and now?')])
    expect(open.errors).not.toEqual([])
  })
})
