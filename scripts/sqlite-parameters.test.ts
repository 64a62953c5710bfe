import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ROOT } from './child.ts'

test('no statement of SQLite numbers its parameters: Node 22 does not know them', () => {
  const files = globSync('packages/{node,worker,telegram,workspace}/src/**/*.ts', { cwd: ROOT })
  const statements = /\b(?:SELECT|UPDATE|INSERT|DELETE)\b[^`]*?(?<!\()\?\d/
  const numbered = files.filter((file) => statements.test(readFileSync(join(ROOT, file), 'utf8')))
  expect(files.length).toBeGreaterThan(100)
  expect(numbered).toEqual([])
})
