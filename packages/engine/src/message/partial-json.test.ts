import { parsePartialJson } from 'ai'
import {
  array,
  assert,
  asyncProperty,
  constantFrom,
  jsonValue,
  nat,
  oneof,
  property,
  string,
  tuple,
  type Arbitrary,
} from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createPartialJson } from './partial-json.ts'

const RUNS = process.env['ASSENT_DEEP'] === '1' ? 10_000 : 150

/** Pieces of which malformed JSON is made, and well-formed JSON that is easy to misread. */
const PIECES = [
  ...'{}[]",:\\ 019-.eE+tfnux\n\u0001',
  '\ud83d',
  '\ude00',
  '"key":',
  '"a\\"":',
  '"a\\\\":',
  '"a\\":b":',
  '{"a":',
  '[1,',
  '\\u00e9',
  '\\ud83d',
  '\\x',
  'true',
  'false',
  'null',
  'nul',
  '1e+5',
  '-0',
  '1.5e-3',
  '01',
  '"text"',
  ', "b": [2]}',
]

/** A text, and the lengths of the pieces that it comes in. */
function cut(texts: Arbitrary<string>): Arbitrary<[text: string, lengths: number[]]> {
  return tuple(texts, array(nat({ max: 6 }), { minLength: 1, maxLength: 12 }))
}

function pieces(text: string, lengths: readonly number[]): string[] {
  const result: string[] = []
  for (let at = 0, turn = 0; at < text.length; turn++) {
    const length = 1 + (lengths[turn % lengths.length] ?? 0)
    result.push(text.slice(at, at + length))
    at += length
  }
  return result
}

async function expectSameValues(text: string, lengths: readonly number[]): Promise<void> {
  const json = createPartialJson()
  let soFar = ''
  for (const piece of pieces(text, lengths)) {
    json.feed(piece)
    soFar += piece
    const { value } = await parsePartialJson(soFar)
    expect(json.value(), `after ${soFar}`).toStrictEqual(value)
  }
}

/**
 * Whether the AI SDK reads a text, and all that it begins with, as JSON: not these keys, no escaped
 * quote and colon in one key, no `e+` outside of arrays.
 */
function isReadByBoth(text: string): boolean {
  return !/__proto__|constructor|(?<!\\)(?:\\\\)*\\"[^"]*:|\de\+/.test(text)
}

function valueOf(...texts: string[]): unknown {
  const json = createPartialJson()
  for (const text of texts) json.feed(text)
  return json.value()
}

describe('JSON in pieces', () => {
  it('has the value that the AI SDK sees in every beginning of any JSON, cut anywhere', async () => {
    const texts = tuple(jsonValue({ maxDepth: 4 }), constantFrom(undefined, 1)).map(
      ([value, space]) => JSON.stringify(value, null, space),
    )
    const sameValues = asyncProperty(cut(texts.filter(isReadByBoth)), ([text, lengths]) =>
      expectSameValues(text, lengths),
    )
    await assert(sameValues, { numRuns: RUNS })
  }, 300_000)

  it('has a value that does not depend on where malformed JSON is cut', () => {
    const mistakes = array(tuple(nat(), oneof(constantFrom(...PIECES), constantFrom(''))), {
      minLength: 1,
      maxLength: 3,
    })
    const nearly = tuple(jsonValue({ maxDepth: 3 }), mistakes).map(([value, changes]) =>
      changes.reduce((text, [where, piece]) => {
        const at = where % (text.length + 1)
        return text.slice(0, at) + piece + text.slice(at + 1)
      }, JSON.stringify(value)),
    )
    const soup = array(constantFrom(...PIECES), { maxLength: 20 }).map((parts) => parts.join(''))
    const sameValues = property(cut(oneof(nearly, soup)), ([text, lengths]) => {
      const json = createPartialJson()
      let soFar = ''
      for (const piece of pieces(text, lengths)) {
        json.feed(piece)
        soFar += piece
        expect(json.value(), `after ${soFar}`).toStrictEqual(valueOf(soFar))
      }
    })
    assert(sameValues, { numRuns: RUNS * 5 })
  }, 300_000)

  it('shows nothing that comes after a mistake', () => {
    const noMore = property(jsonValue({ maxDepth: 3 }), nat(), string(), (value, where, more) => {
      const whole = JSON.stringify(value)
      const json = createPartialJson()
      // No JSON has a control character of its own.
      json.feed(`${whole.slice(0, where % whole.length)}\u0001`)
      const before = json.value()
      json.feed(more)
      expect(json.value()).toStrictEqual(before)
    })
    assert(noMore, { numRuns: RUNS })
  }, 300_000)

  it.for<[string, unknown]>([
    ['{"a": 1, oops "b": 2}', { a: 1 }],
    ['{"a": {"b": [1, "two", trul', { a: { b: [1, 'two'] } }],
    ['{"a": [1, 2}, "b": "c"', { a: [1, 2] }],
    ['{"a": 1]}', { a: 1 }],
    ['[1 x, 2]', [1]],
    ['[1 2', [1]],
    ['[,1]', []],
    ['[1,]', [1]],
    ['[1,\u00a02]', [1]],
    ['{"a" 1}', {}],
    ['{a: 1}', {}],
    ['{"path": "a\u0001b"}', { path: 'a' }],
    ['"line\nbreak"', 'line'],
    ['"a\\x', 'a'],
    ['"a\\u12g4', 'a'],
    ['12 34', 12],
    ['{} []', {}],
    ['-Infinity', undefined],
    ['SELECT "name" FROM {table}', undefined],
  ])('shows what came before the mistake in %j', ([text, value]) => {
    expect(valueOf(text)).toStrictEqual(value)
    expect(valueOf(...text)).toStrictEqual(value)
  })

  it.for([
    '+1',
    '.5',
    '01',
    '1..',
    '1.e',
    '1e5.',
    '--',
    '1-',
    'e',
    '-',
    '3.',
    '3.1e',
    '3.1e-',
    'nul',
  ])('takes %s for no value once something follows it', (text) => {
    expect(valueOf(`[${text},`)).toEqual([])
  })

  it.for<[string, unknown]>([
    ['-', undefined],
    ['3.', 3],
    ['3.1e', 3.1],
    ['3.1e-', 3.1],
    ['2E+3', 2000],
    ['25e-1', 2.5],
    ['1e400', Infinity],
    ['t', true],
    ['fal', false],
    ['nu', null],
  ])('has as much of %s as it is worth so far', ([text, value]) => {
    expect(valueOf(text)).toBe(value)
    expect(valueOf(...text)).toBe(value)
  })

  it.for<[string, string, unknown]>([
    ['an escaped quote and a colon in a key', '{"a\\":b": 1', { 'a":b': 1 }],
    ['an exponent with a plus in an object', '{"big": 1e+25', { big: 1e25 }],
  ])('reads what the AI SDK misreads: %s', async ([, text, value]) => {
    expect(valueOf(text)).toStrictEqual(value)
    expect((await parsePartialJson(text)).value).not.toEqual(value)
    expect((await parsePartialJson(`${text}}`)).value).toEqual(value)
  })

  it.for([
    '{"small": [1e+5, 2E+1]}',
    '1e+5 ',
    '"\ud83d\ude00 \\ud83d\\ude00 \\"\\\\\\/\\b\\f\\n\\r\\t"',
    '[[],{},"",0,-0.0,null] trailing {',
    '{"a":1,"a":{"b":2},"a":[3]}',
    ' \r\n\t{ "a" : [ 1 , { "b" : true } ] } ',
  ])('has the value that the AI SDK sees, character by character: %s', async (text) => {
    await expect(expectSameValues(text, [0])).resolves.toBeUndefined()
  })

  it('has no value before the first character that makes one', () => {
    expect(valueOf()).toBeUndefined()
    expect(valueOf(' ')).toBeUndefined()
    expect(valueOf('-')).toBeUndefined()
  })

  it('does not change a value that it has handed out', () => {
    const text = '{"a":[1,{"b":"c"}],"d":{"e":[true]},"f":"ghi"}'
    const json = createPartialJson()
    const values: [unknown, string | undefined][] = []
    for (const char of text) {
      json.feed(char)
      values.push([json.value(), JSON.stringify(json.value())])
    }
    for (const [value, before] of values) expect(JSON.stringify(value)).toBe(before)
  })

  it('shares what is complete between its values', () => {
    const json = createPartialJson()
    json.feed('{"done":{"deep":[1]},"rows":[{"id":1},{"id":')
    const before = json.value()
    json.feed('2')
    const after = json.value()
    expect(after).toEqual({ done: { deep: [1] }, rows: [{ id: 1 }, { id: 2 }] })
    expect(after).not.toBe(before)
    expect(Reflect.get(Object(after), 'done')).toBe(Reflect.get(Object(before), 'done'))
  })

  it('makes own properties of __proto__ and constructor.prototype, and pollutes nothing', () => {
    const value = valueOf('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1')
    expect(Object.keys(Object(value))).toEqual(['__proto__', 'constructor'])
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
    expect(Object.getOwnPropertyDescriptor(value, '__proto__')?.value).toEqual({ polluted: 1 })
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false)
    expect(Reflect.get({}, 'polluted')).toBeUndefined()
  })

  it('gives up on a number that does not end', () => {
    const json = createPartialJson()
    for (let length = 0; length < 2000; length += 16) json.feed('1234567890123456')
    json.feed('.5')
    const shown = json.value()
    expect(shown).toBe(Infinity)
    json.feed(' ')
    expect(json.value()).toBe(shown)
  })

  it.for(['[', '{"a":'])('reads 10,000 levels of %s', (opening) => {
    const depth = 10_000
    const json = createPartialJson()
    json.feed(opening.repeat(depth))
    let value = json.value()
    let levels = 0
    while (typeof value === 'object' && value !== null) {
      levels++
      value = Object.values(value)[0]
    }
    // The innermost object has nothing in it yet.
    expect(levels).toBe(depth)
    json.feed(opening === '[' ? ']'.repeat(depth) : `1${'}'.repeat(depth)}`)
    expect(json.value()).toBeTypeOf('object')
  })
})
