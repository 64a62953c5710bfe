import { expect, test } from 'vitest'
import { changeInWords, nameOf, stateInWords } from './conversation-words.ts'

test('a conversation has a name, whether it has a title or not', () => {
  expect(nameOf({ title: 'Plans' })).toBe('Plans')
  expect(nameOf({ title: '' })).toBe('Untitled')
})

test.each([
  ['paused', 2, 'waits for you'],
  ['processing', 0, 'at work'],
  ['error', 0, 'failed'],
  ['completed', 0, undefined],
  ['idle', 0, undefined],
] as const)('%s with %i waiting is “%s”', (requestState, waitingCount, words) => {
  expect(stateInWords({ requestState, waitingCount })).toBe(words)
})

test('a change is told by its time, its day or its date', () => {
  const now = new Date(2026, 4, 20, 18, 0).getTime()
  const at = (date: number) => changeInWords(new Date(2026, 4, date, 9, 5).getTime(), now)
  expect(at(20)).toMatch(/^9:05\sAM$/)
  expect(at(18)).toBe('Monday')
  expect(at(2)).toBe('May 2')
})
