import type { Move, TurnScript } from './turn-script.ts'
import { toolCallsOf } from '../../src/message/tool-calls.ts'
import { toolCallStatus } from '../../src/message/tool-part.ts'
import { deriveApprovalPolicies } from '../../src/plugins/tools/policies.ts'
import { textOf } from '../../src/message/message-input.ts'
import type { EngineState } from '../../src/state.ts'

/** Says something while the turn is paused. */
function queued(text: string): Move {
  return {
    name: 'queue',
    says: text,
    lasts: false,
    when: ({ requestState, messages, queue }) =>
      requestState === 'paused' &&
      ![...messages, ...queue.map(({ message }) => message)].some((one) => textOf(one) === text),
    async make(engine) {
      void engine.sendMessage(text)
      return true
    },
  }
}

const standing = ({ confirmations }: EngineState) =>
  deriveApprovalPolicies(confirmations, { now: Date.now() }).find(
    ({ status }) => status === 'standing',
  )

const revoke: Move = {
  name: 'revoke',
  lasts: true,
  when: (state) => state.requestState === 'paused' && standing(state) !== undefined,
  async make(engine) {
    const policyId = standing(engine.getState())?.id ?? ''
    return (await engine.runPluginCommand('tool', 'revokePolicy', { policyId })).success
  },
}

const isExecuting = ({ messages }: EngineState) =>
  messages
    .flatMap((message) => toolCallsOf(message))
    .some(({ part }) => toolCallStatus(part) === 'executing')

const abort: Move = {
  name: 'abort',
  lasts: false,
  when: (state) => state.requestState === 'processing' && isExecuting(state),
  async make(engine) {
    await engine.abort()
    return true
  },
}

const no = { outcome: 'no', reason: 'not now' } as const
const edited = { input: { text: 'as edited' } }

/** What a person and a model do with each other, in little: each turn is played to every crash. */
export const TURNS: readonly TurnScript[] = [
  { name: 'a free call', steps: [[{ id: 'a', tool: 'look' }]] },
  { name: 'a call approved', steps: [[{ id: 'a', tool: 'write' }]] },
  { name: 'a call denied', steps: [[{ id: 'a', tool: 'write' }]], answers: { a: no } },
  { name: 'a call edited', steps: [[{ id: 'a', tool: 'write' }]], answers: { a: edited } },
  {
    name: 'a mixed batch, all at once',
    steps: [
      [
        { id: 'a', tool: 'look' },
        { id: 'b', tool: 'write' },
        { id: 'c', tool: 'mail' },
      ],
    ],
    answers: { c: no },
  },
  {
    name: 'a mixed batch, each by itself',
    gate: 'call',
    steps: [
      [
        { id: 'a', tool: 'write' },
        { id: 'b', tool: 'look' },
        { id: 'c', tool: 'mail' },
      ],
    ],
    answers: { a: edited },
  },
  {
    name: 'an always that settles another call, then taken back',
    steps: [
      [
        { id: 'a', tool: 'write' },
        { id: 'b', tool: 'write' },
        { id: 'c', tool: 'mail' },
      ],
    ],
    answers: { a: { outcome: 'yes_always', scope: { covers: 'tool' } }, b: no },
    moves: [revoke],
  },
  {
    name: 'an always that holds everywhere',
    steps: [
      [
        { id: 'a', tool: 'write' },
        { id: 'b', tool: 'write' },
      ],
      [{ id: 'c', tool: 'write' }],
    ],
    answers: { a: { outcome: 'yes_always', scope: { where: 'everywhere' } } },
  },
  { name: 'a call of the server approved', steps: [[{ id: 'a', tool: 'deploy' }]] },
  {
    name: 'calls of the server and of the app',
    steps: [
      [
        { id: 'a', tool: 'deploy' },
        { id: 'b', tool: 'write' },
        { id: 'c', tool: 'deploy' },
      ],
      [{ id: 'd', tool: 'look' }],
    ],
    answers: { c: no },
  },
  { name: 'two steps', steps: [[{ id: 'a', tool: 'look' }], [{ id: 'b', tool: 'write' }]] },
  {
    name: 'an output from the person',
    steps: [
      [
        { id: 'a', tool: 'form' },
        { id: 'b', tool: 'write' },
      ],
    ],
    answers: { a: { output: 'filled in' } },
  },
  {
    name: 'a message queued during a pause',
    steps: [[{ id: 'a', tool: 'write' }]],
    moves: [queued('and then')],
  },
  {
    name: 'an abort while a call runs and another waits for its place',
    steps: [
      [
        { id: 'a', tool: 'write' },
        { id: 'b', tool: 'mail' },
      ],
    ],
    concurrency: 1,
    mayBeAborted: true,
    moves: [abort],
  },
  {
    name: 'one call after the other',
    steps: [
      [
        { id: 'a', tool: 'write' },
        { id: 'b', tool: 'look' },
        { id: 'c', tool: 'mail' },
      ],
    ],
    concurrency: 1,
  },
  {
    name: 'a call that may run again, and one that can tell',
    steps: [
      [
        { id: 'a', tool: 'put' },
        { id: 'b', tool: 'charge' },
      ],
    ],
  },
  {
    name: 'a call that runs only when that is stored',
    isDurable: true,
    steps: [
      [
        { id: 'a', tool: 'write' },
        { id: 'b', tool: 'mail' },
      ],
    ],
  },
]
