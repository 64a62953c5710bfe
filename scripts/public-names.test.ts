import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { ROOT } from './child.ts'
import { namesWithTwoMeanings, publicEntries } from './public-names.ts'

it('finds a name that two entries have for different things, and lets one pass that is handed on', () => {
  const root = mkdtempSync(join(tmpdir(), 'assent-public-names-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  const write = (name: string, text: string): string => {
    writeFileSync(join(root, name), text)
    return join(root, name)
  }
  write('tsconfig.json', '{ "compilerOptions": { "allowImportingTsExtensions": true } }')
  write('gate.ts', `export type Gate = 'step' | 'call'\nexport interface Task {}`)
  const one = write('one.ts', `export type { Gate, Task } from './gate.ts'`)
  const other = write('other.ts', `export type { Gate } from './gate.ts'\nexport class Task {}`)
  expect(namesWithTwoMeanings(root, [one, other])).toEqual([
    { name: 'Task', files: ['gate.ts', 'other.ts'] },
  ])
})

it('each public name of the packages means one thing', () => {
  const entries = publicEntries()
  expect(entries.length).toBeGreaterThan(20)
  expect(namesWithTwoMeanings(ROOT, entries)).toEqual([])
})
