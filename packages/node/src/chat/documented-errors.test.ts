import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const here = new URL('./', import.meta.url)
const docs = readFileSync(new URL('../../../../docs/node-chat-handler.md', here), 'utf8')

/** Every refusal of the handler, with what limits it where its message says "at most". */
const refusals = readdirSync(here)
  .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
  .flatMap((name) => {
    const source = readFileSync(new URL(name, here), 'utf8')
    return (
      [...source.matchAll(/new RequestError\(\s*(\d{3}),\s*'([a-z-]+)'/g)]
        .map(([, status, code]) => ({ name, status, code }))
        // The example of a docstring, for a code of an app's own.
        .filter(({ code }) => code !== 'banned')
    )
  })

test('there are refusals to look for', () => {
  expect(refusals.length).toBeGreaterThan(25)
})

test.each(refusals)('the table of errors has $status $code of $name', ({ status, code }) => {
  const rows = docs.split('\n').filter((line) => line.startsWith(`| ${status} `))
  expect(rows.some((row) => row.includes(`\`${code}\``))).toBe(true)
})

test('every limit that a refusal names is in the docs', () => {
  const limits = ['check-approvals.ts', 'read-body.ts'].flatMap((name) => {
    const source = readFileSync(new URL(name, here), 'utf8')
    return [...source.matchAll(/^const MAX_\w+ = ([\d_]+)$/gm)].map(([, number = '']) => number)
  })
  expect(limits).toHaveLength(3)
  for (const limit of limits)
    expect(docs).toContain(Number(limit.replaceAll('_', '')).toLocaleString('en'))
})

test('every code of a handler that cannot be made, or cannot work, is in the docs', () => {
  const source = readFileSync(new URL('handler-errors.ts', here), 'utf8')
  const codes = [...source.matchAll(/^ {2}\| '(\w+)'$/gm)].map(([, code = '']) => code)
  expect(codes.length).toBeGreaterThan(5)
  for (const code of codes) expect(docs).toContain(`| \`${code}\``)
})
