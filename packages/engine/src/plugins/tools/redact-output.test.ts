import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { createToolEngine } from '../../../test/tool-engine.ts'
import { answer, callTools, untilState } from '../../testing/index.ts'
import type { Redact, RedactContext } from './options.ts'

const inputSchema = z.object({})
const run = { toolCallId: '1', toolName: 'run', input: {} }
const SECRET = 'hunter2-secret'
const redact: Redact = (text) => text.replaceAll(SECRET, '***')

/** Runs one call of a tool to the end of its turn; every state that was ever published is kept. */
async function runOne(execute: () => unknown, redactText: Redact = redact, more = {}) {
  const made = createToolEngine([callTools(run), answer('ok')], {
    tools: { run: { inputSchema, execute } },
    redact: redactText,
    ...more,
  })
  const published: string[] = []
  made.engine.subscribe(() => published.push(JSON.stringify(made.engine.getState().messages)))
  await made.engine.sendMessage('go')
  return { ...made, part: made.sentCalls(2)[0], published }
}

describe('the output of a tool that runs here', () => {
  it('has no secret before it is stored, shown or sent: in no text of it, nor in its keys', async () => {
    const { part, published, transport } = await runOne(() => ({
      text: `token ${SECRET}.`,
      list: [`a ${SECRET}`, { deep: { [`key ${SECRET}`]: 1 } }],
      number: 7,
      nothing: null,
    }))
    expect(part?.output).toEqual({
      text: 'token ***.',
      list: ['a ***', { deep: { 'key ***': 1 } }],
      number: 7,
      nothing: null,
    })
    expect(published.join() + JSON.stringify(transport.requests)).not.toContain(SECRET)
  })

  it('is redacted as the JSON that is stored, whatever the fields of the object are', async () => {
    const { part } = await runOne(() => ({
      link: new URL(`https://x.test/?key=${SECRET}`),
      own: { toJSON: () => `made ${SECRET}` },
    }))
    expect(part?.output).toEqual({ link: 'https://x.test/?key=***', own: 'made ***' })
  })

  it('loses no field when two keys become the same text, and takes `__proto__` as a key', async () => {
    const both: Redact = (text) => text.replaceAll(/secret-\d/g, '***')
    const output = JSON.parse('{"secret-1":1,"secret-2":2,"__proto__":{"x":"secret-3"}}') as unknown
    const { part } = await runOne(() => output, both)
    expect(JSON.stringify(part?.output)).toBe('{"***":1,"*** 2":2,"__proto__":{"x":"***"}}')
  })

  it('tells the function the tool, the key that has the text, and that nothing follows', async () => {
    const seen: [string, RedactContext][] = []
    await runOne(
      () => ({ password: ['a', 'b'] }),
      (text, context) => {
        seen.push([text, context])
        return text
      },
    )
    const whole = { toolName: 'run', isPartial: false }
    const within = { fields: { password: ['a', 'b'] } }
    expect(seen).toEqual([
      ['password', whole],
      ['a', { ...whole, key: 'password', within }],
      ['b', { ...whole, key: 'password', within }],
    ])
  })

  it('is redacted before it is cut: a bound cannot cut a secret so that it stays', async () => {
    const { part } = await runOne(() => `${'x'.repeat(20)}${SECRET}${'y'.repeat(20)}`, redact, {
      maxOutputBytes: 24,
    })
    expect(part?.output).toMatch(/^x{20}\*\*\*y\n\[Output cut/)
  })

  it('has no secret either when it is an error', async () => {
    const { part, published } = await runOne(() => {
      throw new Error(`no access with ${SECRET}`)
    })
    expect(part).toMatchObject({ state: 'output-error', errorText: 'no access with ***' })
    expect(published.join()).not.toContain(SECRET)
  })
})

describe('a redact that fails', () => {
  it.each([
    [
      'throws',
      () => {
        throw new Error('broken')
      },
    ],
    ['answers nothing', () => undefined as never],
    ['answers a promise', (async (text: string) => text) as never],
  ] as [string, Redact][])('lets nothing through when it %s', async (_name, broken) => {
    const { part, published, errors, engine } = await runOne(() => `token ${SECRET}`, broken)
    expect(part).toMatchObject({
      state: 'output-error',
      errorText: expect.stringMatching(/withheld.*may have taken effect/),
    })
    expect(published.join()).not.toContain(SECRET)
    expect(errors).toMatchObject([{ code: 'tool_output_invalid', details: { toolName: 'run' } }])
    expect(engine.getState().requestState).toBe('completed')
  })

  it('lets no error text through either, and is reported', async () => {
    const { part, errors } = await runOne(
      () => {
        throw new Error(SECRET)
      },
      () => {
        throw new Error('broken')
      },
    )
    expect(part).toMatchObject({ errorText: expect.stringContaining('withheld') })
    expect(errors).toHaveLength(1)
  })

  it('ends a tool that yields, which is closed', async () => {
    let closed = 0
    const { part } = await runOne(
      async function* () {
        try {
          yield `${SECRET} `
          yield 'never'
        } finally {
          closed++
        }
      },
      () => {
        throw new Error('broken')
      },
    )
    expect(part).toMatchObject({ state: 'output-error' })
    expect(closed).toBe(1)
  })
})

describe('what a tool yields', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  /** Streams a text as a growing whole, one more character each time. */
  async function stream(
    text: string,
    redactText: Redact,
    wrap = (whole: string): unknown => whole,
  ) {
    const next = Array.from({ length: text.length + 1 }, () => Promise.withResolvers<void>())
    const { engine, calls, sentCalls, completed } = createToolEngine(
      [callTools(run), answer('ok')],
      {
        tools: {
          run: {
            inputSchema,
            execute: async function* () {
              for (let length = 1; length <= text.length; length++) {
                yield wrap(text.slice(0, length))
                await next[length]?.promise
              }
            },
          },
        },
        redact: redactText,
      },
    )
    const shown: unknown[] = []
    void engine.sendMessage('go')
    for (let length = 1; length <= text.length; length++) {
      await vi.advanceTimersByTimeAsync(20)
      shown.push(calls()[0]?.output)
      next[length]?.resolve()
    }
    await completed()
    return { shown, output: sentCalls(2)[0]?.output }
  }

  it('is shown without its last word, so that no beginning of a secret is seen', async () => {
    const { shown, output } = await stream(`a ${SECRET} b`, redact)
    expect(new Set(shown)).toEqual(new Set(['', 'a ', 'a *** ']))
    // The end of the output is no beginning of anything any more.
    expect(output).toBe('a *** b')
  })

  it('is shown so in every text of it', async () => {
    const { shown, output } = await stream(SECRET, redact, (whole) => ({ log: [whole, 'a b'] }))
    expect(new Set(shown.map((value) => JSON.stringify(value)))).toEqual(
      new Set(['{"log":["","a "]}']),
    )
    expect(output).toEqual({ log: ['***', 'a b'] })
  })

  it('is shown as far as a function says that keeps beginnings back by itself', async () => {
    const holding: Redact = Object.assign(
      (text: string, { isPartial }: RedactContext) => (isPartial ? text.slice(0, 3) : text),
      { holdsBack: true },
    )
    const { shown, output } = await stream('loading', holding)
    expect(new Set(shown)).toEqual(new Set(['l', 'lo', 'loa']))
    expect(output).toBe('loading')
  })
})

it('without redact an output stays as it is', async () => {
  const { engine, sentCalls } = createToolEngine([callTools(run), answer('ok')], {
    tools: { run: { inputSchema, execute: () => `x ${SECRET}` } },
  })
  await engine.sendMessage('go')
  await untilState(engine, ({ requestState }) => requestState === 'completed')
  expect(sentCalls(2)).toMatchObject([{ output: `x ${SECRET}` }])
})
