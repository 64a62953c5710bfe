import type { ConversationListing } from '@assent/engine/storage'
import { expect, test } from 'vitest'
import { en } from '../locale/en.ts'
import { changeInWords, groupByDay, nameOf, stateInWords } from './conversation-words.ts'

const now = new Date(2026, 4, 20, 18, 0).getTime()
const on = (month: number, day: number, hour = 9) => new Date(2026, month, day, hour, 5).getTime()

test('a conversation has a name, whether it has a title or not', () => {
  expect(nameOf(en, { title: 'Plans' })).toBe('Plans')
  expect(nameOf(en, { title: '' })).toBe('Untitled')
})

test.each([
  ['paused', 2, '2 need you'],
  ['processing', 0, 'Working…'],
  ['error', 0, 'Failed'],
  ['completed', 0, undefined],
  ['idle', 0, undefined],
] as const)('%s with %i waiting is “%s”', (requestState, waitingCount, words) => {
  expect(stateInWords(en, { requestState, waitingCount })).toBe(words)
})

test('a change is told by its time, its day or its date', () => {
  expect(changeInWords(en, on(4, 20), now)).toMatch(/^9:05\sAM$/)
  expect(changeInWords(en, on(4, 19), now)).toMatch(/^9:05\sAM$/)
  expect(changeInWords(en, on(4, 18), now)).toBe('Monday')
  expect(changeInWords(en, on(4, 2), now)).toBe('May 2')
})

test('conversations are grouped by day, week and month, and none is lost', () => {
  const times = [
    on(4, 21),
    on(4, 20, 0),
    on(4, 19, 23),
    on(4, 14),
    on(4, 13),
    on(3, 30),
    new Date(2025, 11, 31).getTime(),
  ]
  const listings = times.map((updatedAt, index) => ({ id: `${index}`, updatedAt }))
  const groups = groupByDay(en, listings as ConversationListing[], now)
  expect(
    groups.map(({ name, conversations }) => [name, conversations.map(({ id }) => id)]),
  ).toEqual([
    ['Today', ['0', '1']],
    ['Yesterday', ['2']],
    ['Last 7 days', ['3']],
    ['May', ['4']],
    ['April', ['5']],
    ['December 2025', ['6']],
  ])
})
