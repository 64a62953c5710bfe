import type { TurnNotice } from '@assent/engine'
import type { UIMessage } from 'ai'
import { describe, expect, it } from 'vitest'
import { isAnswered } from './is-answered.ts'

type Parts = UIMessage['parts']

const STEP = { type: 'step-start' } as const
const TEXT = { type: 'text', text: 'Done.', state: 'done' } as const
const CALL = { type: 'tool-look', toolCallId: 'c', input: {} } as const
const RAN = { ...CALL, state: 'output-available', output: 'seen' } as const
const FAILED = { ...CALL, state: 'output-error', errorText: 'Interrupted.' } as const
const DENIED = { ...CALL, state: 'output-denied', approval: { id: 'a', approved: false } } as const
const OPEN = { ...CALL, state: 'input-available' } as const
const HALF = { ...RAN, preliminary: true } as const
const BY_PROVIDER = { ...RAN, providerExecuted: true } as const

const said = (...messages: Parts[]): UIMessage[] =>
  messages.map((parts, index) => ({ id: String(index), role: 'assistant', parts }))

describe('a turn at rest', () => {
  it.each<[string, UIMessage[]]>([
    ['the model has said something', said([STEP, TEXT])],
    ['the model was told of its call and has said something', said([STEP, RAN, STEP, TEXT])],
    ['that is another message', said([STEP, RAN], [STEP, TEXT])],
    ['a provider has run its last call', said([STEP, TEXT, BY_PROVIDER])],
  ])('has its answer when %s', (_name, answer) => {
    expect(isAnswered(answer, undefined)).toBe(true)
  })

  it.each<[string, UIMessage[]]>([
    ['nothing was said', []],
    ['there is an empty message', said([])],
    ['a step has only begun', said([STEP])],
    ['its last call has run', said([STEP, RAN])],
    ['its last call has run after a text', said([STEP, TEXT, RAN])],
    ['its last call has failed', said([STEP, TEXT, STEP, FAILED])],
    ['its last call was denied', said([STEP, DENIED])],
    ['the step after its last call has only begun', said([STEP, RAN, STEP])],
    ['its last call is in a message of its own', said([STEP, TEXT], [STEP, RAN])],
    ['a call is open', said([STEP, OPEN, TEXT])],
    ['a call has half a result', said([STEP, HALF, TEXT])],
  ])('has none when %s', (_name, answer) => {
    expect(isAnswered(answer, undefined)).toBe(false)
  })

  it.each<TurnNotice>(['max-steps', 'repeated-calls', 'length', 'refusal', 'empty'])(
    'needs none when it says why there is none: %s',
    (notice) => {
      expect(isAnswered(said([STEP, RAN]), notice)).toBe(true)
    },
  )
})
