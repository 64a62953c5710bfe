import type { ToolRisk } from '@assent/engine'
import { explainPolicy } from '@assent/engine/policies'
import { describe, expect, test } from 'vitest'
import { assistant, AT, call, succeeded } from '../../test/fixtures.ts'
import { coverChoices, scopeOf, type CoverChoice } from './cover-choices.ts'

/** The choices for fields, as `path in notes` or `to is dana@example.com`. */
function fields(input: unknown, risk: ToolRisk = 'write'): string[] {
  return coverChoices(input, risk).flatMap((choice) =>
    'field' in choice
      ? [`${choice.field} ${choice.kind === 'folder' ? 'in' : 'is'} ${choice.value}`]
      : [],
  )
}

describe('what is offered for a call', () => {
  test('is the folder of a path', () => {
    expect(fields({ path: 'notes/bills/rent.md' })).toEqual(['path in notes/bills'])
    expect(fields({ file: '/home/sam/a b.txt' })).toEqual(['file in /home/sam'])
  })

  test('is the folder of an address, and never less than its host', () => {
    expect(fields({ url: 'https://example.com/docs/a' })).toEqual([
      'url in https://example.com/docs',
    ])
    expect(fields({ url: 'https://example.com/docs' })).toEqual(['url in https://example.com'])
    expect(fields({ url: 'https://example.com' })).toEqual(['url is https://example.com'])
  })

  test('is the value of a short field of one word, and a number', () => {
    expect(fields({ to: 'dana@example.com', count: 3 })).toEqual([
      'to is dana@example.com',
      'count is 3',
    ])
    expect(fields({ amount: 12.5, mediaType: 'text/plain' })).toEqual([
      'amount is 12.5',
      'mediaType is text/plain',
    ])
  })

  test.each([
    ['the root', '/etc'],
    ['a way up', 'notes/../secrets/key'],
    ['a wildcard', 'notes/*/a.md'],
    ['a hidden character', 'notes/\u202ea/b'],
    ['a command', 'rm -rf notes/a'],
    ['shell characters', 'notes/$(whoami)/a'],
  ])('is no folder for %s', (_, value) => {
    expect(fields({ path: value, command: value }).filter((text) => / in /.test(text))).toEqual(
      value === 'rm -rf notes/a' ? ['path in rm -rf notes'] : [],
    )
  })

  test('is no field that is long, has several words, or holds no plain value', () => {
    expect(
      fields({ text: 'Due on Friday', id: 'x'.repeat(41), done: true, tags: ['a'], none: null }),
    ).toEqual([])
    expect(fields('notes/a.md')).toEqual([])
    expect(fields(['notes/a.md'])).toEqual([])
    expect(fields(undefined)).toEqual([])
  })

  test('is three fields at most, folders first, then those that tell most', () => {
    expect(fields({ size: 1, lines: 2, to: 'dana', path: 'notes/a', mode: 'w' })).toEqual([
      'path in notes',
      'to is dana',
      'size is 1',
    ])
  })

  test('ends with this very call and every call: the narrower first', () => {
    const kinds = (risk: ToolRisk): string[] => coverChoices({}, risk).map(({ kind }) => kind)
    expect(kinds('read')).toEqual(['input', 'tool'])
    expect(kinds('write')).toEqual(['input', 'tool'])
    expect(kinds('send')).toEqual(['input', 'tool'])
  })

  test('is this very call only where it cannot be undone', () => {
    expect(coverChoices({ path: 'notes/a' }, 'destroy')).toEqual([
      { kind: 'input', covers: 'input' },
    ])
  })

  test('is this very call only where its tool wants so', () => {
    expect(coverChoices({ path: 'notes/a' }, 'write', true)).toEqual([
      { kind: 'input', covers: 'input' },
    ])
  })

  test.each([
    { path: 'notes/bills/rent.md' },
    { 'a/b~c': 'notes/x' },
    { url: 'https://example.com/docs/a' },
    { to: 'dana@example.com' },
    { amount: 12.5 },
  ])('covers the call that it was offered for: %o', (input) => {
    const done = succeeded(call('act', 'c1', { state: 'input-available', input }), 'Done')
    for (const choice of coverChoices(input, 'write')) {
      const scope = scopeOf(choice, 'conversation', 'no-end', undefined, AT)
      const candidate = { toolName: 'act', scope, input }
      expect(explainPolicy(candidate, [assistant('a1', done)]).matched).toHaveLength(1)
    }
  })

  test('does not cover what is beside the folder', () => {
    const [choice] = coverChoices({ path: 'notes/a.md' }, 'write') as [CoverChoice]
    const beside = ['notes', 'notes evil/a.md', 'notes-2/a.md', 'other/notes/a.md'].map(
      (path, id) =>
        succeeded(call('act', `c${id}`, { state: 'input-available', input: { path } }), 'Done'),
    )
    const scope = scopeOf(choice, 'conversation', 'no-end', undefined, AT)
    const explained = explainPolicy({ toolName: 'act', scope }, [assistant('a1', ...beside)])
    expect(explained).toMatchObject({ total: 4, matched: [] })
  })
})

test('what was chosen becomes a scope, with its end', () => {
  const tool: CoverChoice = { kind: 'tool', covers: 'tool' }
  expect(scopeOf(tool, 'conversation', 'no-end', undefined, AT)).toEqual({
    covers: 'tool',
    where: 'conversation',
  })
  expect(scopeOf(tool, 'everywhere', 'minutes', undefined, AT)).toEqual({
    covers: 'tool',
    where: 'everywhere',
    until: AT + 900_000,
  })
  expect(scopeOf(tool, 'conversation', 'hours', undefined, AT).until).toBe(AT + 28_800_000)
  expect(scopeOf(tool, 'conversation', 'today', undefined, AT).until).toBe(
    new Date(2026, 4, 13).getTime(),
  )
  expect(scopeOf(tool, 'conversation', 'minutes', 5, AT)).toMatchObject({
    uses: 5,
    until: AT + 900_000,
  })
})
