import type { ConfirmationRecord } from '@assent/engine'
import { expect, test } from 'vitest'
import {
  ask,
  AT,
  assistant,
  call,
  decided,
  denied,
  question,
  succeeded,
  withMetadata,
} from '../../test/fixtures.ts'
import { readAuditEntries } from './audit-entries.ts'
import { exportAudit } from './audit-export.ts'
import { byDay, filterAudit } from './audit-filter.ts'
import { inputChanges } from './input-changes.ts'

const write = ask(
  'write_note',
  'c1',
  { path: 'a.md', text: 'A' },
  { summary: 'Write a.md', risk: 'write' },
)

function record(facts: Record<string, unknown>): ConfirmationRecord {
  return {
    id: 'k1',
    conversationId: 'chat',
    messageId: 'a1',
    step: 1,
    toolCallId: 'c1',
    toolName: 'write_note',
    fingerprint: '',
    at: AT,
    ...facts,
  } as ConfirmationRecord
}

const NONE = { tool: '', outcome: '', by: '', text: '' }

test('an approval is told with its call, its edit and its result', () => {
  const edited = withMetadata(
    { ...succeeded(decided(write, true), 'ok'), input: { path: 'b.md', text: 'A' } } as never,
    { originalInput: { path: 'a.md', text: 'A' } },
  )
  const [entry] = readAuditEntries({
    confirmations: [record({ outcome: 'yes', editedInput: { path: 'b.md', text: 'A' } })],
    messages: [assistant('a1', edited)],
  })
  expect(entry).toMatchObject({
    id: 'k1',
    at: AT,
    outcome: 'approved',
    by: 'person',
    conversationId: 'chat',
    call: { messageId: 'a1', step: 1, toolCallId: 'c1' },
    summary: 'Write a.md',
    input: { path: 'b.md', text: 'A' },
    originalInput: { path: 'a.md', text: 'A' },
    status: 'success',
    startedAt: AT,
    endedAt: AT + 80,
  })
})

test('an always is told with what became of it: its uses, that it was revoked or is void', () => {
  const entries = readAuditEntries({
    confirmations: [
      record({ outcome: 'yes_always', scope: { covers: 'tool' } }),
      record({ id: 'k2', event: 'used', policyId: 'k1', toolCallId: 'c2', at: AT + 1 }),
      record({ id: 'k3', outcome: 'no', revokes: 'k1', at: AT + 2 }),
      record({ id: 'k4', event: 'call-failed', policyId: 'k1', at: AT + 3 }),
    ],
  })
  expect(entries).toMatchObject([
    { id: 'k4', outcome: 'voided', by: 'policy', policyId: 'k1' },
    { id: 'k3', outcome: 'revoked', by: 'person', policyId: 'k1', policyAt: AT },
    { id: 'k2', outcome: 'approved', by: 'policy', policyId: 'k1', policyAt: AT },
    { id: 'k1', outcome: 'always', by: 'person', scope: { covers: 'tool' }, revokedAt: AT + 2 },
  ])
})

test('a decision that its server did not take is told as such, in one entry', () => {
  const entries = readAuditEntries({
    confirmations: [
      record({ outcome: 'yes' }),
      record({ id: 'k2', event: 'refused', policyId: 'k1', at: AT + 1 }),
      record({ id: 'k3', outcome: 'no', at: AT + 2 }),
    ],
  })
  expect(entries).toMatchObject([
    { id: 'k3', outcome: 'denied', by: 'person' },
    { id: 'k1', outcome: 'approved', by: 'person', isRefused: true },
  ])
  expect(entries[0]).not.toHaveProperty('isRefused')
})

test('what only the messages tell of is on record, too: rules, answers, calls without a record', () => {
  const asked = question('ask_person', 'c3', { question: 'Which?' })
  const messages = [
    assistant(
      'a1',
      withMetadata(succeeded(decided(write, true), 'ok'), { decidedBy: 'rule' }),
      withMetadata(denied({ ...write, toolCallId: 'c2' }, 'Not here'), { decidedAt: AT + 1 }),
      withMetadata(succeeded(asked, 'The left one'), {
        submitted: true,
        decidedBy: 'person',
        decidedAt: AT + 2,
      }),
      // Neither of these was decided by anybody.
      succeeded(call('list', 'c4', { state: 'input-available', input: {} }), []),
      { ...write, toolCallId: 'c5' },
      withMetadata(
        call('write_note', 'c6', {
          state: 'output-error',
          input: {},
          errorText: 'Stopped.',
        }),
        { ended: 'cancelled' },
      ),
    ),
  ]
  expect(readAuditEntries({ confirmations: [], messages, conversationId: 'chat' })).toMatchObject([
    { outcome: 'answered', by: 'person', toolName: 'ask_person', conversationId: 'chat' },
    { outcome: 'denied', by: 'person', reason: 'Not here', status: 'denied' },
    { outcome: 'approved', by: 'rule', status: 'success' },
  ])
})

test('a record that comes twice counts once, and ids that come again are kept apart by their step', () => {
  const again = { id: 'k2', step: 2, outcome: 'no', reason: 'No', at: AT + 1 }
  const twice = record({ outcome: 'yes' })
  const entries = readAuditEntries({
    confirmations: [twice, twice, record(again)],
    messages: [
      {
        id: 'a1',
        role: 'assistant',
        parts: [
          { type: 'step-start' },
          succeeded(decided(write, true), 'ok'),
          { type: 'step-start' },
          denied(write, 'No'),
        ],
      },
    ],
  })
  expect(entries).toMatchObject([
    { id: 'k2', outcome: 'denied', status: 'denied' },
    { id: 'k1', outcome: 'approved', status: 'success' },
  ])
})

const entries = readAuditEntries({
  confirmations: [
    record({ outcome: 'yes' }),
    record({
      id: 'k2',
      toolName: 'send_mail',
      outcome: 'no',
      reason: 'Wrong person',
      toolCallId: 'c2',
      at: AT + 1,
    }),
    record({ id: 'k3', event: 'used', policyId: 'k9', toolCallId: 'c3', at: AT - 24 * 3_600_000 }),
  ],
  messages: [assistant('a1', succeeded(decided(write, true), 'ok'))],
})
const idsOf = (filter: Partial<typeof NONE>) =>
  filterAudit(entries, { ...NONE, ...filter }).map(({ id }) => id)

test('is filtered by tool, outcome, by whom, and words anywhere in an entry', () => {
  expect(idsOf({})).toEqual(['k2', 'k1', 'k3'])
  expect(idsOf({ tool: 'send_mail' })).toEqual(['k2'])
  expect(idsOf({ outcome: 'approved' })).toEqual(['k1', 'k3'])
  expect(idsOf({ outcome: 'approved', by: 'policy' })).toEqual(['k3'])
  expect(idsOf({ text: 'WRONG person' })).toEqual(['k2'])
  expect(idsOf({ text: 'a.md' })).toEqual(['k1'])
  expect(idsOf({ text: 'send note' })).toEqual([])
})

test('is divided by days', () => {
  expect(byDay(entries).map((day) => day.entries.map(({ id }) => id))).toEqual([
    ['k2', 'k1'],
    ['k3'],
  ])
})

test('is exported as one list, or as a line for each', () => {
  const json: unknown = JSON.parse(exportAudit(entries, 'json'))
  const lines = exportAudit(entries, 'jsonl').split('\n')
  expect(lines.at(-1)).toBe('')
  expect(lines.slice(0, -1).map((line): unknown => JSON.parse(line))).toEqual(json)
  expect(json).toMatchObject([
    {
      id: 'k2',
      at: new Date(AT + 1).toISOString(),
      outcome: 'denied',
      by: 'person',
      toolName: 'send_mail',
      messageId: 'a1',
      step: 1,
      toolCallId: 'c2',
      reason: 'Wrong person',
    },
    { id: 'k1', input: { path: 'a.md', text: 'A' }, startedAt: new Date(AT).toISOString() },
    { id: 'k3', by: 'policy', policyId: 'k9' },
  ])
  expect(exportAudit([], 'jsonl')).toBe('')
})

test('exports also what is no JSON', () => {
  const cycle: Record<string, unknown> = {}
  cycle['self'] = cycle
  const [entry] = entries
  const text = exportAudit([{ ...entry!, input: cycle, at: Number.NaN }], 'jsonl')
  expect(JSON.parse(text)).toMatchObject({ id: 'k2', input: '[object Object]' })
  expect(JSON.parse(text)).not.toHaveProperty('at')
})

test.each<[unknown, unknown, object[]]>([
  [{ a: 1 }, { a: 1 }, []],
  [{ a: 1 }, { a: 2 }, [{ field: 'a', before: '1', after: '2' }]],
  [
    { a: 'x' },
    { b: 'y' },
    [
      { field: 'b', before: undefined, after: 'y' },
      { field: 'a', before: 'x', after: undefined },
    ],
  ],
  [{ a: { b: 'x', c: 1 } }, { a: { b: 'y', c: 1 } }, [{ field: 'a.b', before: 'x', after: 'y' }]],
  [[1, 2], [2], [{ field: '', before: '[1,2]', after: '[2]' }]],
  ['x', 'y', [{ field: '', before: 'x', after: 'y' }]],
])('the changes from %j to %j', (before, after, changes) => {
  expect(inputChanges(before, after)).toEqual(changes)
})
