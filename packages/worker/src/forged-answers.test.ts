import { answer, callTools } from '@assent/engine/testing'
import type { JSONValue } from 'ai'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { isAfterCalls, noting, setStage, type WorkerStage } from '../test/worker-stage.ts'
import { readTaskWaiting, type TaskCall } from './task-waiting.ts'

let stage: WorkerStage
let paid: unknown[] = []

/** The call that is asked about, and what is known of another task's. */
interface Evidence {
  readonly call: AskedCall
  readonly other: AskedCall
}

type AskedCall = TaskCall & { readonly fingerprint: string }

const pay = { toolCallId: 'c', toolName: 'pay' }

beforeEach(() => {
  vi.useFakeTimers({
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'],
  })
  paid = []
  stage = setStage({
    tools: {
      pay: noting((input) => {
        paid.push(input)
        return 'paid'
      }),
    },
    toolApproval: () => 'user-approval',
    model: (request) =>
      isAfterCalls(request)
        ? answer('ok')
        : callTools({ ...pay, input: { amount: JSON.stringify(request.messages).length } }),
  })
})

afterEach(async () => {
  await stage.close()
  vi.useRealTimers()
})

async function callOf(id: string): Promise<AskedCall> {
  const [call] = readTaskWaiting((await stage.task(id)).waitingFor)?.calls ?? []
  const { fingerprint } = call ?? {}
  if (!call || fingerprint === undefined) throw new Error(`${id} waits for no call.`)
  return { ...call, fingerprint }
}

const yes = (decision: Record<string, JSONValue>) => ({ decisions: [{ ...pay, ...decision }] })
const FORGERIES: readonly [string, (evidence: Evidence) => JSONValue][] = [
  ['another call', () => yes({ toolCallId: 'x' })],
  ['a call without a name', () => yes({ toolCallId: '' })],
  ['a call whose id is a number', () => yes({ toolCallId: 1 })],
  ['a call whose id is a list', () => yes({ toolCallId: ['c'] })],
  ['a call of almost that name', () => yes({ toolCallId: 'c ' })],
  ['a call in capitals', () => yes({ toolCallId: 'C' })],
  ['the message of another task', ({ other }) => yes({ messageId: other.messageId })],
  ['no message', () => yes({ messageId: '' })],
  ['a message that is null', () => yes({ messageId: null })],
  ['another step', ({ call }) => yes({ step: call.step + 1 })],
  ['the step before', ({ call }) => yes({ step: call.step - 1 })],
  ['a step that is a text', ({ call }) => yes({ step: String(call.step) })],
  ['a step between two', ({ call }) => yes({ step: call.step + 0.5 })],
  ['the fingerprint of another input', ({ other }) => yes({ fingerprint: other.fingerprint })],
  ['no fingerprint', () => yes({ fingerprint: '' })],
  ['a fingerprint that is null', () => yes({ fingerprint: null })],
  ['a fingerprint in capitals', ({ call }) => yes({ fingerprint: call.fingerprint.toUpperCase() })],
  ['a fingerprint of zeros', () => yes({ fingerprint: '0'.repeat(64) })],
  ['a cut fingerprint', ({ call }) => yes({ fingerprint: call.fingerprint.slice(0, -1) })],
  [
    'everything of another task',
    ({ other: { messageId, step, fingerprint } }) => yes({ messageId, step, fingerprint }),
  ],
  ['true for a yes', () => yes({ outcome: true })],
  ['a yes in capitals', () => yes({ outcome: 'YES' })],
  ['a word that is none', () => yes({ outcome: 'approved' })],
  ['a yes that is null', () => yes({ outcome: null })],
  ['a list of a yes', () => yes({ outcome: ['yes'] })],
  [
    'an always of no known scope',
    () => yes({ outcome: 'yes_always', scope: { kind: 'anything' } }),
  ],
  [
    'an always of a scope that is a text',
    () => yes({ outcome: 'yes_always', scope: 'everywhere' }),
  ],
  ['another input, for which no schema is there', () => yes({ input: { amount: 1_000_000 } })],
  [
    'both a yes and an output',
    () => ({ ...yes({ toolCallId: 'x' }), outputs: [{ toolCallId: 'c', output: 1 }] }),
  ],
  [
    'one yes and a forged one beside it',
    () => ({ decisions: [{ toolCallId: 'c' }, { toolCallId: 'x' }] }),
  ],
  [
    'a yes and a no',
    () => ({ decisions: [{ toolCallId: 'c' }, { toolCallId: 'c', outcome: 'no' }] }),
  ],
  ['a decision that is no list', () => ({ decisions: { toolCallId: 'c' } })],
  ['a decision that is a text', () => ({ decisions: ['c'] })],
  ['no decision', () => ({ decisions: [] })],
  ['nothing', () => ({})],
  ['null', () => null],
  ['a text', () => 'yes'],
  ['true', () => true],
  ['a list', () => [{ toolCallId: 'c' }]],
  ['a word of its own', () => ({ approved: true, toolCallId: 'c' })],
]

describe('a forged answer to a task', () => {
  it.each(FORGERIES)('runs nothing, and the honest one still holds: %s', async (_name, forge) => {
    const { inbox, until, untilTrue, task } = stage
    await inbox.add({ id: 'one', conversationId: 'c1', input: 'one' })
    await inbox.add({ id: 'other', conversationId: 'c2', input: 'the other one' })
    stage.work()
    await until('parked', 'one', 'other')
    const evidence = { call: await callOf('one'), other: await callOf('other') }
    expect(evidence.call.fingerprint).not.toBe(evidence.other.fingerprint)

    const forged = forge(evidence)
    const isTaken = await inbox.answer('one', forged).then(
      () => true,
      () => false,
    )
    // One that is taken is looked at by the worker, and parked again.
    await untilTrue(async () => {
      const { state, answers } = await task('one')
      return state === 'parked' && (!isTaken || answers.length === 0)
    })
    expect(paid).toEqual([])

    await inbox.answer('one', { decisions: [{ toolCallId: 'c' }], by: 'Ada' })
    await until('done', 'one')
    expect(paid).toEqual([evidence.call.input])
  })

  it('runs nothing after a no, and nothing twice', async () => {
    const { inbox, until } = stage
    for (const id of ['one', 'two']) await inbox.add({ id, conversationId: id, input: id })
    stage.work()
    await until('parked', 'one', 'two')
    const answers = [
      ['one', 'no'],
      ['one', 'yes'],
      ...Array.from({ length: 20 }, () => ['two', 'yes'] as const),
    ] as const
    await Promise.allSettled(
      answers.map(([id, outcome]) =>
        inbox.answer(id, { decisions: [{ toolCallId: 'c', outcome }] }),
      ),
    )
    await until('done', 'one', 'two')
    expect(paid).toHaveLength(1)
  })
})
