import { EngineError } from '@assent/engine'
import { DatabaseError, modelError } from '@assent/node'
import { APICallError, InvalidResponseDataError, JSONParseError } from 'ai'
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
    ['a database that makes no sense of it', new DatabaseError('invalid_argument', 'too long')],
    ['a channel that says so', new ReplyError('blocked', { retryable: false })],
    ['a refusal of the AI SDK as it is', apiError(400)],
    ['a status that says no', Object.assign(new Error('x'), { statusCode: 404 })],
    ['what is no error', { toString: 1 }],
    ['nothing', undefined],
  ])('stays: %s', (_name, error) => {
    expect(failureOf(error)).toMatchObject({ isTransient: false })
  })

  const states = [
    '08006',
    '40001',
    '40P01',
    '53100',
    '53200',
    '53300',
    '53XYZ',
    '55000',
    '55P03',
    '57014',
    '57P01',
    '57P03',
    '58030',
    '58P01',
    'XX000',
    'XX001',
  ]
  const databases = (['unreachable', 'busy', 'unwritable', 'unreadable'] as const).map(
    (what) => [what, new DatabaseError(`database_${what}`, 'away')] as const,
  )

  describe.each([
    ...states.map((state) => [state, withCode(state)] as const),
    ...databases,
    ['hold_lost', new DatabaseError('hold_lost', 'gone')] as const,
  ])('of a database (%s)', (_state, cause) => {
    it.each([
      ['as it is', cause],
      ['in a hook', new EngineError('hook_failed', 'a hook failed', { cause })],
      ['in a store', new EngineError('storage_failed', 'not stored', { cause })],
      ['deep down', new EngineError('hook_failed', 'x', { cause: new Error('y', { cause }) })],
    ])('passes, and is none of the task’s doing: %s', (_where, error) => {
      expect(failureOf(error)).toMatchObject({ isTransient: true, outage: 'storage' })
    })
  })

  it.each(['22P05', '22003', '23505', '42P01', '42601'])(
    'stays when a database says it of what it was asked for (%s)',
    (state) => {
      const cause = withCode(state)
      const failed = new EngineError('hook_failed', 'a hook failed', { cause })
      for (const error of [cause, failed]) {
        expect(failureOf(error)).toMatchObject({ isTransient: false })
        expect(failureOf(error).outage).toBeUndefined()
      }
      // It is tried again, as it may be another change that is stored then.
      const unstored = failureOf(new EngineError('storage_failed', 'not stored', { cause }))
      expect(unstored).toMatchObject({ isTransient: true, outage: undefined })
    },
  )

  it.each<[string, unknown]>([
    ['a stream that was cut', new EngineError('stream_cut', 'cut')],
    ['one that ended cleanly', new EngineError('stream_without_finish', 'cut')],
    ['a connection that broke', modelError(withCode('ECONNRESET'))],
    [
      'a body that ended in the middle',
      modelError(
        new InvalidResponseDataError({
          data: undefined,
          message: 'ended without a finish reason.',
        }),
      ),
    ],
    ['half an event', modelError(new JSONParseError({ text: '{"id":', cause: undefined }))],
  ])('is one of an answer that broke off: %s', (_name, error) => {
    expect(failureOf(error)).toMatchObject({ isTransient: true, outage: 'answer' })
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
