import stringWidth from 'string-width'
import { expect, test } from 'vitest'
import { tableLines } from './table.ts'

interface Row {
  id: string
  says: string
}
const columns = [
  { title: 'id', of: ({ id }: Row) => id, isNumber: true },
  { title: 'says', of: ({ says }: Row) => says, cutTo: 4 },
]

test('is as wide as what is in it when nothing limits it', () => {
  const rows = [
    { id: '7', says: 'hello' },
    { id: '1204', says: 'x'.repeat(200) },
  ]
  expect(tableLines(columns, rows, undefined)).toEqual([
    '  id  says',
    '   7  hello',
    `1204  ${'x'.repeat(200)}`,
  ])
})

test('cuts to the width of the terminal what may be cut, between whole characters of any width', () => {
  const rows = [{ id: '1', says: '家族は👨‍👩‍👧‍👦です、長い行' }]
  for (let width = 8; width < 30; width++) {
    const lines = tableLines(columns, rows, width)
    for (const line of lines) expect(stringWidth(line)).toBeLessThanOrEqual(width)
    const shown = lines[1]?.replace(/^ *1 {2}/, '').replace(/…$/, '') ?? ''
    expect('家族は👨‍👩‍👧‍👦です、長い行'.startsWith(shown)).toBe(true)
    expect(shown.endsWith('\u200d')).toBe(false)
  }
})

test('never cuts what must not be cut', () => {
  const rows = [{ id: 'task-with-a-long-name', says: 'hello there' }]
  expect(tableLines(columns, rows, 10)[1]).toBe('task-with-a-long-name  hel…')
})

test('shows what cannot be seen, and keeps a row in its line', () => {
  const says = 'a\u202eb\u001b[31m\n  c\td'
  expect(tableLines(columns, [{ id: '1', says }], undefined)[1]).toBe(' 1  a‹RLO›b‹ESC›[31m ⏎ c  d')
})
