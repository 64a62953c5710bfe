import type { UIMessage } from 'ai'
import { expect, test } from 'vitest'
import { createApprovedRuns } from './approved-runs.ts'

function approving(approvalId: string, toolCallId = 'call'): UIMessage[] {
  const approval = { id: approvalId, approved: true }
  return [
    {
      id: 'a',
      role: 'assistant',
      parts: [{ type: 'tool-send', toolCallId, state: 'approval-responded', input: {}, approval }],
    },
  ]
}

test('runs once for an approval, however often and at the same time it is posted', async () => {
  const runs = createApprovedRuns()
  let count = 0
  const run = () => ++count
  const post = () => runs.of(approving('x'))('call', run)
  expect(await Promise.all([post(), post()])).toEqual([1, 1])
  expect(await post()).toBe(1)
})

test('gives the same failure again', async () => {
  const runs = createApprovedRuns()
  let count = 0
  const post = () =>
    runs.of(approving('x'))('call', () => {
      count++
      throw new Error('no')
    })
  await expect(post()).rejects.toThrow('no')
  await expect(post()).rejects.toThrow('no')
  expect(count).toBe(1)
})

test('takes another approval, and a later call of the same id, for another run', async () => {
  const runs = createApprovedRuns()
  let count = 0
  const run = () => ++count
  const once = runs.of(approving('x'))
  expect(await once('call', run)).toBe(1)
  expect(await once('call', run)).toBe(2)
  expect(await runs.of(approving('y'))('call', run)).toBe(3)
  expect(await runs.of([])('call', run)).toBe(4)
})

test('forgets the oldest outcome first', async () => {
  const runs = createApprovedRuns(2)
  let count = 0
  const post = (id: string) => runs.of(approving(id))('call', () => ++count)
  expect([await post('x'), await post('y'), await post('z')]).toEqual([1, 2, 3])
  expect([await post('z'), await post('y'), await post('x')]).toEqual([3, 2, 4])
})
