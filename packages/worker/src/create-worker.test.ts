import { answer, callTools, type RecordedRequest } from '@assent/engine/testing'
import { EngineError } from '@assent/engine'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  isAfterCalls,
  lastText,
  noting,
  setStage,
  type StageOptions,
  type WorkerStage,
} from '../test/worker-stage.ts'
import { ReplyError } from './reply-error.ts'

let stage: WorkerStage

function set(options?: StageOptions): WorkerStage {
  stage = setStage(options)
  return stage
}

beforeEach(() => {
  vi.useFakeTimers({
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'],
  })
})

afterEach(async () => {
  await stage.close()
  vi.useRealTimers()
})

const busy = (retryAfterMs?: number) =>
  new EngineError('stream_error', 'The provider is busy.', {
    retryable: true,
    details: { kind: 'status', status: 500, retryAfterMs },
  })

/** What each request carried, as the texts of its messages. */
const texts = ({ messages }: RecordedRequest) =>
  messages.flatMap(({ parts }) => parts.flatMap((part) => (part.type === 'text' ? part.text : [])))

describe('a worker', () => {
  it('answers several messages in a row in their order, each with those before', async () => {
    const { ask, work, until, said, transport } = set()
    await ask('one', 'two', 'three')
    work()
    await until('done', 'one', 'two', 'three')
    expect(said).toEqual(['one: You said one', 'two: You said two', 'three: You said three'])
    expect(transport.requests.map(texts)).toEqual([
      ['one'],
      ['one', 'You said one', 'two'],
      ['one', 'You said one', 'two', 'You said two', 'three'],
    ])
  })

  it('works on several conversations at the same time, on one task of each', async () => {
    const gates = new Map<string, PromiseWithResolvers<void>>()
    const { inbox, work, until, untilTrue, said } = set({
      async model(request) {
        const gate = Promise.withResolvers<void>()
        gates.set(lastText(request), gate)
        await gate.promise
        return answer('ok')
      },
    })
    for (const id of ['a1', 'b1', 'a2', 'c1', 'd1']) {
      await inbox.add({ id, conversationId: id.charAt(0), input: id })
    }
    work({ concurrency: 3 })
    await untilTrue(() => gates.size === 3)
    expect([...gates.keys()]).toEqual(['a1', 'b1', 'c1'])
    gates.get('b1')?.resolve()
    await until('done', 'b1')
    await untilTrue(() => gates.size === 4)
    expect([...gates.keys()].at(-1)).toBe('d1')
    gates.get('a1')?.resolve()
    await untilTrue(() => gates.has('a2'))
    for (const gate of gates.values()) gate.resolve()
    await until('done', 'a1', 'a2', 'c1', 'd1')
    expect(said).toHaveLength(5)
  })

  it('says in the inbox what is being done', async () => {
    const states: string[] = []
    const { inbox, ask, work, until, task } = set({
      tools: { look: noting(() => 'seen') },
      model: (request) =>
        isAfterCalls(request)
          ? answer('done')
          : callTools([{ toolCallId: 'c', toolName: 'look', input: {} }]),
    })
    inbox.subscribe(() => {
      void inbox.get('one').then((now) => {
        if (now && states.at(-1) !== now.state) states.push(now.state)
      })
    })
    await ask('one')
    work()
    await until('done', 'one')
    expect(states).toEqual([
      'queued',
      'model_round',
      'tool_round',
      'model_round',
      'reply_sent',
      'done',
    ])
    expect(await task('one')).toMatchObject({ attempts: 1, error: undefined })
  })

  it('asks for a task that is under way when something came for it, not with each step of another one', async () => {
    const gates = new Map<string, PromiseWithResolvers<void>>()
    const { inbox, work, until } = set({
      model: async (request) => {
        const gate = Promise.withResolvers<void>()
        gates.set(lastText(request), gate)
        await gate.promise
        return answer('ok')
      },
    })
    const get = vi.spyOn(inbox, 'get')
    for (const id of ['a', 'b', 'c']) await inbox.add({ id, conversationId: id, input: id })
    work({ concurrency: 2 })
    await vi.waitFor(() => expect(gates.size).toBe(2))
    gates.get('a')?.resolve()
    await vi.waitFor(() => expect(gates.has('c')).toBe(true))
    for (const [id] of get.mock.calls) expect(id).not.toBe('b')
    await inbox.answer('b', { abort: { reason: 'enough' } })
    await until('done', 'b')
    expect(get.mock.calls.some(([id]) => id === 'b')).toBe(true)
    for (const gate of gates.values()) gate.resolve()
    await until('done', 'a', 'c')
  })

  it('goes on when a tool fails: the model reads why', async () => {
    const { ask, work, until, said } = set({
      tools: {
        broken: noting(() => {
          throw new Error('the disk is full')
        }),
      },
      model: (request) => {
        const call = request.messages
          .at(-1)
          ?.parts.find((part) => part.type === 'tool-broken' && 'errorText' in part)
        if (call && 'errorText' in call) return answer(`It says: ${call.errorText}`)
        return lastText(request) === 'one'
          ? callTools([{ toolCallId: 'c', toolName: 'broken', input: {} }])
          : answer('fine')
      },
    })
    await ask('one', 'two')
    work()
    await until('done', 'one', 'two')
    expect(said).toEqual(['one: It says: the disk is full', 'two: fine'])
  })

  it('tries again what may succeed, later each time, and says the message once', async () => {
    const asked: number[] = []
    const { ask, work, until, said, transport, task, errors } = set({
      maxAttempts: 4,
      model() {
        asked.push(Date.now())
        return asked.length < 4 ? busy() : answer('at last')
      },
    })
    await ask('one', 'two')
    work({ retryBaseMs: 1_000 })
    await until('done', 'one', 'two')
    const waits = asked.slice(1, 4).map((at, index) => at - (asked[index] ?? 0))
    for (const [index, least] of [999, 1_998, 3_996].entries()) {
      expect(waits[index]).toBeGreaterThanOrEqual(least)
      expect(waits[index]).toBeLessThan(least + 600)
    }
    expect(said).toEqual(['one: at last', 'two: at last'])
    expect(transport.requests.slice(0, 4).map(texts)).toEqual([['one'], ['one'], ['one'], ['one']])
    expect(await task('one')).toMatchObject({ attempts: 4, error: { code: 'stream_error' } })
    expect(errors).toHaveLength(3)
  })

  it.each([-3_600_000, 3_600_000])(
    'tries again in time beside a clock of the stores that is %i ms off',
    async (offMs) => {
      const asked: number[] = []
      const { ask, work, until } = set({
        now: () => Date.now() + offMs,
        model() {
          asked.push(Date.now())
          return asked.length === 1 ? busy() : answer('ok')
        },
      })
      await ask('one')
      work({ retryBaseMs: 1_000 })
      await until('done', 'one')
      const waited = (asked[1] ?? 0) - (asked[0] ?? 0)
      expect(waited).toBeGreaterThanOrEqual(999)
      expect(waited).toBeLessThan(1_600)
    },
  )

  it('waits as long as the provider asked for', async () => {
    const asked: number[] = []
    const { ask, work, until } = set({
      model() {
        asked.push(Date.now())
        return asked.length === 1 ? busy(90_000) : answer('ok')
      },
    })
    await ask('one')
    work()
    await until('done', 'one')
    expect((asked[1] ?? 0) - (asked[0] ?? 0)).toBeGreaterThanOrEqual(90_000)
  })

  it('buries a task whose attempts are used up, tells of it, and goes on with the next', async () => {
    const dead: unknown[] = []
    const { ask, work, until, said, task } = set({
      model: (request) => (lastText(request) === 'one' ? busy() : answer('ok')),
    })
    await ask('one', 'two')
    work({ retryBaseMs: 10, onDead: ({ id }, { code }) => void dead.push([id, code]) })
    await until('dead', 'one')
    await until('done', 'two')
    expect(await task('one')).toMatchObject({
      attempts: 3,
      error: { code: 'stream_error', message: 'The provider is busy.' },
    })
    expect(dead).toEqual([['one', 'stream_error']])
    expect(said).toEqual(['two: ok'])
  })

  it('buries a task at once when another attempt is in vain; a replayed one is said anew', async () => {
    let isRefused = true
    const { inbox, ask, work, until, said, task, transport } = set({
      model(request) {
        if (lastText(request) !== 'one' || !isRefused) return answer('ok')
        return new EngineError('stream_error', 'The key is wrong.', { details: { status: 401 } })
      },
    })
    await ask('one', 'two')
    work()
    await until('dead', 'one')
    await until('done', 'two')
    expect((await task('one')).attempts).toBe(1)
    isRefused = false
    await inbox.replay('one')
    await until('done', 'one')
    expect(said).toEqual(['two: ok', 'one: ok'])
    expect(transport.requests.map(texts)).toEqual([
      ['one'],
      ['one', 'two'],
      ['one', 'two', 'ok', 'one'],
    ])
    const ids = transport.requests.at(-1)?.messages.map(({ id }) => id)
    expect([ids?.at(0), ids?.at(-1)]).toEqual(['one', 'one~said-2'])
  })

  it('buries what cannot be sent', async () => {
    const { inbox, work, until, task } = set()
    await inbox.add({ id: 'bad', conversationId: 'c', input: { no: 'message' } })
    await inbox.add({ id: 'empty', conversationId: 'd', input: [] })
    await inbox.add({ id: 'good', conversationId: 'e', input: [{ type: 'text', text: 'x' }] })
    work()
    await until('dead', 'bad', 'empty')
    await until('done', 'good')
    expect((await task('bad')).error).toMatchObject({ code: 'invalid_argument' })
  })

  it('is done when its channel fails, and sends the same answer later', async () => {
    const sent: string[] = []
    const { ask, work, until, untilTrue, task, stores, transport } = set()
    await ask('one')
    work({
      retryBaseMs: 10,
      onReply({ text, mayBeRepeated, message, waitedMs }) {
        sent.push(`${mayBeRepeated} ${text} ${message?.role} ${waitedMs > 0}`)
        if (sent.length === 1) throw new ReplyError('429', { retryable: true, isUnsent: true })
        if (sent.length === 2) throw new ReplyError('cut', { retryable: true })
      },
    })
    await until('done', 'one')
    await untilTrue(() => sent.length === 3)
    expect(sent).toEqual([
      'false You said one assistant false',
      'false You said one assistant true',
      'true You said one assistant true',
    ])
    await untilTrue(async () => (await stores.replies.find('one')) === 'sent')
    expect(await task('one')).toMatchObject({ attempts: 1, error: undefined })
    expect(transport.requests).toHaveLength(1)
  })

  it('sends answers in order when its channel fails for longer than all attempts take', async () => {
    let isOut = true
    const { ask, work, until, untilTrue, said, errors, audited } = set({ maxAttempts: 1 })
    await ask('one', 'two', 'three')
    work({
      onReply({ task, text }) {
        if (isOut) throw new ReplyError('no network', { retryable: true, isUnsent: true })
        said.push(`${task.id}: ${text}`)
      },
    })
    await until('done', 'one', 'two', 'three')
    await vi.advanceTimersByTimeAsync(600_000)
    expect(said).toEqual([])
    expect(errors).toHaveLength(1)
    isOut = false
    await untilTrue(() => said.length === 3)
    expect(said).toEqual(['one: You said one', 'two: You said two', 'three: You said three'])
    await untilTrue(() => audited('three').at(-1) === 'reply')
  })

  it('gives up a reply that its channel refuses for good, and one that does not get through for too long', async () => {
    const undelivered: string[] = []
    const { ask, work, until, untilTrue, said, inbox, stores } = set()
    await ask('one')
    await inbox.add({ id: 'hangs', conversationId: 'other', input: 'x', maxAttempts: 1 })
    work({
      replyTimeoutMs: 1_000,
      deliveryMaxAgeMs: 30_000,
      onReply: ({ task: { id } }) =>
        id === 'one'
          ? Promise.reject(new ReplyError('blocked', { retryable: false }))
          : new Promise(() => undefined),
      onUndelivered: ({ id }, { message }) => void undelivered.push(`${id}: ${message}`),
    })
    await until('done', 'one', 'hangs')
    await untilTrue(() => undelivered.length === 2)
    expect(undelivered).toEqual(['one: blocked', expect.stringContaining('within 1 s')])
    expect(said).toEqual([])
    expect(await stores.replies.undelivered()).toMatchObject([
      { taskId: 'one', dueAt: undefined, error: { code: 'reply_failed' } },
      { taskId: 'hangs', dueAt: undefined },
    ])
  })

  it('leaves a reply that waits to the next worker when it is stopped', async () => {
    const { ask, work, until, untilTrue, said } = set()
    await ask('one')
    const hangs = Promise.withResolvers<void>()
    let tries = 0
    const worker = work({
      onReply() {
        if (++tries === 1) throw new ReplyError('cut', { retryable: true, isUnsent: true })
        return hangs.promise
      },
    })
    await until('done', 'one')
    await untilTrue(() => tries === 2)
    const stopped = worker.stop({ graceMs: 10 })
    await vi.advanceTimersByTimeAsync(20)
    await stopped
    work()
    await untilTrue(() => said.length === 1)
    expect(said).toEqual(['again one: You said one'])
  })

  it('is not stopped by a bug in what it was given', async () => {
    const { inbox, ask, work, until, task, said, errors } = set()
    const bug = () => {
      throw new TypeError('a bug')
    }
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined)
    await ask('one')
    const broken = work({ createEngine: bug, onDead: bug, onError: bug })
    await until('dead', 'one')
    expect(warn).toHaveBeenCalled()
    warn.mockRestore()
    expect((await task('one')).error).toEqual({ code: 'failed', message: 'a bug' })
    await broken.stop()
    let isBroken = true
    const flaky: typeof inbox = {
      ...inbox,
      claim(request) {
        if (!isBroken) return inbox.claim(request)
        isBroken = false
        return Promise.reject(new Error('locked'))
      },
    }
    await ask('two')
    work({ inbox: flaky })
    await until('done', 'two')
    expect(said).toEqual(['two: You said two'])
    expect(errors).toEqual([new Error('locked')])
  })

  it('writes down every phase of a task, and no other', async () => {
    let isBusy = true
    const { ask, work, until, audited } = set({
      tools: { look: noting(() => 'seen') },
      model(request) {
        if (isAfterCalls(request)) return answer('done')
        isBusy = !isBusy
        return isBusy ? callTools([{ toolCallId: 'c', toolName: 'look', input: {} }]) : busy()
      },
    })
    await ask('one')
    work()
    await until('done', 'one')
    const phases = ['ingress', 'model', 'failed', 'model', 'tool', 'model', 'reply', 'done']
    expect(audited('one')).toEqual(phases)
  })

  it('looks for what other processes have added', async () => {
    const { inbox, work, until } = set()
    work({ inbox: { ...inbox, subscribe: () => () => undefined }, pollMs: 300 })
    await vi.advanceTimersByTimeAsync(1_000)
    await inbox.add({ id: 'one', conversationId: 'c', input: 'x' })
    await until('done', 'one')
    expect(stage.said).toEqual(['one: You said x'])
  })

  it('asks the inbox for nothing while nothing is due', async () => {
    let claims = 0
    const { inbox, work } = set()
    const counted: typeof inbox = {
      ...inbox,
      claim(request) {
        claims++
        return inbox.claim(request)
      },
    }
    work({ inbox: counted, pollMs: 500 })
    await vi.advanceTimersByTimeAsync(10_000)
    expect(claims).toBeGreaterThan(15)
    expect(claims).toBeLessThan(25)
  })

  it('refuses options that cannot work', () => {
    set()
    expect(() => stage.make({ concurrency: 0 })).toThrow(/concurrency/)
    expect(() => stage.make({ leaseMs: Number.NaN })).toThrow(/leaseMs/)
  })
})
