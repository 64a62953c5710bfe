import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { addSpan, coversAll, type Span } from './spans.ts'

test('stretches that touch become one, those with a gap between them do not', () => {
  expect(addSpan([[0, 10]], [11, 20])).toEqual([[0, 20]])
  expect(addSpan([[0, 10]], [15, 20])).toEqual([
    [0, 10],
    [15, 20],
  ])
  const gaps: Span[] = [
    [0, 10],
    [30, 40],
  ]
  expect(addSpan(gaps, [5, 35])).toEqual([[0, 40]])
})

test('a whole is covered only without a gap', () => {
  expect(coversAll([], 10)).toBe(false)
  expect(coversAll([[0, 10]], 10)).toBe(true)
  expect(coversAll([[5, 10]], 10)).toBe(false)
  expect(coversAll([[0, 5]], 10)).toBe(false)
})

test('any stretches cover what lies in one of them, and nothing else', () => {
  const span = fc
    .tuple(fc.nat(100), fc.nat(40))
    .map(([from, length]): Span => [from * 4, from * 4 + 4 + length * 4])
  fc.assert(
    fc.property(fc.array(span, { maxLength: 12 }), fc.nat(560), (spans, point) => {
      const merged = spans.reduce<readonly Span[]>(addSpan, [])
      // Away from the edges, where distances up to a rounding count as touching.
      const at = Math.floor(point / 4) * 4 + 2
      const within = (some: readonly Span[]) => some.some(([from, to]) => from <= at && at <= to)
      expect(within(merged)).toBe(within(spans))
      const gaps = merged.slice(1).map(([from], index) => from - (merged[index]?.[1] ?? 0))
      expect(gaps.filter((gap) => gap <= 0)).toEqual([])
    }),
  )
})
