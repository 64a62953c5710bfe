import type { UIMessage } from 'ai'
import {
  array,
  assert,
  boolean,
  constantFrom,
  nat,
  oneof,
  property,
  record,
  uniqueArray,
  type Arbitrary,
} from 'fast-check'
import { describe, expect, it } from 'vitest'
import { EngineError } from '../errors.ts'
import type { EngineState } from '../state.ts'
import { applyChange, changeBetween, receiveState, toSentState } from './state-change.ts'

/** Texts of which some go on with others. */
const words = constantFrom('', 'a', 'ab', 'abc', 'abcdef', 'b')
const call = { type: 'tool-write', toolCallId: 'c' } as const
const part = oneof(
  record({ type: constantFrom('text', 'reasoning'), text: words }),
  record(
    {
      type: constantFrom('text', 'reasoning'),
      text: words,
      state: constantFrom('streaming', 'done'),
      providerMetadata: constantFrom({ p: { n: 1 } }, { p: { n: 2 } }),
    },
    { requiredKeys: ['type', 'text', 'state'] },
  ),
  words.map((text) => {
    return { ...call, state: 'input-streaming', rawInput: text, input: text, inputEncoding: 'text' }
  }),
  words.map((text) => {
    return { ...call, state: 'output-available', input: {}, output: text, preliminary: true }
  }),
) as Arbitrary<UIMessage['parts'][number]>

const message = record({
  id: constantFrom('a', 'b', 'c', '__proto__', 'constructor'),
  parts: array(part, { maxLength: 4 }),
  metadata: constantFrom(undefined, { by: 'x' }, { by: 'y' }),
}).map((fields): UIMessage => ({ ...fields, role: 'user' }))

const states = record({
  messages: uniqueArray(message, { selector: ({ id }) => id, maxLength: 5 }),
  requestState: constantFrom('idle' as const, 'processing' as const, 'error' as const),
  queue: array(message.map((queued) => ({ id: queued.id, message: queued, held: true }))),
  error: constantFrom(
    undefined,
    new EngineError('busy', 'Busy.', { retryable: true, details: { why: 1 } }),
  ),
  drafts: array(record({ key: constantFrom('a', '__proto__'), value: nat(3) }), { maxLength: 2 }),
}).map((facts): EngineState => ({
  processingState: facts.requestState === 'processing' ? 'completing' : undefined,
  messageIds: facts.messages.map(({ id }) => id),
  turn: undefined,
  confirmations: [],
  ...facts,
}))

const wire = <VALUE>(value: VALUE): VALUE => structuredClone(value)

describe('a change of the state', () => {
  it('makes the one state of the other, whatever they are', () => {
    assert(
      property(states, states, boolean(), (before, after, isGrowthKnown) => {
        const change = wire(changeBetween(before, after, isGrowthKnown))
        const changed = applyChange(before, change)
        expect(changed).toEqual(after)
        expect(applyChange(changed, change)).toEqual(after)
      }),
    )
  })

  it('is as good as the whole', () => {
    assert(
      property(states, states, (before, after) => {
        expect(receiveState(before, wire(toSentState(after)))).toEqual(after)
      }),
    )
  })

  it('carries of a message only the parts that changed', () => {
    const parts = Array.from({ length: 50 }, (_, index) => ({
      type: 'text' as const,
      text: `part ${index}`,
    }))
    const base: UIMessage = { id: 'a', role: 'assistant', parts }
    const before: EngineState = {
      requestState: 'processing',
      processingState: 'completing',
      messages: [base],
      messageIds: ['a'],
      error: undefined,
      turn: undefined,
      queue: [],
      confirmations: [],
      drafts: [],
    }
    const next = { ...base, parts: parts.with(49, { type: 'text', text: 'new' }) }
    const change = changeBetween(before, { ...before, messages: [next] })
    expect(change).toEqual({
      facts: {},
      messages: [
        {
          head: { id: 'a', role: 'assistant' },
          partCount: 50,
          parts: [[49, { type: 'text', text: 'new' }]],
        },
      ],
    })
    const changed = applyChange(before, wire(change))
    expect(changed.messages[0]?.parts[3]).toBe(parts[3])
  })
})
