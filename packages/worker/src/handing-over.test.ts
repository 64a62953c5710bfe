import { createMessageEngine, toolPlugin, type MessageEngine } from '@assent/engine'
import { answer, callTools } from '@assent/engine/testing'
import { sqliteConversations, sqliteStorage } from '@assent/node'
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
import type { Schedule } from './schedule.ts'

let stage: WorkerStage
let ran = 0

function set(options: StageOptions = {}): WorkerStage {
  stage = setStage(options)
  return stage
}

beforeEach(() => {
  ran = 0
  vi.useFakeTimers({
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'],
  })
})

afterEach(async () => {
  await stage.close()
  vi.useRealTimers()
})

/** A tool that runs until a gate opens, and a model that says what became of its call. */
function gated(): { readonly gate: PromiseWithResolvers<void>; readonly options: StageOptions } {
  const gate = Promise.withResolvers<void>()
  return {
    gate,
    options: {
      tools: {
        send: noting(async () => {
          ran++
          await gate.promise
          return 'sent'
        }),
      },
      model(request) {
        if (lastText(request) !== 'one') return answer('ok')
        const part = request.messages.at(-1)?.parts.findLast(({ type }) => type === 'tool-send')
        if (part && 'errorText' in part) return answer(`Failed: ${part.errorText}`)
        if (isAfterCalls(request)) return answer('Sent')
        return callTools([{ toolCallId: 'c', toolName: 'send', input: {} }])
      },
    },
  }
}

describe('a worker that is stopped', () => {
  it('lets what is under way come to its end, and begins nothing more', async () => {
    const { gate, options } = gated()
    const { ask, work, untilTrue, said, task } = set(options)
    await ask('one', 'two')
    const worker = work()
    await untilTrue(() => ran === 1)
    let isStopped = false
    void worker.stop({ graceMs: 5_000 }).then(() => {
      isStopped = true
    })
    await vi.advanceTimersByTimeAsync(4_000)
    expect(isStopped).toBe(false)
    gate.resolve()
    await untilTrue(() => isStopped)
    expect(said).toEqual(['one: Sent'])
    expect((await task('one')).state).toBe('done')
    expect((await task('two')).state).toBe('queued')
    expect(() => worker.start()).toThrow(/stopped/)
  })

  it('gives back what does not end in time; another one goes on and says what is not known', async () => {
    const { gate, options } = gated()
    const { ask, work, untilTrue, until, said, task, errors } = set(options)
    await ask('one', 'two')
    const worker = work()
    await untilTrue(() => ran === 1)
    const stopped = worker.stop({ graceMs: 1_000 })
    await vi.advanceTimersByTimeAsync(1_100)
    await stopped
    expect(await task('one')).toMatchObject({ state: 'queued', attempts: 0, error: undefined })
    expect(errors).toEqual([])
    work()
    await until('done', 'one', 'two')
    gate.resolve()
    expect(ran).toBe(1)
    expect(said).toEqual([expect.stringContaining('Failed: Interrupted'), 'two: ok'])
    expect(stage.transport.requests[1]?.messages.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
    ])
  })

  it('does not wait for an engine that never comes, and disposes of one that comes late', async () => {
    const late = Promise.withResolvers<MessageEngine>()
    const dispose = vi.fn<() => void>()
    const { ask, work, until, task, said } = set()
    await ask('one')
    const worker = work({ createEngine: () => late.promise })
    await until('in_progress', 'one')
    const stopped = worker.stop({ graceMs: 0 })
    await vi.advanceTimersByTimeAsync(10)
    await stopped
    expect(await task('one')).toMatchObject({ state: 'queued', attempts: 0 })
    const engine = createMessageEngine({ transport: stage.transport })
    late.resolve({ ...engine, dispose })
    work()
    await until('done', 'one')
    expect(dispose).toHaveBeenCalledOnce()
    expect(said).toEqual(['one: You said one'])
  })

  it('stops at once when nothing is under way', async () => {
    const { work } = set()
    const worker = work()
    await vi.advanceTimersByTimeAsync(100)
    await expect(worker.stop()).resolves.toBeUndefined()
    await expect(stage.make().stop()).resolves.toBeUndefined()
  })
})

describe('a worker that lost its task', () => {
  it('ends its turn, and writes and says nothing', async () => {
    const { gate, options } = gated()
    const { ask, work, untilTrue, until, said, inbox } = set(options)
    await ask('one')
    const deaf: Schedule = (run, ms) => {
      // Its heart does not beat, as in a process that stands still.
      if (ms === 1_000) return () => undefined
      const timer = setTimeout(run, ms)
      return () => clearTimeout(timer)
    }
    work({ leaseMs: 3_000, schedule: deaf, name: 'first' })
    await untilTrue(() => ran === 1)
    vi.setSystemTime(Date.now() + 60_000)
    work({ leaseMs: 3_000, name: 'second' })
    await until('done', 'one')
    gate.resolve()
    await vi.advanceTimersByTimeAsync(2_000)
    expect(said).toEqual([expect.stringContaining('Failed: Interrupted')])
    expect((await inbox.get('one'))?.lease).toBeUndefined()
    expect(stage.transport.requests).toHaveLength(2)
  })

  it('says that it lives, so that the task is not held against whoever has it now', async () => {
    const { gate, options } = gated()
    const { ask, work, untilTrue, until, inbox, stores } = set(options)
    await ask('one')
    let isLost = false
    const vouched: string[] = []
    work({
      leaseMs: 3_000,
      name: 'first',
      inbox: {
        ...inbox,
        heartbeat: async (...given) => !isLost && inbox.heartbeat(...given),
        async vouch(claim) {
          const isVouched = (await stores.inbox.vouch?.(claim)) ?? false
          vouched.push(`${claim.task.id} ${claim.worker} ${isVouched}`)
          return isVouched
        },
      },
    })
    await untilTrue(() => ran === 1)
    // Another one has it before this one can say that its lease ended.
    isLost = true
    vi.setSystemTime(Date.now() + 60_000)
    const next = await inbox.claim({ worker: 'second', leaseMs: 60_000 })
    expect(next).toMatchObject({ isTakenOver: true, isSuspect: true })
    await untilTrue(() => vouched.length > 0)
    gate.resolve()
    expect(vouched).toEqual(['one first true'])
    if (next) await inbox.release(next)
    work({ leaseMs: 3_000, name: 'third' })
    await until('done', 'one')
  })

  it('notices it with the next sign of life', async () => {
    const aborted = Promise.withResolvers<void>()
    const { ask, work, untilTrue, inbox } = set({
      tools: {
        send: noting((_input, signal) => {
          ran++
          signal?.addEventListener('abort', () => aborted.resolve())
          return new Promise(() => undefined)
        }),
      },
      model: () => callTools([{ toolCallId: 'c', toolName: 'send', input: {} }]),
    })
    await ask('one')
    let isLost = false
    work({
      leaseMs: 3_000,
      inbox: {
        ...inbox,
        heartbeat: (claim, leaseMs) =>
          isLost ? Promise.resolve(false) : inbox.heartbeat(claim, leaseMs),
        release: () => Promise.resolve(false),
        claim: (request) => (ran > 0 ? Promise.resolve(undefined) : inbox.claim(request)),
      },
    })
    await untilTrue(() => ran === 1)
    await vi.advanceTimersByTimeAsync(10_000)
    isLost = true
    await vi.advanceTimersByTimeAsync(1_100)
    await aborted.promise
    expect((await inbox.get('one'))?.state).toBe('tool_round')
  })

  it('waits for a conversation that somebody else still holds', async () => {
    const { ask, work, until, database, said } = set()
    await ask('one')
    const hold = await sqliteConversations(database).hold('chat')
    work({ leaseMs: 3_000 })
    await vi.advanceTimersByTimeAsync(60_000)
    expect(said).toEqual([])
    await hold?.release()
    await until('done', 'one')
    expect((await stage.task('one')).attempts).toBe(1)
  })
})

describe('what a crash has left', () => {
  const EARLIER = { task: { id: 'one', conversationId: 'chat' }, epoch: 0 }

  it('a reply that was noted goes out, and the model is not asked', async () => {
    const { ask, work, until, said, stores, transport } = set()
    await ask('one')
    await stores.replies.record(EARLIER, { text: 'hi', message: undefined })
    work()
    await until('done', 'one')
    expect([said, transport.requests]).toEqual([['one: hi'], []])
  })

  it('a reply that was on its way goes out again, and is said to be', async () => {
    const { ask, work, until, said, stores } = set()
    await ask('one')
    const { replies } = stores
    await replies.record(EARLIER, { text: 'hi', message: undefined })
    await replies.begin(EARLIER)
    work()
    await until('done', 'one')
    expect(said).toEqual(['again one: hi'])
  })

  it('a reply that went out does not go out again', async () => {
    const { ask, work, until, said, stores } = set()
    await ask('one')
    const { replies } = stores
    await replies.record(EARLIER, { text: 'hi', message: undefined })
    await replies.begin(EARLIER)
    await replies.sent(EARLIER)
    work()
    await until('done', 'one')
    expect(said).toEqual([])
  })

  it('a turn that somebody else left waiting ends when a task begins', async () => {
    const { ask, work, until, said, database, transport } = set({
      model: (request) =>
        lastText(request) === 'one'
          ? answer('ok')
          : callTools([{ toolCallId: 'c', toolName: 'send', input: {} }]),
    })
    const send = noting(() => ran++)
    const engine = createMessageEngine({
      id: 'chat',
      transport,
      storage: sqliteStorage(database),
      plugins: [toolPlugin({ tools: { send }, toolApproval: () => 'user-approval' })],
    })
    await engine.sendMessage('before')
    expect(engine.getState().requestState).toBe('paused')
    engine.dispose()
    await ask('one')
    work()
    await until('done', 'one')
    expect([said, ran]).toEqual([['one: ok'], 0])
    const [, left] = transport.requests.at(-1)?.messages ?? []
    expect(left?.parts.at(-1)).toMatchObject({
      type: 'tool-send',
      state: 'output-error',
      errorText: expect.stringContaining('Aborted'),
    })
  })

  it('the turn of a task that is dead by now does nothing more', async () => {
    const { gate, options } = gated()
    const { ask, work, untilTrue, until, inbox, said, audited } = set({
      ...options,
      maxAttempts: 1,
    })
    await ask('one', 'two')
    const worker = work({ leaseMs: 3_000 })
    await untilTrue(() => ran === 1)
    // As if the process had ended: what is stored stays, and nobody gives the claim back.
    const release = vi.spyOn(inbox, 'release').mockResolvedValue(true)
    const stopped = worker.stop({ graceMs: 0 })
    await vi.advanceTimersByTimeAsync(100)
    await stopped
    release.mockRestore()
    // The process that has it alone ends as well.
    await untilTrue(async () => (await inbox.claim({ worker: 'w', leaseMs: 100 })) !== undefined)
    const dead: unknown[] = []
    work({ leaseMs: 3_000, onDead: ({ id }, { code }) => void dead.push([id, code]) })
    await until('dead', 'one')
    await until('done', 'two')
    gate.resolve()
    expect(ran).toBe(1)
    expect(dead).toEqual([['one', 'worker_lost']])
    expect(audited('one').at(-1)).toBe('failed')
    expect(said).toEqual(['two: ok'])
    expect((await inbox.get('one'))?.error?.code).toBe('worker_lost')
  })
})

describe('a reply that waited', () => {
  /** A worker whose second try to send it lasts until a gate opens. */
  async function sending(isKilled = () => false) {
    const gate = Promise.withResolvers<void>()
    const { ask, work, untilTrue, until, stores } = set()
    let tries = 0
    await ask('one')
    const { replies } = stores
    work({
      leaseMs: 3_000,
      replies: {
        ...replies,
        // Nothing is heard of one that is killed.
        next: async (ms) => (isKilled() ? undefined : replies.next(ms)),
        async extend(...given) {
          if (isKilled()) throw new Error('It was killed.')
          return replies.extend(...given)
        },
      },
      async onReply() {
        tries += 1
        if (tries === 1) throw new ReplyError('Not now.', { retryable: true, isUnsent: true })
        await gate.promise
      },
    })
    await until('done', 'one')
    await untilTrue(() => tries === 2)
    return gate
  }

  it('is with one worker for as long as that sends it', async () => {
    const gate = await sending()
    const { work, untilTrue, stores, said } = stage
    work({ leaseMs: 3_000 })
    await vi.advanceTimersByTimeAsync(15_000)
    gate.resolve()
    await untilTrue(async () => (await stores.replies.find('one')) === 'sent')
    expect(said).toEqual([])
  })

  it('is sent by another one a lease after its worker was killed', async () => {
    let isKilled = false
    const gate = await sending(() => isKilled)
    const { work, untilTrue, said } = stage
    isKilled = true
    const killedAt = Date.now()
    work({ leaseMs: 3_000 })
    await untilTrue(() => said.length === 1)
    expect(said).toEqual(['again one: You said one'])
    expect(Date.now() - killedAt).toBeLessThan(5_000)
    gate.resolve()
  })
})
