import { parsePartialJson } from 'ai'
import { describe, expect, it } from 'vitest'
import { RepairedJson } from './repair-json.ts'

/** Has each kind of end that a text can have. */
const TEXTS = [
  '{"a": {"b": [1, "two", tru',
  '{"a": 1, oops "b": 2}',
  '{"a\\"b": "c\\u12',
  '[1, 2}, 3]',
  '{"a": 1]}',
  '[1 x, 2]',
  '[nul, 1]',
  '{"a": truth, "b": 1',
  '-.5e',
  '[01, 1..2',
  '"line\nbreak"',
  '12 34',
  '{} []',
  'x{"a":1}',
]

describe('repaired JSON', () => {
  it.for(TEXTS)('is what the AI SDK makes of every beginning of %s', async (text) => {
    const repaired = new RepairedJson()
    const values: unknown[] = []
    const expected: unknown[] = []
    for (let length = 1; length <= text.length; length++) {
      repaired.feed(text.charAt(length - 1))
      values.push(repaired.value())
      expected.push((await parsePartialJson(text.slice(0, length))).value)
    }
    expect(values).toStrictEqual(expected)
  })

  it('does not care how the text is cut', () => {
    const whole = new RepairedJson()
    whole.feed('{"a": [1, {"b": "c\\u00e9')
    const cut = new RepairedJson()
    for (const char of '{"a": [1, {"b": "c\\u00e9') cut.feed(char)
    expect(cut.value()).toEqual({ a: [1, { b: 'cé' }] })
    expect(cut.value()).toEqual(whole.value())
  })

  it('has no value for what is beyond repair', () => {
    const repaired = new RepairedJson()
    repaired.feed('[1 x')
    expect(repaired.value()).toBeUndefined()
  })
})
