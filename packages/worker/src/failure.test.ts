import { EngineError } from '@assent/engine'
import { DatabaseError, modelError } from '@assent/node'
import { APICallError } from 'ai'
import { describe, expect, it } from 'vitest'
import { failureOf } from './failure.ts'
import { ReplyError } from './reply-error.ts'
import { retryDelayMs } from './retry-delay.ts'

const apiError = (statusCode: number | undefined, responseHeaders: Record<string, string> = {}) =>
  new APICallError({
    message: 'The provider says no.',
    url: 'https://provider.example/v1',
    requestBodyValues: {},
    ...(statusCode !== undefined && { statusCode }),
    responseHeaders,
  })

const withCode = (code: string) => Object.assign(new Error('socket'), { code })

describe('a failure', () => {
  it.each<[string, unknown]>([
    ['a provider that is busy', modelError(apiError(429))],
    ['a provider that is broken', modelError(apiError(503))],
    ['a provider that was not reached', modelError(apiError(undefined))],
    ['a provider that took too long', modelError(new DOMException('late', 'TimeoutError'))],
    ['a stream that was cut', new EngineError('stream_cut', 'cut')],
    ['a turn that was interrupted', new EngineError('interrupted', 'cut')],
    ['a status of a route', new EngineError('http_status', '502', { details: { status: 502 } })],
    ['an error of the AI SDK as it is', apiError(500)],
    ['a connection that was refused', new TypeError('fetch', { cause: withCode('ECONNREFUSED') })],
    ['a name that was not found', withCode('EAI_AGAIN')],
    ['a database that others keep', new DatabaseError('database_busy', 'busy')],
    ['a database that is down', new DatabaseError('database_unreachable', 'down')],
    ['a channel that says so', new ReplyError('429', { retryable: true })],
    ['an error with a status', Object.assign(new Error('x'), { status: 500 })],
    [
      'a cause beneath another',
      new Error('x', { cause: new Error('y', { cause: apiError(529) }) }),
    ],
  ])('passes: %s', (_name, error) => {
    expect(failureOf(error)).toMatchObject({ isTransient: true })
  })

  it.each<[string, unknown]>([
    ['a key that was refused', modelError(apiError(401))],
    ['a prompt that was refused', modelError(apiError(400))],
    ['a hook that threw', new EngineError('hook_failed', 'a bug', { cause: new TypeError('x') })],
    [
      'an approval that had no answer, which a person sends again',
      new EngineError('decision_unanswered', 'deploy may have run', {
        cause: new EngineError('stream_cut', 'cut'),
        retryable: true,
      }),
    ],
    ['a bug', new TypeError('x is not a function')],
    ['a database that is full', new DatabaseError('database_unwritable', 'full')],
    ['a channel that says so', new ReplyError('blocked', { retryable: false })],
    ['a refusal of the AI SDK as it is', apiError(400)],
    ['a status that says no', Object.assign(new Error('x'), { statusCode: 404 })],
    ['what is no error', { toString: 1 }],
    ['nothing', undefined],
  ])('stays: %s', (_name, error) => {
    expect(failureOf(error)).toMatchObject({ isTransient: false })
  })

  it('says how long to wait', () => {
    const busy = modelError(apiError(429, { 'retry-after': '7' }))
    expect(failureOf(busy).retryAfterMs).toBe(7_000)
    expect(failureOf(new EngineError('hook_failed', 'x', { cause: busy })).retryAfterMs).toBe(7_000)
    expect(failureOf(new ReplyError('x', { retryable: true, retryAfterMs: 3 })).retryAfterMs).toBe(
      3,
    )
  })

  it('says what it was, in words that fit', () => {
    expect(failureOf(new Error('x'.repeat(5_000))).message).toHaveLength(2_002)
    expect(failureOf('some text').message).toBe('some text')
    expect(failureOf(null)).toEqual({
      code: 'failed',
      message: 'It failed without saying why.',
      isTransient: false,
    })
    expect(failureOf(withCode('ENOENT'))).toMatchObject({ code: 'ENOENT', message: 'socket' })
  })

  it('keeps secrets to itself', () => {
    const key = `sk-ant-api03-${'a1B2c3D4'.repeat(11)}`
    const { message } = failureOf(new Error(`The key ${key} was refused; password=hunter2hunter2`))
    expect(message).toContain('was refused')
    expect(message).not.toMatch(/a1B2c3D4|hunter2/)
  })

  it('ends with causes that go round in circles', () => {
    const error = new Error('round')
    error.cause = error
    expect(failureOf(error).isTransient).toBe(false)
  })
})

describe('the time until the next attempt', () => {
  const most = (attempts: number) =>
    retryDelayMs({ attempts, baseMs: 2_000, random: () => 1 - Number.EPSILON })

  it('is anything up to a bound that doubles up to a minute', () => {
    expect([1, 2, 3, 4, 5, 6, 60, 2_000].map(most)).toEqual([
      2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000,
    ])
    expect(retryDelayMs({ attempts: 3, baseMs: 2_000, random: () => 0 })).toBe(0)
    const middle = Array.from({ length: 200 }, () => retryDelayMs({ attempts: 2, baseMs: 2_000 }))
    expect(Math.max(...middle)).toBeLessThanOrEqual(4_000)
    expect(new Set(middle).size).toBeGreaterThan(150)
  })

  it('is never less than what was asked for, and not the same for all', () => {
    const waits = [0, 0.5, 0.9].map((value) =>
      retryDelayMs({ attempts: 9, baseMs: 2_000, retryAfterMs: 90_000, random: () => value }),
    )
    expect(waits).toEqual([90_000, 91_000, 91_800])
  })
})
