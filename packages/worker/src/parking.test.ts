import { answer, callTools } from '@assent/engine/testing'
import { jsonSchema, tool } from 'ai'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  isAfterCalls,
  lastText,
  noting,
  setStage,
  type Model,
  type StageOptions,
  type WorkerStage,
} from '../test/worker-stage.ts'
import { readTaskWaiting, type TaskWaiting } from './task-waiting.ts'

let stage: WorkerStage
const ran: unknown[] = []

const pay = (id: string, amount: number) => ({ toolCallId: id, toolName: 'pay', input: { amount } })

/** Asks for payments, and then says what became of them. */
const payments =
  (...calls: readonly (readonly ReturnType<typeof pay>[])[]): Model =>
  (request) => {
    if (lastText(request) !== 'one') return answer('ok')
    const parts = isAfterCalls(request) ? (request.messages.at(-1)?.parts ?? []) : []
    const steps = parts.filter(({ type }) => type === 'step-start').length
    const next = calls[steps]
    if (next) return callTools(next)
    const states = parts.flatMap((part) =>
      part.type === 'tool-pay' && 'state' in part ? part.state : [],
    )
    return answer(states.join(', '))
  }

function set(options: StageOptions = {}): WorkerStage {
  stage = setStage({
    tools: {
      pay: noting((input) => {
        ran.push(input)
        return 'paid'
      }),
    },
    toolApproval: () => 'user-approval',
    toolOptions: {
      pay: {
        summary: () => 'Pay somebody',
        preview: () => ({ kind: 'text', text: 'a payment' }),
        risk: 'send',
      },
    },
    model: payments([pay('c', 3)]),
    ...options,
  })
  return stage
}

async function waitingOf(id: string): Promise<TaskWaiting> {
  const waiting = readTaskWaiting((await stage.task(id)).waitingFor)
  if (!waiting) throw new Error(`${id} waits for nothing.`)
  return waiting
}

beforeEach(() => {
  ran.length = 0
  vi.useFakeTimers({
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'],
  })
})

afterEach(async () => {
  await stage.close()
  vi.useRealTimers()
})

describe('a task whose call asks', () => {
  it('is parked with what is needed to ask, holds back the next, and nothing runs', async () => {
    const { ask, work, until, task, said } = set()
    await ask('one', 'two')
    work()
    await until('parked', 'one')
    await vi.advanceTimersByTimeAsync(3_600_000)
    expect(await waitingOf('one')).toEqual({
      calls: [
        {
          messageId: expect.any(String),
          step: 1,
          toolCallId: 'c',
          toolName: 'pay',
          kind: 'approval',
          input: { amount: 3 },
          fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/),
          checkFailed: false,
          isElsewhere: false,
          summary: 'Pay somebody',
          preview: { kind: 'text', text: 'a payment' },
          risk: 'send',
        },
      ],
      refused: [],
    })
    expect(await task('one')).toMatchObject({ attempts: 0, lease: undefined })
    expect(await task('two')).toMatchObject({ state: 'queued' })
    expect([ran, said]).toEqual([[], []])
  })

  it('goes on after a yes, also with another worker, and runs once', async () => {
    const { ask, work, until, said, inbox, task } = set()
    await ask('one', 'two')
    const first = work()
    await until('parked', 'one')
    await first.stop()
    await inbox.answer('one', { decisions: [{ toolCallId: 'c' }], by: 'Ada' })
    work()
    await until('done', 'one', 'two')
    expect(ran).toEqual([{ amount: 3 }])
    expect(said).toEqual(['one: output-available', 'two: ok'])
    expect((await task('one')).attempts).toBe(1)
  })

  it('is in the audit from its question to its end, with who answered it', async () => {
    const { ask, work, until, inbox, database, audited } = set()
    const { sqlite } = database
    const call = () =>
      sqlite.prepare('SELECT task_id, tool_name, status, outcome FROM tool_calls').all()
    await ask('one')
    work()
    await until('parked', 'one')
    expect(call()).toMatchObject([{ task_id: 'one', tool_name: 'pay', status: 'queued' }])
    await inbox.answer('one', { decisions: [{ toolCallId: 'x' }], by: 'Bob' })
    await inbox.answer('one', { decisions: [{ toolCallId: 'c' }], by: 'Ada' })
    await until('done', 'one')
    expect(call()).toMatchObject([{ status: 'done', outcome: 'success' }])
    expect(sqlite.prepare('SELECT who, outcome FROM tool_decisions').all()).toMatchObject([
      { who: 'Ada', outcome: 'yes' },
    ])
    // The second `tool` is the answer that could not be followed.
    const phases = ['ingress', 'model', 'tool', 'tool', 'tool', 'model', 'reply', 'done']
    expect(audited('one')).toEqual(phases)
  })

  it('goes on after a no, whose reason the model reads', async () => {
    const { ask, work, until, said, inbox, transport } = set()
    await ask('one')
    work()
    await until('parked', 'one')
    await inbox.answer('one', {
      decisions: [{ toolCallId: 'c', outcome: 'no', reason: 'Too much' }],
    })
    await until('done', 'one')
    expect([ran, said]).toEqual([[], ['one: output-denied']])
    expect(JSON.stringify(transport.requests.at(-1)?.messages)).toContain('Too much')
  })

  it('waits for every call of its step, each decided by an answer of its own', async () => {
    const { ask, work, until, untilTrue, said, inbox } = set({
      model: payments([pay('c', 1), pay('d', 2)]),
    })
    await ask('one')
    work()
    await until('parked', 'one')
    await inbox.answer('one', { decisions: [{ toolCallId: 'd' }] })
    await untilTrue(async () => {
      const { calls } = await waitingOf('one')
      return (await stage.task('one')).state === 'parked' && calls.length === 1
    })
    expect((await waitingOf('one')).calls[0]).toMatchObject({ toolCallId: 'c' })
    expect(ran).toEqual([])
    await inbox.answer('one', { decisions: [{ toolCallId: 'c', outcome: 'no' }] })
    await until('done', 'one')
    expect([ran, said]).toEqual([[{ amount: 2 }], ['one: output-denied, output-available']])
  })

  it('takes answers that came together one after the other', async () => {
    const { ask, work, until, inbox } = set({ model: payments([pay('c', 1), pay('d', 2)]) })
    await ask('one')
    const worker = work()
    await until('parked', 'one')
    await worker.stop()
    await inbox.answer('one', { decisions: [{ toolCallId: 'd' }] })
    await inbox.answer('one', { decisions: [{ toolCallId: 'c' }] })
    work()
    await until('done', 'one')
    expect(ran).toEqual([{ amount: 1 }, { amount: 2 }])
  })

  it('waits on and says why when an answer cannot be followed', async () => {
    const { ask, work, until, untilTrue, inbox, task } = set()
    await ask('one')
    work()
    await until('parked', 'one')
    const answers = [
      ['nonsense', 'invalid_answer'],
      [{ decisions: [{ toolCallId: 'none' }], by: 'Bob' }, 'unknown_tool_call'],
      [{ decisions: [{ toolCallId: 'c', fingerprint: 'another' }] }, 'call_changed'],
      [{ decisions: [{ toolCallId: 'c', step: 7 }] }, 'not_asked'],
      [{ outputs: [{ toolCallId: 'c', output: 1 }] }, undefined],
    ] as const
    for (const [given, code] of answers) {
      await inbox.answer('one', given)
      if (!code) break
      await untilTrue(async () => {
        const [refused] = (await waitingOf('one')).refused
        return (await task('one')).state === 'parked' && refused?.code === code
      })
      expect((await waitingOf('one')).calls).toHaveLength(1)
      expect((await task('one')).answers).toEqual([])
    }
    // Who answers in the place of the tool has said enough.
    await until('done', 'one')
    expect(ran).toEqual([])
  })

  it('reads what was parked under the words of before', () => {
    const old = { messageId: 'm', step: 1, toolCallId: 'c', toolName: 'pay', input: {} }
    const calls = [{ ...old, waitsFor: 'output', reason: 'Why' }]
    expect(readTaskWaiting({ calls, refused: [] })?.calls).toMatchObject([
      { ...old, kind: 'output', requestReason: 'Why', fingerprint: undefined, checkFailed: false },
    ])
    expect(readTaskWaiting({ calls: [old], refused: [] })).toBeUndefined()
  })

  it('does not take an old answer for a call of the same id that nobody was asked about', async () => {
    const { ask, work, until, untilTrue, inbox } = set({
      model: payments([pay('c', 1)], [pay('c', 1_000_000)]),
    })
    await ask('one')
    const worker = work()
    await until('parked', 'one')
    await worker.stop()
    await inbox.answer('one', { decisions: [{ toolCallId: 'c' }] })
    await inbox.answer('one', { decisions: [{ toolCallId: 'c' }] })
    work()
    await untilTrue(async () => ran.length > 0 && (await stage.task('one')).state === 'parked')
    expect(ran).toEqual([{ amount: 1 }])
    const { calls } = await waitingOf('one')
    expect(calls).toMatchObject([{ step: 2, input: { amount: 1_000_000 } }])
  })

  it('is not asked about again what a standing yes covers', async () => {
    const { ask, work, until, inbox, said } = set({
      model: payments([pay('c', 1)], [pay('d', 2)]),
    })
    await ask('one')
    work()
    await until('parked', 'one')
    await inbox.answer('one', {
      decisions: [{ toolCallId: 'c', outcome: 'yes_always', scope: { covers: 'tool' } }],
    })
    await until('done', 'one')
    expect(ran).toEqual([{ amount: 1 }, { amount: 2 }])
    expect(said).toEqual(['one: output-available, output-available'])
  })

  it('goes on with the output that a person gives', async () => {
    const { ask, work, until, inbox, said } = set({
      tools: { pay: tool({ inputSchema: jsonSchema({ type: 'object' }) }) },
      toolApproval: () => 'not-applicable',
    })
    await ask('one')
    work()
    await until('parked', 'one')
    expect((await waitingOf('one')).calls).toMatchObject([{ kind: 'output' }])
    await inbox.answer('one', { outputs: [{ toolCallId: 'c', output: { paid: true } }] })
    await until('done', 'one')
    expect(said).toEqual(['one: output-available'])
  })
})

describe('a task that a person ends', () => {
  it('is over without a reply while it waits, and the next one goes on', async () => {
    const { ask, work, until, inbox, said } = set()
    await ask('one', 'two')
    work()
    await until('parked', 'one')
    await inbox.answer('one', { abort: { reason: 'Never mind' }, by: 'Ada' })
    await until('done', 'one', 'two')
    expect([ran, said]).toEqual([[], ['two: ok']])
    expect(JSON.stringify(stage.transport.requests.at(-1)?.messages)).toContain('Aborted')
  })

  it('is over at once while a tool runs, which is told', async () => {
    const aborted: unknown[] = []
    const { ask, work, until, untilTrue, inbox, said } = set({
      toolApproval: () => 'not-applicable',
      tools: {
        pay: noting((_input, signal) => {
          ran.push('begun')
          signal?.addEventListener('abort', () => aborted.push(true))
          return new Promise(() => undefined)
        }),
      },
    })
    await ask('one', 'two')
    work()
    await untilTrue(() => ran.length > 0)
    const before = Date.now()
    await inbox.answer('one', { abort: {} })
    await until('done', 'one')
    expect(Date.now() - before).toBeLessThan(500)
    await until('done', 'two')
    expect([aborted, said]).toEqual([[true], ['two: ok']])
  })

  it('is not even begun when it was ended before', async () => {
    const { ask, work, until, inbox, transport } = set()
    await ask('one')
    await inbox.answer('one', { abort: {} })
    work()
    await until('done', 'one')
    expect(transport.requests).toHaveLength(0)
  })
})
