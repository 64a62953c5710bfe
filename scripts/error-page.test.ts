import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ROOT } from './child.ts'

function namesIn(file: string, pattern: RegExp): string[] {
  const names = readFileSync(join(ROOT, file), 'utf8').matchAll(pattern)
  return [...new Set([...names].map(([, name = '']) => name))].toSorted()
}

test('every error of the engine has its row, and no row is about another one', () => {
  const codes = namesIn('packages/engine/src/errors.ts', /^ {2}\| '(\w+)'$/gm)
  const rows = readFileSync(join(ROOT, 'docs/errors.md'), 'utf8').matchAll(/^\| (`[^|]+)\|/gm)
  const told = [...rows].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`(\w+)`/g)].map(([, code = '']) => code),
  )
  expect(codes.length).toBeGreaterThan(40)
  expect(told.toSorted()).toEqual(codes)
})
