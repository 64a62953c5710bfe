import type { UIMessageChunk } from 'ai'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { EngineError, isEngineError } from '../errors.ts'
import { createChunkParser } from './chunk-parser.ts'

const short = fc.oneof(
  fc.constantFrom('', 'a', 'b', '0', 'delta', 'x"y', '\\', '","delta":"'),
  fc.string(),
)

/** Chunks that repeat their ids, so that templates are learned, met and missed. */
const chunk = fc.oneof(
  { weight: 4, arbitrary: fc.record({ type: fc.constant('text-delta'), id: short, delta: short }) },
  {
    weight: 2,
    arbitrary: fc.record({ type: fc.constant('reasoning-delta'), id: short, delta: short }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('tool-input-delta'),
      toolCallId: short,
      inputTextDelta: short,
    }),
  },
  fc.record({
    type: fc.constant('text-delta'),
    id: short,
    delta: short,
    providerMetadata: fc.dictionary(fc.string(), fc.jsonValue()),
  }),
  fc.record({ delta: short, id: short, type: fc.constant('text-delta') }),
  fc.record({ type: fc.constant('text-delta'), id: short, note: short, delta: short }),
  fc.record({ type: fc.constant('text-delta'), id: fc.integer(), delta: short }),
  fc.record({ type: fc.constant('text-delta'), id: short, delta: fc.jsonValue() }),
  fc.record({ type: fc.string(), anything: fc.jsonValue() }),
)

const text = fc.oneof(
  { weight: 6, arbitrary: chunk.map((value) => JSON.stringify(value)) },
  chunk.map((value) => JSON.stringify(value, null, 1)),
  chunk.map((value) => JSON.stringify(value).replace(/":/g, '": ')),
  chunk.map((value) =>
    JSON.stringify(value).replace(/[a-d]/g, (c) => `\\u00${c.charCodeAt(0).toString(16)}`),
  ),
  chunk.map((value) => JSON.stringify(value).replace(/"[^"]*"\}$/, '"}')),
  // The same key twice, a string that is cut in two, control characters, rubbish behind.
  chunk.map((value) => JSON.stringify(value).replace(/\}$/, ',"delta":"again"}')),
  fc.tuple(chunk, fc.nat()).map(([value, at]) => {
    const whole = JSON.stringify(value)
    const cut = at % (whole.length + 1)
    return `${whole.slice(0, cut)}"${whole.slice(cut)}`
  }),
  fc
    .tuple(chunk, fc.constantFrom('\n', '\t', '\0', '\u001f', '\u007f', '\u2028', '\ud800'))
    .map(([value, control]) => JSON.stringify(value).replace(/"\}$/, `${control}"}`)),
  chunk.map((value) => `${JSON.stringify(value)}}`),
  fc.constantFrom('null', '[]', '"text"', '3', '{}', '{"type":1}', '', '{"type":"text-delta"'),
)

/** Reads events where a scanner finds them: in the middle of other text. */
function parserInContext(): (event: string) => UIMessageChunk {
  const parse = createChunkParser()
  return (event) => parse(`"}data: ${event}"}`, 8, 8 + event.length)
}

/** What the parser is an optimisation of. */
function parsePlainly(event: string): unknown {
  try {
    const value: unknown = JSON.parse(event)
    if (value instanceof Object && 'type' in value && typeof value.type === 'string') return value
  } catch {
    // No JSON is no chunk either.
  }
  throw new EngineError('stream_malformed', 'no chunk')
}

/** A chunk with its keys in order, or the code of the error. */
function outcome(parse: (event: string) => unknown, event: string): unknown {
  try {
    const value = parse(event)
    return { value, keys: Object.keys(value instanceof Object ? value : {}) }
  } catch (error) {
    if (isEngineError(error)) return error.code
    throw error
  }
}

test('reads any events as JSON.parse does, in whatever order they come', () => {
  let chunks = 0
  fc.assert(
    fc.property(fc.array(text, { maxLength: 40 }), (texts) => {
      const parse = parserInContext()
      for (const event of texts) {
        const expected = outcome(parsePlainly, event)
        expect(outcome(parse, event)).toStrictEqual(expected)
        if (typeof expected === 'object') chunks += 1
      }
    }),
    { numRuns: 2_000 },
  )
  expect(chunks).toBeGreaterThan(5_000)
})

test('reads deltas of parts that stream in turn, also more than it has templates for', () => {
  const parse = parserInContext()
  for (let index = 0; index < 60; index += 1) {
    const value = { type: 'text-delta', id: `text-${index % 6}`, delta: `word ${index}` }
    expect(parse(JSON.stringify(value))).toStrictEqual(value)
  }
})

test.each([
  [
    'a further key',
    '{"type":"text-delta","id":"0","note":"n","delta":"a"}',
    '{"type":"text-delta","id":"0","note":"n","delta":"b"}',
  ],
  [
    'the delta ahead of the id',
    '{"type":"text-delta","delta":"a","id":"0"}',
    '{"type":"text-delta","delta":"b"}',
  ],
  [
    'an id that holds a delta',
    '{"type":"text-delta","id":{"delta":"a"},"delta":"b"}',
    '{"type":"text-delta","id":{"delta":"c"}',
  ],
  [
    'an id that is "delta"',
    '{"type":"text-delta","id":"delta","delta":"a"}',
    '{"type":"text-delta","id":"delta","delta":"b"}',
  ],
  [
    'another delta behind',
    '{"type":"text-delta","id":"0","delta":"a"}',
    '{"type":"text-delta","id":"0","delta":"b","delta":"c"}',
  ],
  [
    'the end of the string missing',
    '{"type":"text-delta","id":"0","delta":"a"}',
    '{"type":"text-delta","id":"0","delta":"}',
  ],
])('reads an event of the same start and %s as JSON.parse does', (_, first, second) => {
  const parse = parserInContext()
  for (const event of [first, second]) {
    expect(outcome(parse, event)).toStrictEqual(outcome(parsePlainly, event))
  }
})

test('says what is wrong with an event, and shows its first 200 characters', () => {
  const parse = parserInContext()
  const long = `{"type": ${'x'.repeat(500)}`
  expect(() => parse(long)).toThrow(
    expect.objectContaining({
      code: 'stream_malformed',
      retryable: false,
      message: expect.stringContaining('not a JSON object with a "type"'),
      details: { event: long.slice(0, 200) },
      cause: expect.any(SyntaxError),
    }),
  )
  expect(() => parse('[1]')).toThrow(/not a JSON object with a "type"/)
})
