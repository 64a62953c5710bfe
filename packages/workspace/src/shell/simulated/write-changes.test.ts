import { existsSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createScratch, type Scratch } from '../../../../node/test/scratch.ts'
import { openRoots } from '../../roots.ts'
import { hashOf } from '../../text-file.ts'
import type { Change, FileState } from './overlay-run.ts'
import { findStale, partlyWritten, writeChanges } from './write-changes.ts'

let scratch: Scratch

beforeEach(() => {
  scratch = createScratch()
  scratch.write({ 'a.txt': 'a\n', 'b.txt': 'b\n', 'c.txt': 'c\n', 'd/e.txt': 'e\n' })
})
afterEach(() => scratch.remove())

const at = (path: string) => join(scratch.path, path)
const textOf = (path: string) => readFileSync(at(path), 'utf8')
const state = (text: string): FileState => ({ hash: hashOf(text), size: text.length, mode: 0o644 })
const place = () => ({ roots: openRoots(scratch.path), maxFileBytes: 1_000 })
const write = (path: string, before: string | undefined, after: string): Change => ({
  kind: 'write',
  path: at(path),
  ...(before !== undefined && { before: state(before) }),
  after: state(after),
  bytes: new TextEncoder().encode(after),
})

it('stops at the first change that cannot be made, and says what was and what was not', async () => {
  const changes = [
    write('a.txt', 'a\n', 'A\n'),
    write('b.txt', 'other\n', 'B\n'),
    write('n.txt', undefined, 'N\n'),
  ]
  expect((await findStale(changes, place()))?.path).toBe(at('b.txt'))
  const written = await writeChanges(changes, place())
  const { roots } = place()
  expect(partlyWritten('x', written, roots.show).message).toBe(
    'Refused: only a part was written: a.txt. b.txt was not: b.txt has changed since the command ran. Not tried: n.txt.',
  )
  expect([textOf('a.txt'), textOf('b.txt'), existsSync(at('n.txt'))]).toEqual(['A\n', 'b\n', false])
})

it.each([
  ['a file that somebody else has made', () => write('b.txt', undefined, 'B\n')],
  ['a file that was deleted', () => write('gone.txt', 'x\n', 'y\n')],
  [
    'a file that was changed before it is deleted',
    (): Change => ({ kind: 'delete', path: at('c.txt'), before: state('other\n') }),
  ],
  ['a folder that holds something', (): Change => ({ kind: 'remove-folder', path: at('d') })],
  [
    'a link that leads elsewhere',
    (): Change => ({ kind: 'delete-link', path: at('link'), target: 'b.txt' }),
  ],
  ['what is reached by a link', () => write('link-folder/e.txt', 'e\n', 'E\n')],
  ['what may hold secrets', () => write('.env', undefined, 'E\n')],
])('does not touch %s', async (_, make) => {
  symlinkSync('a.txt', at('link'))
  symlinkSync('d', at('link-folder'))
  const change = make()
  expect((await findStale([change], place()))?.path).toBe(change.path)
  const { done, failed } = await writeChanges([change], place())
  expect(done).toEqual([])
  expect(failed?.path).toBe(change.path)
  expect(['b.txt', 'c.txt', 'd/e.txt', 'link'].map(textOf)).toEqual(['b\n', 'c\n', 'e\n', 'a\n'])
  expect(existsSync(at('.env'))).toBe(false)
})
