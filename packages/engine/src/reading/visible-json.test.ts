import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { countHidden } from './visible-text.ts'
import { visibleJson } from './visible-json.ts'

it.each([
  ['an escape', '\u001b[2J', String.raw`"\u001b[2J"`],
  ['a delete', 'a\u007fb', String.raw`"a\u007fb"`],
  ['a C1 control', '\u009b31m', String.raw`"\u009b31m"`],
  ['a bidi control', '\u202eevil', String.raw`"\u202eevil"`],
  ['a zero-width space', 'a\u200bb', String.raw`"a\u200bb"`],
  ['a separator of lines', 'a\u2028b\u0085c', String.raw`"a\u2028b\u0085c"`],
  ['a tag', '\u{e0041}', String.raw`"\udb40\udc41"`],
  ['half of a character', '\ud83d', String.raw`"\ud83d"`],
  ['a text that looks escaped', String.raw`\u202e`, String.raw`"\\u202e"`],
])('%s stands as its number', (_name, text, json) => {
  expect(visibleJson(text)).toBe(json)
})

it('keeps every value, and hides nothing, in keys either', () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: 'binary' }), fc.nat(3), (value, indent) => {
      const json = visibleJson(value, indent)
      expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify(value)))
      expect(countHidden(json)).toBe(0)
    }),
  )
  expect(visibleJson(undefined)).toBe('null')
})

it('stays one line, or has the lines that were asked for', () => {
  expect(visibleJson({ a: 'x\ny\r\u2029' })).toBe(String.raw`{"a":"x\ny\r\u2029"}`)
  expect(visibleJson({ a: ['b'] }, 2)).toBe('{\n  "a": [\n    "b"\n  ]\n}')
})
