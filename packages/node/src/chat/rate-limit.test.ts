import { expect, test } from 'vitest'
import { tokenBucket } from './rate-limit.ts'

test('a bucket allows its capacity at once, and then as many as come back', () => {
  let now = 0
  const limit = tokenBucket({ capacity: 2, perMinute: 60, now: () => now })
  expect([limit.take('a'), limit.take('a'), limit.take('a')]).toEqual([0, 0, 1000])
  expect(limit.take('b')).toBe(0)
  now = 400
  expect(limit.take('a')).toBe(600)
  now = 1000
  expect([limit.take('a'), limit.take('a')]).toEqual([0, 1000])
  now = 1_000_000
  expect([limit.take('a'), limit.take('a'), limit.take('a')]).toEqual([0, 0, 1000])
})

test('a clock that goes back takes nothing away', () => {
  let now = 1000
  const limit = tokenBucket({ capacity: 2, now: () => now })
  limit.take('a')
  now = 0
  expect(limit.take('a')).toBe(0)
})

test('who has not asked for longest is forgotten', () => {
  const limit = tokenBucket({ capacity: 1, maxKeys: 2, now: () => 0 })
  for (const key of ['a', 'b']) limit.take(key)
  expect(limit.take('a')).not.toBe(0)
  limit.take('c')
  expect(limit.take('a')).not.toBe(0)
  expect(limit.take('b')).toBe(0)
})

test.each(['capacity', 'perMinute', 'maxKeys'])('a %s of 0 is refused', (name) => {
  expect(() => tokenBucket({ [name]: 0 })).toThrow(RangeError)
})
