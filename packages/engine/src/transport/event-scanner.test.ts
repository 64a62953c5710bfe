import { createParser } from 'eventsource-parser'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { createEventScanner } from './event-scanner.ts'

function scanned(slices: readonly string[]): string[] {
  const found: string[] = []
  const scan = createEventScanner((text, start, end) => found.push(text.slice(start, end)))
  for (const slice of slices) scan(slice)
  return found
}

function parsed(slices: readonly string[]): string[] {
  const found: string[] = []
  const parser = createParser({ onEvent: ({ data }) => found.push(data) })
  for (const slice of slices) parser.feed(slice)
  return found
}

/** Cuts a text at the given places, empty slices included. */
function cut(text: string, places: readonly number[]): string[] {
  const at = places.map((place) => place % (text.length + 1)).toSorted((a, b) => a - b)
  return [0, ...at].map((start, index) => text.slice(start, at[index] ?? text.length))
}

const lineEnd = fc.constantFrom('\n', '\n', '\n\n', '\r', '\r\n', '\r\n\r\n', '\r\r', '\n\r')
const line = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .tuple(fc.constantFrom('data: ', 'data:'), fc.string())
      .map((parts) => parts.join('')),
  },
  fc.constantFrom(
    'data',
    'data:',
    'data: ',
    'data:  x',
    ' data: x',
    'data : x',
    'dat',
    'datas: x',
    'Data: x',
  ),
  fc.constantFrom(
    '',
    ':',
    ': comment',
    'event: x',
    'id: 1',
    'retry: 5',
    'unknown',
    'unknown: x',
    'd',
  ),
  fc.string(),
)
const stream = fc
  .array(fc.tuple(line, lineEnd), { maxLength: 30 })
  .map((lines) => lines.flat().join(''))

test('finds the same events as eventsource-parser, however the text is cut', () => {
  let events = 0
  fc.assert(
    fc.property(stream, fc.array(fc.nat(), { maxLength: 12 }), (text, places) => {
      const expected = parsed([text])
      const slices = cut(text, places)
      expect(slices.join('')).toBe(text)
      expect(scanned([text])).toEqual(expected)
      expect(scanned(slices)).toEqual(expected)
      events += expected.length
    }),
    { numRuns: 5_000 },
  )
  expect(events).toBeGreaterThan(5_000)
})

test('a line of many slices is joined once', () => {
  const slices = ['data: ', ...Array.from({ length: 100_000 }, () => 'abcdefgh'), '\n', '\n']
  const [event] = scanned(slices)
  expect(event).toHaveLength(800_000)
})
