// @vitest-environment happy-dom
import type { ConfirmationRecord } from '@assent/engine'
import { afterEach, expect, test } from 'vitest'
import { effectScope, nextTick, type EffectScope } from 'vue'
import { STORAGE_KEY, useKeptConfirmations, type KeptConfirmations } from './kept-confirmations.ts'

const scopes: EffectScope[] = []
afterEach(() => {
  for (const scope of scopes.splice(0)) scope.stop()
  localStorage.clear()
})

/** As a page that was just loaded has them. */
function load(): KeptConfirmations {
  const scope = effectScope()
  scopes.push(scope)
  const kept = scope.run(useKeptConfirmations)
  if (!kept) throw new Error('The scope is not active.')
  return kept
}

const call = {
  conversationId: 'c',
  messageId: 'm',
  step: 1,
  toolCallId: 'call',
  toolName: 'write_note',
  fingerprint: '0'.repeat(64),
  at: 0,
}
const everywhere: ConfirmationRecord = {
  ...call,
  id: 'a',
  outcome: 'yes_always',
  scope: { where: 'everywhere', covers: { '/title': { oneOf: ['A'] } }, uses: 5 },
}
const here: ConfirmationRecord = { ...call, id: 'b', outcome: 'yes_always', scope: {} }
const used: ConfirmationRecord = { ...call, id: 'd', policyId: 'a', event: 'used' }
const usedHere: ConfirmationRecord = { ...call, id: 'e', policyId: 'b', event: 'used' }
const revoked: ConfirmationRecord = { ...call, id: 'f', outcome: 'no', revokes: 'a' }

test('what is for everywhere is there after a reload, with how it was used and taken back', async () => {
  const history = [everywhere, here, used, usedHere, revoked]
  load().keep(history, ({ id }) => (id === 'a' ? 'Write A' : undefined))
  await nextTick()
  const later = load()
  expect(later.records()).toEqual([everywhere, used, revoked])
  expect(later.summaryOf('a')).toBe('Write A')
  expect(later.summaryOf('b')).toBeUndefined()
})

test('what comes later is added, what is there already is not there twice', async () => {
  const kept = load()
  kept.keep([everywhere], () => 'Write A')
  kept.keep([everywhere, used], () => undefined)
  await nextTick()
  kept.keep([everywhere, used, revoked], () => undefined)
  await nextTick()
  expect(kept.records()).toEqual([everywhere, used, revoked])
  expect(kept.summaryOf('a')).toBe('Write A')
  expect(load().records()).toEqual([everywhere, used, revoked])
})

test('nothing is stored as long as nothing is for everywhere', async () => {
  load().keep([here, usedHere], () => undefined)
  await nextTick()
  expect(localStorage.getItem(STORAGE_KEY)).toBeNull()
})

test.each([
  ['no JSON', '[{'],
  ['no list', '{}'],
  ['a record without its call', JSON.stringify([{ record: { id: 'a', outcome: 'yes_always' } }])],
  ['an unknown pattern', stored({ ...everywhere, scope: { covers: { '/a': { like: 'x' } } } })],
  ['one bad record beside a good one', stored(everywhere, { ...revoked, at: 'now' })],
])('%s in the storage allows nothing', (_, text) => {
  localStorage.setItem(STORAGE_KEY, text)
  expect(load().records()).toEqual([])
})

function stored(...records: object[]): string {
  return JSON.stringify(records.map((record) => ({ record })))
}
