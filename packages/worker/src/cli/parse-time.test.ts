import { expect, test } from 'vitest'
import { parseTime } from './parse-time.ts'

const NOW = Date.parse('2026-11-21T12:00:00Z')
const parse = (text: string) => parseTime('since', text, NOW)

test('takes how long ago it was', () => {
  expect(parse('90s')).toBe(NOW - 90_000)
  expect(parse('15m')).toBe(NOW - 15 * 60_000)
  expect(parse('2h')).toBe(NOW - 2 * 3_600_000)
  expect(parse('7d')).toBe(NOW - 7 * 86_400_000)
  expect(parse('1w')).toBe(parse('7d'))
})

test('takes dates and times, in the zone of this place or in a given one', () => {
  expect(parse('2026-11-21')).toBe(new Date(2026, 10, 21).getTime())
  expect(parse('2026-11-21T10:30')).toBe(new Date(2026, 10, 21, 10, 30).getTime())
  expect(parse('2026-11-21 10:30:15')).toBe(new Date(2026, 10, 21, 10, 30, 15).getTime())
  expect(parse('2026-11-21T10:30:15.250Z')).toBe(Date.parse('2026-11-21T10:30:15.250Z'))
  expect(parse('2026-11-21T10:30+02:00')).toBe(Date.parse('2026-11-21T08:30Z'))
})

test.for([
  '',
  'yesterday',
  '15',
  '15 m',
  '2026-02-30',
  '2026-11-21T25:00',
  '2026-13-01',
  '-5m',
  '0x5m',
])('refuses %j, and says what it takes', (text) => {
  expect(() => parse(text)).toThrow(/--since is .*2026-11-21/)
})
