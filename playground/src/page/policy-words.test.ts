import type { ApprovalScope } from '@assent/engine'
import type { StandingPolicy } from '@assent/vue'
import { expect, test } from 'vitest'
import {
  boundsInWords,
  coversInWords,
  timeInWords,
  toolInWords,
  usesInWords,
} from './policy-words.ts'

const NOON = new Date(2026, 4, 12, 12, 0).getTime()

function policy(scope: ApprovalScope, uses = 0): StandingPolicy {
  return {
    id: 'p',
    toolName: 'write_note',
    scope,
    where: scope.where ?? 'conversation',
    since: NOON,
    until: scope.until,
    uses,
    usesLeft: scope.uses === undefined ? undefined : scope.uses - uses,
    origin: {
      conversationId: 'c',
      messageId: 'm',
      step: 1,
      toolCallId: 'call',
      summary: undefined,
    },
  }
}

test.each<[ApprovalScope['covers'], string]>([
  [undefined, 'every call'],
  ['tool', 'every call'],
  ['input', 'exactly this call'],
  [{ '/title': { oneOf: ['A', null, 3] } }, 'when title is “A” or null or 3'],
  [{ '/path': { prefix: 'src/' } }, 'when path begins with “src/”'],
  [{ '/a~1b/c~0d': { glob: '*.ts' } }, 'when a/b c~d fits “*.ts”'],
  [{ '/n': { min: 1 }, '/m': { max: 2 } }, 'when n is at least 1 and m is at most 2'],
  [{ '/n': { min: 1, max: 2 } }, 'when n is from 1 to 2'],
  [{ '': { oneOf: ['x'] } }, 'when input is “x”'],
])('what %j covers is said as "%s"', (covers, words) => {
  expect(coversInWords(policy({ covers }))).toBe(words)
})

test('says where a permission holds, until when, and how often more', () => {
  expect(boundsInWords(policy({}), NOON)).toBe('In this conversation')
  expect(boundsInWords(policy({ where: 'everywhere', uses: 3 }, 1), NOON)).toBe(
    'Everywhere, 2 more times',
  )
  expect(boundsInWords(policy({ uses: 3 }, 2), NOON)).toBe('In this conversation, once more')
  expect(boundsInWords(policy({ until: NOON + 9e5 }), NOON)).toBe(
    'In this conversation, until 12:15 PM',
  )
})

test('says how often a permission was used', () => {
  expect([0, 1, 2].map((uses) => usesInWords(policy({}, uses)))).toEqual([
    'not used yet',
    'used once',
    'used 2 times',
  ])
})

test('names the day of a time that is not of today', () => {
  expect(timeInWords(NOON, NOON)).toBe('12:00 PM')
  expect(timeInWords(NOON, NOON + 864e5)).toBe('May 12, 12:00 PM')
})

test('names a tool by its words', () => {
  expect(toolInWords('write_note')).toBe('Write note')
})
