import { assert, jsonValue, property } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isEqualJson } from './json-equality.ts'

function nest(depth: number, innermost: unknown): unknown {
  let value = innermost
  for (let level = 0; level < depth; level++) value = [value]
  return value
}

describe('equality of JSON values', () => {
  it('holds for a copy, whatever the order of its keys', () => {
    assert(
      property(jsonValue(), (value) => {
        expect(isEqualJson(value, JSON.parse(JSON.stringify(value)))).toBe(!hasNegativeZero(value))
      }),
    )
    expect(isEqualJson({ a: 1, b: [2] }, { b: [2], a: 1 })).toBe(true)
  })

  it.for([
    [{ a: 1 }, { a: 2 }],
    [{ a: 1 }, { a: 1, b: undefined }],
    [{ a: undefined }, { b: undefined }],
    [[], {}],
    [
      [1, 2],
      [2, 1],
    ],
    [null, {}],
    ['1', 1],
    [{ toString: 1 }, { valueOf: 1 }],
  ])('does not hold for %j and %j', ([one, other]) => {
    expect(isEqualJson(one, other)).toBe(false)
    expect(isEqualJson(other, one)).toBe(false)
  })

  it('goes as deep as the values do', () => {
    expect(isEqualJson(nest(20_000, 1), nest(20_000, 1))).toBe(true)
    expect(isEqualJson(nest(20_000, 1), nest(20_000, 2))).toBe(false)
  })
})

/** JSON writes it as `0`. */
function hasNegativeZero(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.values(value).some(hasNegativeZero)
  return Object.is(value, -0)
}
