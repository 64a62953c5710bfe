import type { ToolRisk } from '@assent/engine'
import type { WaitingCallEntry } from '@assent/vue'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { unrecorded } from '../../test/scenes/delivery.ts'
import { waitingCall } from '../../test/waiting-call.ts'
import { splitBatch, type BatchFacts } from './batch.ts'

const NOW = 1_000

const facts = (some: Partial<BatchFacts> = {}): BatchFacts => ({
  isSeen: () => true,
  isEdited: ({ requestReason }) => requestReason === 'editing',
  isTyped: ({ requestReason }) => requestReason === 'typed',
  now: NOW,
  ...some,
})

const anyCall = fc.record({
  kind: fc.constantFrom('approval' as const, 'output' as const),
  risk: fc.constantFrom<ToolRisk | undefined>('read', 'write', 'send', 'destroy', undefined),
  checkFailed: fc.boolean(),
  expiresAt: fc.constantFrom(undefined, 0, NOW - 1, NOW, NOW + 1, 5_000),
  isElsewhere: fc.boolean(),
  requestReason: fc.constantFrom(undefined, 'typed', 'editing'),
})
const anyCalls = fc.array(fc.tuple(anyCall, fc.boolean()), { maxLength: 30 })

test('a yes to all covers nothing unseen, grave, unchecked, expired or to be answered', () => {
  fc.assert(
    fc.property(anyCalls, (drawn) => {
      const calls = drawn.map(([some], index) => waitingCall(`c${index}`, some))
      const seen = new Set(calls.filter((_, index) => drawn[index]?.[1]))
      const { covered, left } = splitBatch(calls, facts({ isSeen: (call) => seen.has(call) }))
      for (const call of covered) {
        expect(seen.has(call)).toBe(true)
        expect(call).toMatchObject({ kind: 'approval', checkFailed: false })
        expect(call.requestReason).toBeUndefined()
        expect(call.risk).not.toBe('destroy')
        expect(call.expiresAt ?? Infinity).toBeGreaterThan(NOW)
      }
      // Nothing is lost, nothing is in both, and the order is kept.
      const order = (some: readonly WaitingCallEntry[]) => some.map((call) => calls.indexOf(call))
      const all = [...covered, ...left.map(({ call }) => call)]
      expect(order(all).toSorted((a, b) => a - b)).toEqual(calls.map((_, index) => index))
      expect(order(covered)).toEqual(order(covered).toSorted((a, b) => a - b))
      // What is left out for not having been seen would be covered otherwise, and nothing else.
      const unseen = left.filter(({ why }) => why === 'unseen').map(({ call }) => call)
      expect(splitBatch(unseen, facts()).covered).toEqual(unseen)
      const others = left.filter(({ why }) => why !== 'unseen').map(({ call }) => call)
      expect(splitBatch(others, facts()).covered).toEqual([])
    }),
    { numRuns: 500 },
  )
})

test.each<[Partial<WaitingCallEntry>, string]>([
  [{ kind: 'output' }, 'answer'],
  [{ risk: 'destroy' }, 'destroy'],
  [{ checkFailed: true }, 'checkFailed'],
  [{ checkFailed: true, part: unrecorded('write') as WaitingCallEntry['part'] }, 'notRecorded'],
  [{ expiresAt: NOW }, 'expired'],
  [{ requestReason: 'typed' }, 'typed'],
  [{ requestReason: 'editing', risk: 'destroy' }, 'editing'],
  [{}, 'unseen'],
])('says of a call with %j that it is left out for: %s', (drawn, why) => {
  const call = waitingCall('c1', drawn)
  expect(splitBatch([call], facts({ isSeen: () => false }))).toEqual({
    covered: [],
    left: [{ call, why }],
  })
})
