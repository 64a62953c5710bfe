import type { LanguageModelV4Prompt } from '@ai-sdk/provider'
import { describe, expect, test } from 'vitest'
import { createDemoModel } from './demo-model.ts'
import { pacedStream } from './demo/paced-stream.ts'
import { piecesOf, speak, type SpokenPart } from './demo/speech.ts'
import { after, ask, next, partsOf } from './testing/model-steps.ts'

const word = () => crypto.randomUUID().slice(0, 8)

describe('the demo model', () => {
  test('says which tool it lacks', async () => {
    const { text, calls } = await next(ask('delete the note A'), { tools: ['list_notes'] })
    expect(text).toContain('a tool that I was not offered: `delete_note`')
    expect(calls).toEqual([])
    const none = await next(ask('delete the note A'), { toolChoice: { type: 'none' } })
    expect(none.text).toContain('I was offered none')
  })

  test('quotes an output of a shape that it does not know', async () => {
    const prompt = ask('Archive the note A')
    const step = await next(prompt)
    const secret = word()
    expect((await next(after(prompt, step, [{ other: secret }]))).text).toContain(
      `\`archive_note\` gave back:\n\n> {"other":"${secret}"}`,
    )
    const text = await next(after(prompt, step, [{ type: 'text', value: `two\n${secret}` }]))
    expect(text.text).toContain(`> two\n> ${secret}`)
  })

  test('answers the last message only, and takes the latest of two calls with one id', async () => {
    const first = ask('Archive the note A')
    const step = await next(first)
    const asked: LanguageModelV4Prompt = [
      ...after(first, step, ['done']),
      { role: 'user', content: [{ type: 'text', text: 'What time is it?' }] },
    ]
    const time = await next(asked)
    expect(time.calls.map(({ name }) => name)).toEqual(['server_time'])
    const sameId = {
      ...time,
      calls: time.calls.map((call) => ({ ...call, id: step.calls[0]!.id })),
    }
    const { text } = await next(after(asked, sameId, [{ iso: 'NOW', timeZone: 'UTC' }]))
    expect(text).toBe('The server’s clock says `NOW` (it is in the time zone UTC).')
  })

  test('streams the input of a call in pieces that make up its JSON', async () => {
    const { parts } = await next(ask('Write a note called “Long” saying “one two three four five”'))
    const deltas = parts.filter((part) => part.type === 'tool-input-delta')
    const call = parts.find((part) => part.type === 'tool-call')
    expect(deltas.length).toBeGreaterThan(3)
    expect(deltas.map(({ delta }) => delta).join('')).toBe(call?.input)
    expect(deltas.every(({ id }) => id === call?.toolCallId)).toBe(true)
  })

  test('splits text into pieces without losing a character', () => {
    for (const text of ['', ' ', 'a  b\n\n c ', '👩‍👩‍👧‍👦'.repeat(9), 'x'.repeat(30), '\tend\n']) {
      expect(piecesOf(text).join('')).toBe(text)
    }
  })

  test('counts what it used', async () => {
    const { parts } = await next(ask('Think about it'))
    const deltas = (type: string) => parts.filter((part) => part.type === type).length
    expect(parts.at(-1)).toMatchObject({
      type: 'finish',
      usage: {
        inputTokens: { total: expect.any(Number) },
        outputTokens: {
          text: deltas('text-delta'),
          reasoning: deltas('reasoning-delta'),
          total: deltas('text-delta') + deltas('reasoning-delta'),
        },
      },
    })
  })

  test('generates in one piece what it would stream', async () => {
    const model = createDemoModel()
    const prompt = ask('Think first, then archive the note A')
    const tools = [
      { type: 'function' as const, name: 'archive_note', inputSchema: { type: 'object' as const } },
    ]
    const { content, finishReason } = await model.doGenerate({ prompt, tools })
    const streamed = await next(prompt)
    expect(content).toMatchObject([
      { type: 'reasoning', text: streamed.reasoning },
      { type: 'text', text: streamed.text },
      { type: 'tool-call', toolName: 'archive_note', input: '{"title":"A"}' },
    ])
    expect(finishReason.unified).toBe('tool-calls')
    await expect(
      Promise.resolve(model.doGenerate({ prompt: ask('Break off please') })),
    ).rejects.toThrow('broke off')
  })

  test('warns of a response format that it cannot give', async () => {
    const { parts } = await next(ask('hello'), { responseFormat: { type: 'json' } })
    expect(parts[0]).toMatchObject({
      warnings: [{ type: 'unsupported', feature: 'responseFormat' }],
    })
  })

  test('takes a positive speed only', () => {
    for (const speed of [0, -1, NaN]) {
      expect(() => createDemoModel({ speed })).toThrow(/positive number/)
    }
  })
})

describe('the pace', () => {
  const prompt = ask('Write a long answer')

  test('is that of a human reader: 25 to 45 pieces a second', () => {
    const text = 'The quick brown fox jumps over the lazy dog, again and again. '.repeat(20)
    const spoken = [...speak({ text, reasoning: text }, prompt, [])]
    const pieces = spoken.filter(({ part }) => part.type.endsWith('-delta'))
    const seconds = pieces.reduce((sum, { delayMs }) => sum + delayMs, 0) / 1000
    expect(pieces.length / seconds).toBeGreaterThan(25)
    expect(pieces.length / seconds).toBeLessThan(45)
  })

  test('is divided by the speed', async () => {
    const speed = 40
    const spoken = [...speak({ text: 'word '.repeat(80) }, prompt, [])]
    const planned = spoken.reduce((sum, { delayMs }) => sum + delayMs, 0) / speed
    const before = performance.now()
    const parts = await partsOf(pacedStream(spoken.values(), speed, undefined))
    // A timer may fire up to a millisecond early.
    expect(performance.now() - before).toBeGreaterThan(planned - spoken.length)
    expect(parts).toEqual(spoken.map(({ part }) => part))
  })

  test('ends at once when it is aborted, with the reason of the signal', async () => {
    const model = createDemoModel({ speed: 0.0001 })
    const abort = new AbortController()
    const { stream } = await model.doStream({ prompt, abortSignal: abort.signal })
    const reader = stream.getReader()
    expect((await reader.read()).value).toMatchObject({ type: 'stream-start' })
    expect((await reader.read()).value).toMatchObject({ type: 'text-start' })
    const waiting = reader.read()
    const reason = new Error('enough')
    abort.abort(reason)
    await expect(waiting).rejects.toBe(reason)
    await expect(
      Promise.resolve(model.doStream({ prompt, abortSignal: abort.signal })),
    ).rejects.toBe(reason)
  })

  test('ends when the stream is cancelled', async () => {
    const { promise: ended, resolve } = Promise.withResolvers<void>()
    function* parts(): Generator<SpokenPart> {
      try {
        yield { part: { type: 'ping' }, delayMs: 0 }
        yield { part: { type: 'ping' }, delayMs: 1e8 }
      } finally {
        resolve()
      }
    }
    const reader = pacedStream(parts(), 1, undefined).getReader()
    await reader.read()
    const waiting = reader.read()
    await reader.cancel()
    expect(await waiting).toEqual({ done: true, value: undefined })
    await ended
  })
})
