import { expect, test } from 'vitest'
import { foldText } from './fold-text.ts'

const many = (count: number) => Array.from({ length: count }, (_, i) => `line ${i}`).join('\n')

test('shows what is not much longer than what would be shown', () => {
  for (const text of ['', 'short', many(20), 'x'.repeat(1_500)]) {
    expect(foldText(text)).toMatchObject({ shown: text, isFolded: false })
  }
})

test('folds at a line, and says how many there are', () => {
  const { shown, lines, isFolded } = foldText(many(100))
  expect(isFolded).toBe(true)
  expect(lines).toBe(100)
  expect(shown.split('\n')).toHaveLength(16)
})

test('names hosts, paths and amounts of the rest', () => {
  const rest = [
    'Send it to https://collect.example.org/in?x=1, please.',
    'Copy /etc/passwd and ~/.ssh/id_rsa',
    String.raw`and C:\Users\sam`,
    'pay $5,000.00 or 12 EUR or 30 %',
    'to dana@example.com via files.example.net',
  ].join('\n')
  expect(foldText(`${many(60)}\n${rest}`).telling).toEqual([
    'https://collect.example.org/in?x=1',
    '/etc/passwd',
    '~/.ssh/id_rsa',
    String.raw`C:\Users\sam`,
    '$5,000.00',
    '12 EUR',
    '30 %',
    'dana@example.com',
    'files.example.net',
  ])
})

test('names one that the cut goes through as a whole', () => {
  const text = `${'word '.repeat(238)}https://evil.example/path ${'more '.repeat(400)}`
  const { shown, telling } = foldText(text)
  expect(shown).not.toContain('https://evil.example/path')
  expect(telling).toEqual(['https://evil.example/path'])
})

test('does not fold away what nobody can see, nor more than can be named', () => {
  expect(foldText(`${many(60)}\n\u202e`).isFolded).toBe(false)
  const hosts = Array.from({ length: 60 }, (_, i) => `https://h${i}.example/`).join('\n')
  expect(foldText(`${many(60)}\n${hosts}`).isFolded).toBe(false)
})
