import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { missingNames, type NameKinds } from './named-files.ts'

let root: string

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'assent-names-'))
  write('packages/engine/src/turn.ts', '')
  write('packages/engine/README.md', '# The engine\n')
  write('docs/guide.md', '# Guide\n\n## How a `call` flows\n')
})

afterEach(() => rmSync(root, { recursive: true }))

function write(file: string, text: string): void {
  mkdirSync(dirname(join(root, file)), { recursive: true })
  writeFileSync(join(root, file), text)
}

function missingIn(text: string, kinds: NameKinds = 'all', page = 'MAP.md'): string[] {
  write(page, text)
  return missingNames(root, [[page, kinds]]).map(({ line, name }) => `${line} ${name}`)
}

it('finds nothing missing where all that is named is there', () => {
  const text = [
    '[the loop](packages/engine/src/turn.ts), [flow](docs/guide.md#how-a-call-flows), [up](#map)',
    '# Map',
    '`packages/engine/src/turn.ts`, `src/turn.ts`, `turn.ts`, `packages/*/src/turn.ts`',
    '[a site](https://example.org/x.ts), `a.b`, `const x = 1`, `/page.html`',
    '```sh',
    'vitest run packages/engine/src/turn.ts ./tools.ts',
    '```',
    'Write `packages/engine/src/<name>.ts` and `<name>.test.ts`.',
  ].join('\n')
  expect(missingIn(text)).toEqual([])
})

it.each([
  ['a link', '[x](packages/engine/src/runner.ts)', 'packages/engine/src/runner.ts'],
  ['a heading', '[x](docs/guide.md#gone)', 'docs/guide.md#gone'],
  ['a heading of the page', '[x](#gone)', '#gone'],
  ['a picture', '<img src="docs/a.png">', 'docs/a.png'],
  ['a path in code', '`packages/engine/src/runner.ts`', 'packages/engine/src/runner.ts'],
  ['a path with a line', '`packages/engine/src/runner.ts:3`', 'packages/engine/src/runner.ts:3'],
  ['a folder', '`packages/vue/`', 'packages/vue/'],
  ['a file by its name', '`runner.ts`', 'runner.ts'],
  ['a pattern that nothing matches', '`packages/*/src/runner.ts`', 'packages/*/src/runner.ts'],
  ['the folder of a file to be made', '`packages/vue/src/<x>.ts`', 'packages/vue/src/<x>.ts'],
])('finds %s that is not there', (_, text, name) => {
  expect(missingIn(`First line\n\n${text}`)).toEqual([`3 ${name}`])
})

it('finds a path in a command that is not there', () => {
  expect(missingIn('```sh\nnode scripts/gone.ts\nnode docs/gone.ts\n```')).toEqual([
    '3 docs/gone.ts',
  ])
})

it('looks at nothing but links where a page shows files of its readers', () => {
  const text = '`server.ts`, [gone](./gone.md)\n```ts\nimport "packages/gone.ts"\n```'
  expect(missingIn(text, 'links', 'docs/page.md')).toEqual(['1 ./gone.md'])
})
