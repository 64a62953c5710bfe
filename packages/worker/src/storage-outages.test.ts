import { EngineError } from '@assent/engine'
import { answer, callTools } from '@assent/engine/testing'
import { DatabaseError } from '@assent/node'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  isAfterCalls,
  noting,
  setStage,
  type StageOptions,
  type WorkerStage,
} from '../test/worker-stage.ts'
import type { Claim, Inbox } from './inbox.ts'

let stage: WorkerStage
let ran = 0
/** The database is away until then. */
let awayUntil = 0

beforeEach(() => {
  vi.useFakeTimers({
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'performance'],
  })
  ran = 0
  awayUntil = 0
})

afterEach(async () => {
  await stage.close()
  vi.useRealTimers()
})

const away = () => new DatabaseError('database_unreachable', 'The database does not answer.')

/** A store whose methods fail while the database is away. */
function flaky<STORE extends object>(store: STORE): STORE {
  return new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name)
      if (typeof value !== 'function' || name === 'subscribe') return value
      return async (...values: unknown[]) => {
        if (Date.now() < awayUntil) throw away()
        return Reflect.apply(value, target, values)
      }
    },
  })
}

/** Tells of each claim that a worker gets. */
function watching(inbox: Inbox, claims: Claim[]): Inbox {
  return {
    ...inbox,
    async claim(request) {
      const claim = await inbox.claim(request)
      if (claim) claims.push(claim)
      return claim
    },
  }
}

/** A tool, after which the database goes away for so long; and a model that is told of its result. */
const goesAway = (ms: number): StageOptions => ({
  tools: {
    look: noting(() => {
      ran++
      awayUntil = Date.now() + ms
      return 'seen'
    }),
  },
  model: (request) =>
    isAfterCalls(request)
      ? answer('done')
      : callTools([{ toolCallId: 'c', toolName: 'look', input: {} }]),
})

/** A worker whose inbox, replies and audit fail while the database is away. */
async function workOnFlaky(options: StageOptions, leaseMs: number): Promise<Claim[]> {
  stage = setStage(options)
  const { inbox, replies, audit } = stage.stores
  const claims: Claim[] = []
  await stage.ask('one')
  stage.work({
    inbox: watching(flaky({ ...inbox }), claims),
    replies: flaky({ ...replies }),
    audit: audit && flaky({ ...audit }),
    leaseMs,
    retryBaseMs: 100,
  })
  await stage.until('done', 'one')
  return claims
}

describe('a database that is away', () => {
  it('for a moment leaves no task to the end of its lease', async () => {
    const from = Date.now()
    const claims = await workOnFlaky(goesAway(500), 15_000)
    expect(Date.now() - from).toBeLessThan(5_000)
    expect(claims.map(({ isTakenOver, isSuspect }) => isTakenOver || isSuspect)).not.toContain(true)
    expect([ran, stage.said]).toEqual([1, ['one: done']])
  })

  it('for longer than a lease makes no suspect of a task whose worker lives, and uses up no attempt', async () => {
    const claims = await workOnFlaky(goesAway(40_000), 3_000)
    expect(claims.map(({ isTakenOver, isSuspect }) => isTakenOver || isSuspect)).not.toContain(true)
    expect([ran, stage.said]).toEqual([1, ['one: done']])
    expect((await stage.task('one')).attempts).toBe(1)
  })

  it('again and again buries no task', async () => {
    let times = 0
    const blips: StageOptions = {
      ...goesAway(0),
      model(request) {
        if (!isAfterCalls(request)) {
          return callTools([{ toolCallId: 'c', toolName: 'look', input: {} }])
        }
        if (times++ < 8) {
          awayUntil = Date.now() + 300
          throw new EngineError('hook_failed', 'A hook failed.', { cause: away() })
        }
        return answer('done')
      },
    }
    await workOnFlaky(blips, 15_000)
    expect([ran, stage.said, times]).toEqual([1, ['one: done'], 9])
    expect((await stage.task('one')).attempts).toBe(1)
  })
})

it('asks nobody again about a call that was approved when the audit was away for a moment', async () => {
  stage = setStage({
    tools: { book: noting(() => `booked ${++ran}`) },
    toolApproval: () => 'user-approval',
    model: (request) =>
      isAfterCalls(request)
        ? answer('done')
        : callTools([{ toolCallId: 'c', toolName: 'book', input: {} }]),
  })
  const { audit } = stage.stores
  if (!audit) throw new Error('There is no audit.')
  let failures = 0
  stage.work({
    audit: {
      ...audit,
      async recordTask(change) {
        if (change.phase === 'tool' && ran === 0 && failures < 6 && failures++ >= 3) throw away()
        return audit.recordTask(change)
      },
    },
  })
  await stage.ask('one')
  await stage.until('parked', 'one')
  failures = 3
  await stage.inbox.answer('one', { decisions: [{ toolCallId: 'c', outcome: 'yes' }] })
  await stage.until('done', 'one')
  expect([failures, ran, stage.said]).toEqual([6, 1, ['one: done']])
  expect((await stage.task('one')).attempts).toBe(1)
})

describe('an answer that breaks off', () => {
  const cutting = (until: () => boolean): StageOptions => ({
    model: () => (until() ? answer('done') : new EngineError('stream_cut', 'The stream was cut.')),
  })

  it('for some seconds kills no task', async () => {
    const from = Date.now()
    stage = setStage(cutting(() => Date.now() - from > 5_000))
    await stage.ask('one')
    const held: string[] = []
    stage.work({ retryBaseMs: 100, onHeld: (_task, { code }) => void held.push(code) })
    await stage.until('done', 'one')
    expect(held).toEqual(['model_unreachable'])
    expect((await stage.task('one')).attempts).toBe(1)
  })

  it('for ever is given up after some minutes', async () => {
    const from = Date.now()
    stage = setStage(cutting(() => false))
    await stage.ask('one')
    stage.work()
    for (let minute = 0; minute < 10; minute++) {
      await vi.advanceTimersByTimeAsync(60_000)
      await new Promise<void>((resolve) => void setImmediate(resolve))
    }
    await stage.until('dead', 'one')
    expect(Date.now() - from).toBeGreaterThan(5 * 60_000)
    expect(await stage.task('one')).toMatchObject({ attempts: 3, error: { code: 'stream_cut' } })
  })
})

describe('a task whose last worker ended', () => {
  const EARLIER = { task: { id: 'one', conversationId: 'chat' }, epoch: 0 }

  it.each(['recorded', 'going out', 'sent'])('is done when its reply was %s', async (how) => {
    stage = setStage({ maxAttempts: 1 })
    const { inbox, replies } = stage.stores
    await stage.ask('one')
    for (let workers = 0; workers < 2; workers++) {
      expect(await inbox.claim({ worker: 'w', leaseMs: 10 })).toBeDefined()
      vi.setSystemTime(Date.now() + 20)
    }
    await replies.record(EARLIER, { text: 'hi', message: undefined })
    if (how !== 'recorded') await replies.begin(EARLIER)
    if (how === 'sent') await replies.sent(EARLIER)
    const dead: string[] = []
    stage.work({ onDead: ({ id }) => void dead.push(id), retryBaseMs: 100 })
    await stage.until('done', 'one')
    await stage.untilTrue(async () => (await replies.find('one')) === 'sent')
    expect(dead).toEqual([])
    expect(stage.said).toEqual(how === 'sent' ? [] : ['again one: hi'])
  })
})
