import { parsePartialJson } from 'ai'
import {
  array,
  assert,
  asyncProperty,
  constantFrom,
  jsonValue,
  nat,
  oneof,
  tuple,
  type Arbitrary,
} from 'fast-check'
import { describe, expect, it } from 'vitest'
import { PartialJson } from './partial-json.ts'

const RUNS = process.env['ASSENT_DEEP'] === '1' ? 10_000 : 400

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
  const json = new PartialJson()
  let soFar = ''
  for (const piece of pieces(text, lengths)) {
    json.feed(piece)
    soFar += piece
    const { value } = await parsePartialJson(soFar)
    expect(json.value(), `after ${soFar}`).toStrictEqual(value)
  }
  expect(json.text).toBe(text)
}

/** What the AI SDK refuses to show at all. */
function isHarmless(text: string): boolean {
  return !/__proto__|constructor/.test(text)
}

function valueOf(...texts: string[]): unknown {
  const json = new PartialJson()
  for (const text of texts) json.feed(text)
  return json.value()
}

describe('JSON in pieces', () => {
  it('has the value that the AI SDK sees in every beginning of any JSON, cut anywhere', async () => {
    const texts = tuple(jsonValue({ maxDepth: 4 }), constantFrom(undefined, 1)).map(
      ([value, space]) => JSON.stringify(value, null, space),
    )
    const property = asyncProperty(cut(texts.filter(isHarmless)), ([text, lengths]) =>
      expectSameValues(text, lengths),
    )
    await assert(property, { numRuns: RUNS })
  }, 300_000)

  it('has the value that the AI SDK sees in every beginning of malformed JSON', async () => {
    const property = asyncProperty(
      cut(array(constantFrom(...PIECES), { maxLength: 20 }).map((parts) => parts.join(''))),
      ([text, lengths]) => expectSameValues(text, lengths),
    )
    await assert(property, { numRuns: RUNS * 5 })
  }, 300_000)

  it('has the value that the AI SDK sees in JSON with mistakes in it', async () => {
    const mistakes = array(tuple(nat(), oneof(constantFrom(...PIECES), constantFrom(''))), {
      minLength: 1,
      maxLength: 3,
    })
    const texts = tuple(jsonValue({ maxDepth: 3 }), mistakes).map(([value, changes]) =>
      changes.reduce((text, [where, piece]) => {
        const at = where % (text.length + 1)
        return text.slice(0, at) + piece + text.slice(at + 1)
      }, JSON.stringify(value)),
    )
    const property = asyncProperty(cut(texts.filter(isHarmless)), ([text, lengths]) =>
      expectSameValues(text, lengths),
    )
    await assert(property, { numRuns: RUNS })
  }, 300_000)

  it.for([
    '{"a\\":b": 1, "c": [2]}',
    '{"big": 1e+25, "small": [1e+5, 2E+1]}',
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
    const json = new PartialJson()
    const values: [unknown, string | undefined][] = []
    for (const char of text) {
      json.feed(char)
      values.push([json.value(), JSON.stringify(json.value())])
    }
    for (const [value, before] of values) expect(JSON.stringify(value)).toBe(before)
  })

  it('shares what is complete between its values, and has the same value until more comes', () => {
    const json = new PartialJson()
    json.feed('{"done":{"deep":[1]},"rows":[{"id":1},{"id":')
    const before = json.value()
    expect(json.value()).toBe(before)
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

  it.for(['[', '{"a":'])('reads 10,000 levels of %s', (opening) => {
    const depth = 10_000
    const json = new PartialJson()
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
