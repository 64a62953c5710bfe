import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  statSync,
  utimesSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createScratch, type Scratch } from '../../node/test/scratch.ts'
import { withWriteLock } from './write-lock.ts'

// Real processes, on a machine that may have others to run.
vi.setConfig({ testTimeout: 120_000 })

let scratch: Scratch
const children: ChildProcess[] = []

beforeEach(() => {
  scratch = createScratch()
})
afterEach(async () => {
  for (const child of children.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  vi.unstubAllEnvs()
  scratch.remove()
})

function start(...args: readonly string[]): ChildProcess {
  const child = spawn(process.execPath, ['--conditions=@assent/source', ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  children.push(child)
  return child
}

const EDITING = join(import.meta.dirname, '../test/editing-process.ts')

/** The lines of a file to which these processes have added so many lines each. */
const linesBy = (count: number, ...names: readonly string[]) =>
  [
    '',
    'end',
    ...names.flatMap((name) => Array.from({ length: count }, (_, at) => `${name} ${at}`)),
  ].toSorted()
const linesOf = (path: string) =>
  readFileSync(join(scratch.path, path), 'utf8').split('\n').toSorted()

it.each([
  ['edit', 50],
  ['bash', 15],
])('processes that change the same files by %s lose nothing', async (tool, count) => {
  scratch.write({ 'a.txt': 'end\n', 'inner/b.txt': 'end\n' })
  const by = (name: string, root: string, ...paths: readonly string[]) =>
    once(start(EDITING, tool, join(scratch.path, root), name, String(count), ...paths), 'exit')
  // The root of one lies in that of the others.
  const ends = await Promise.all([
    by('one', '.', 'inner/b.txt', 'a.txt'),
    by('other', '.', 'a.txt'),
    by('inner', 'inner', 'b.txt'),
  ])
  expect(ends).toEqual([0, 0, 0].map((code) => [code, null]))
  expect(linesOf('a.txt')).toEqual(linesBy(count, 'one', 'other'))
  expect(linesOf('inner/b.txt')).toEqual(linesBy(count, 'one', 'inner'))
})

/** A process that has the lock of a file until it is killed. */
async function holder(file: string): Promise<ChildProcess> {
  const code = `
    const { withWriteLock } = await import(${JSON.stringify(join(import.meta.dirname, 'write-lock.ts'))})
    await withWriteLock([${JSON.stringify(file)}], { subject: 'x' }, () => {
      console.log('held')
      return new Promise((resolve) => setTimeout(resolve, 600_000))
    })`
  const child = start('--input-type=module', '-e', code)
  if (child.stdout) await once(child.stdout, 'data')
  return child
}

const soon = async () => 'done'

it('says that another process writes, in time, and lets go with a process that is killed', async () => {
  const file = join(scratch.path, 'a.txt')
  const child = await holder(file)
  const refused = withWriteLock([file], { subject: 'a.txt', waitMs: 50 }, soon)
  await expect(refused).rejects.toMatchObject({
    code: 'busy',
    subject: 'a.txt',
    message: 'Refused: another process is writing here; nothing was written. Try again.',
  })
  // Other folders are free meanwhile; but for those that share this lock by chance.
  const others = Array.from({ length: 12 }, (_, at) =>
    withWriteLock([join(scratch.path, `${at}`, 'b')], { subject: 'b', waitMs: 50 }, soon),
  )
  expect(await Promise.any(others)).toBe('done')
  const waiting = withWriteLock([file], { subject: 'a.txt' }, soon)
  child.kill('SIGKILL')
  expect(await waiting).toBe('done')
})

it('waits no longer than the call, whoever it waits for', async () => {
  const file = join(scratch.path, 'a.txt')
  await holder(file)
  const stop = new AbortController()
  const request = { subject: 'a.txt', signal: stop.signal }
  // The first waits for the other process, the second for the first.
  const waiting = [1, 2].map(() => withWriteLock([file], request, soon))
  const ended = Promise.allSettled(waiting)
  stop.abort(new Error('cancelled'))
  expect((await ended).map((one) => one.status === 'rejected' && String(one.reason))).toEqual([
    'Error: cancelled',
    'Error: cancelled',
  ])
  await expect(withWriteLock([file], request, soon)).rejects.toThrow('cancelled')
})

it('lets those of one process in one by one, in the order in which they came', async () => {
  const file = join(scratch.path, 'a.txt')
  const seen: string[] = []
  const write = (name: string) =>
    withWriteLock([file, join(scratch.path, 'b/c.txt')], { subject: name }, async () => {
      seen.push(`${name} begins`)
      await new Promise(setImmediate)
      seen.push(`${name} ends`)
    })
  await Promise.all(['1', '2', '3'].map(write))
  expect(seen).toEqual(['1', '2', '3'].flatMap((name) => [`${name} begins`, `${name} ends`]))
})

it('writes nothing where others can get at the locks, and says so', async () => {
  vi.stubEnv('TMPDIR', scratch.path)
  const folder = join(scratch.path, `assent-writes-${process.getuid?.() ?? 0}`)
  mkdirSync(folder)
  chmodSync(folder, 0o777)
  const file = join(scratch.path, 'a.txt')
  await expect(withWriteLock([file], { subject: 'a.txt' }, soon)).rejects.toThrow(
    `nothing was written: the lock for writing cannot be taken. ${folder} is not a folder that only this user can use: remove it.`,
  )
  rmdirSync(folder)
  expect(await withWriteLock([file], { subject: 'a.txt' }, soon)).toBe('done')
})

it('keeps the locks that are used from those who clean up old temporary files', async () => {
  vi.stubEnv('TMPDIR', scratch.path)
  const file = join(scratch.path, 'a.txt')
  await withWriteLock([file], { subject: 'a.txt' }, soon)
  const folder = join(scratch.path, `assent-writes-${process.getuid?.() ?? 0}`)
  const [lock = '', ...others] = readdirSync(folder)
  expect(others).toEqual([])
  utimesSync(join(folder, lock), 0, 0)
  const age = await withWriteLock(
    [file],
    { subject: 'a.txt' },
    async () => Date.now() - statSync(join(folder, lock)).mtimeMs,
  )
  expect(age).toBeLessThan(60_000)
})
