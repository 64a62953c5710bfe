import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { shareOut, type Stretch } from './stretches.ts'

const idsOf = (count: number, prefix = 'm'): string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}${index}`)
const lengths = (stretches: readonly Stretch[]) => stretches.map(({ ids }) => ids.length)

test('a long list is shared out to stretches of forty', () => {
  const stretches = shareOut(idsOf(2_000))
  expect(stretches).toHaveLength(50)
  expect(new Set(lengths(stretches))).toEqual(new Set([40]))
})

test('a new message changes the last stretch, and leaves the others as they are', () => {
  const before = shareOut(idsOf(100))
  const after = shareOut([...idsOf(100), 'new'], before)
  expect(after.slice(0, 2)).toEqual(before.slice(0, 2))
  expect(after[0]).toBe(before[0])
  expect(after[2]).toEqual({ key: before[2]!.key, ids: [...before[2]!.ids, 'new'] })
})

test('a full stretch is followed by another one', () => {
  const before = shareOut(idsOf(80))
  expect(lengths(shareOut([...idsOf(80), 'new'], before))).toEqual([40, 40, 1])
})

test('older messages get stretches of their own', () => {
  const before = shareOut(idsOf(50))
  const after = shareOut([...idsOf(45, 'old'), ...idsOf(50)], before)
  expect(lengths(after)).toEqual([40, 5, 40, 10])
  expect(after[2]).toBe(before[0])
  expect(after[3]).toBe(before[1])
})

test('an order in which stretches would lie in each other is shared out anew', () => {
  const [first = '', ...rest] = idsOf(50)
  const mixed = [...rest, first]
  const after = shareOut(mixed, shareOut(idsOf(50)))
  expect(lengths(after)).toEqual([40, 10])
  expect(after.flatMap(({ ids }) => ids)).toEqual(mixed)
})

type Change =
  | { do: 'append' | 'prepend'; count: number }
  | { do: 'cut' | 'shift'; count: number }
  | { do: 'drop'; at: number }

const changes = fc.array(
  fc.oneof(
    fc.record({
      do: fc.constantFrom('append', 'prepend', 'cut', 'shift'),
      count: fc.integer({ min: 1, max: 60 }),
    }),
    fc.record({ do: fc.constant('drop' as const), at: fc.nat(200) }),
  ),
)

function applied(ids: readonly string[], change: Change, step: number): readonly string[] {
  switch (change.do) {
    case 'append':
      return [...ids, ...idsOf(change.count, `${step}-`)]
    case 'prepend':
      return [...idsOf(change.count, `${step}-`), ...ids]
    case 'cut':
      return ids.slice(0, -change.count)
    case 'shift':
      return ids.slice(change.count)
    case 'drop':
      return ids.toSpliced(change.at, 1)
  }
}

test('whatever comes and goes, all are there in order, and none leaves its stretch', () => {
  fc.assert(
    fc.property(changes, (list) => {
      let ids: readonly string[] = idsOf(30)
      let stretches = shareOut(ids)
      const homes = new Map<string, number>()
      for (const [step, change] of list.entries()) {
        ids = applied(ids, change, step)
        stretches = shareOut(ids, stretches)
        expect(stretches.flatMap((stretch) => stretch.ids)).toEqual(ids)
        expect(new Set(stretches.map(({ key }) => key)).size).toBe(stretches.length)
        expect(Math.max(0, ...lengths(stretches))).toBeLessThanOrEqual(40)
        for (const { key, ids: own } of stretches) {
          for (const id of own) {
            expect(homes.get(id) ?? key).toBe(key)
            homes.set(id, key)
          }
        }
      }
    }),
  )
})
