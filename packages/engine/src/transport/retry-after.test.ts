import { expect, test } from 'vitest'
import { parseRetryAfter } from './retry-after.ts'

const NOW = Date.UTC(2026, 10, 30, 12, 0, 0)

test.each([
  ['0', 0],
  ['7', 7_000],
  [' 120 ', 120_000],
  ['Mon, 30 Nov 2026 12:00:30 GMT', 30_000],
  ['Monday, 30-Nov-26 12:01:00 GMT', 60_000],
  ['Mon Nov 30 12:00:02 2026', 2_000],
  ['Mon, 30 Nov 2026 12:00:30', 30_000],
  ['Tue Dec  1 12:00:00 2026', 86_400_000],
  ['Sunday, 06-Nov-94 08:49:37 GMT', 0],
  ['Sun, 06 Nov 1994 08:49:37 GMT', 0],
])('%j asks to wait %d ms', (value, wait) => {
  expect(parseRetryAfter(value, NOW)).toBe(wait)
})

test.each([
  [null],
  [''],
  ['-1'],
  ['1.5'],
  ['soon'],
  ['12s'],
  ['2026-11-30T12:00:30Z'],
  ['Mon, 30 Foo 2026 12:00:30 GMT'],
])('%j asks for nothing', (value) => {
  expect(parseRetryAfter(value, NOW)).toBeUndefined()
})
