import { expect, test } from 'vitest'
import { arrivingFields } from './arriving-input.ts'

test('an input that arrives is shown field by field, the last one growing', () => {
  expect(arrivingFields({ path: 'a.md', lines: 3, text: 'Hel' })).toEqual([
    { key: 'path', text: 'a.md', isGrowing: false },
    { key: 'lines', text: '3', isGrowing: false },
    { key: 'text', text: 'Hel', isGrowing: true },
  ])
  expect(arrivingFields(undefined)).toEqual([])
})

test('of lists and objects the value that grows is shown, by its place', () => {
  const input = { edits: [{ find: 'a' }, { find: 'b', replace: { with: 'some' } }], done: [] }
  expect(arrivingFields(input)).toEqual([
    { key: 'edits.1.replace.with', text: 'some', isGrowing: false },
    { key: 'done', text: '[]', isGrowing: true },
  ])
})

test('of a long text the end is shown, whole characters only', () => {
  const [field] = arrivingFields({ text: `${'x'.repeat(5_000)}${'😀'.repeat(300)}z` })
  expect(field?.text.startsWith('…😀')).toBe(true)
  expect(field?.text.length).toBeLessThan(610)
})

test('what it costs does not grow with the input', () => {
  const timeOnce = (input: unknown): number => {
    const start = performance.now()
    for (let round = 0; round < 500; round++) arrivingFields(input)
    return performance.now() - start
  }
  // The best of many: others use the machine, too.
  const time = (input: unknown) => Math.min(...Array.from({ length: 10 }, () => timeOnce(input)))
  const small = { text: 'x'.repeat(1_000), list: [1, 2, 3] }
  const large = { text: 'x'.repeat(4_000_000), list: Array.from({ length: 100_000 }, () => 1) }
  time(small)
  expect(time(large)).toBeLessThan(time(small) * 4 + 20)
})
