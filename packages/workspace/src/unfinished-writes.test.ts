import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createScratch, type Scratch } from '../../node/test/scratch.ts'
import { callBash, callTool, failureOf } from '../test/call-tool.ts'
import { createWorkspaceTools, type WorkspaceTools } from './create-workspace-tools.ts'

// Real processes, on a machine that may have others to run.
vi.setConfig({ testTimeout: 60_000 })

let scratch: Scratch
let temporary: Scratch
let made: WorkspaceTools
const children: ChildProcess[] = []

beforeEach(() => {
  scratch = createScratch()
  temporary = createScratch()
  vi.stubEnv('TMPDIR', temporary.path)
  made = createWorkspaceTools({ root: scratch.path })
})
afterEach(async () => {
  for (const child of children.splice(0)) await end(child)
  made.dispose()
  vi.unstubAllEnvs()
  scratch.remove()
  temporary.remove()
})

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGKILL')
  await once(child, 'exit')
}

/** A process that gets a signal right before it puts a file in its place for the n-th time. */
async function writer(
  signal: 'SIGKILL' | 'SIGSTOP',
  count: number,
  tool: 'bash' | 'write',
  input: object,
): Promise<ChildProcess> {
  const script = join(import.meta.dirname, '../test/writing-process.ts')
  const args = [script, scratch.path, signal, String(count), tool, JSON.stringify(input)]
  const child = spawn(process.execPath, ['--conditions=@assent/source', ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  children.push(child)
  const ended = once(child, 'exit')
  if (child.stdout) await once(child.stdout, 'data')
  if (signal === 'SIGKILL') await ended
  return child
}

const isTemporary = (name: string) => name.startsWith('.assent-')
const leftIn = (folder: string) => readdirSync(join(scratch.path, folder)).filter(isTemporary)
const notes = () => {
  const [folder = ''] = readdirSync(temporary.path).filter((name) => name.includes('writes'))
  return readdirSync(join(temporary.path, folder)).filter((name) => name.endsWith('.json'))
}

const FIVE =
  'mkdir new; for i in 1 2 3 4; do echo new > $i.txt; done; echo new > new/5.txt; rm old.txt'

it('tells of the changes of a command that its process wrote in part, once, and removes its file', async () => {
  scratch.write({ '1.txt': 'a\n', '2.txt': 'b\n', '4.txt': 'd\n', 'old.txt': 'o\n' })
  await writer('SIGKILL', 3, 'bash', { command: FIVE })
  expect(leftIn('.')).toHaveLength(1)
  // What fails has told nothing.
  await failureOf(callTool(made.tools.read, { path: 'none.txt' }))
  const told =
    '[Before this call the server ended while it wrote the changes of “mkdir new; for i in 1 2 3 4; ' +
    'do echo new > $i.txt; done; echo new > new/5.txt; …”: 3 of 7 were written. ' +
    'Written: new, 1.txt, 2.txt. Not written: 3.txt, 4.txt, new/5.txt, old.txt.]\n'
  expect((await callTool(made.tools.read, { path: '1.txt' })).output).toBe(`${told}new\n`)
  expect(leftIn('.')).toEqual([])
  expect(notes()).toEqual([])
  expect((await callTool(made.tools.read, { path: '4.txt' })).output).toBe('d\n')
})

it('tells it in the output of a command as well', async () => {
  scratch.write({ '1.txt': 'a\n' })
  await writer('SIGKILL', 1, 'write', { path: '1.txt', content: 'b\n' })
  expect(leftIn('.')).toHaveLength(1)
  const { seen } = await callBash(made.tools.bash, { command: 'cat 1.txt' })
  expect(seen.at(-1)).toBe(
    '[Before this call the server ended while it wrote the changes of “1.txt”: 0 of 1 were written. ' +
      'Not written: 1.txt.]\na\n[Ran in the simulated shell.]\n',
  )
  expect(leftIn('.')).toEqual([])
})

it('reads on where others can get at the notes: only writing is refused then', async () => {
  scratch.write({ '1.txt': 'a\n' })
  const folder = join(temporary.path, `assent-writes-${process.getuid?.() ?? 0}`)
  mkdirSync(folder)
  chmodSync(folder, 0o777)
  expect((await callTool(made.tools.read, { path: '1.txt' })).output).toBe('a\n')
  const writing = callTool(made.tools.write, { path: '1.txt', content: 'b\n' })
  expect(await failureOf(writing)).toMatch(/nothing was written: .* only this user can use/)
})

it('leaves alone what a process writes that lives, and what is of other folders', async () => {
  scratch.write({ '1.txt': 'a\n', 'inner/2.txt': 'c\n' })
  const child = await writer('SIGSTOP', 1, 'write', { path: '1.txt', content: 'b\n' })
  const inner = createWorkspaceTools({ root: join(scratch.path, 'inner') })
  const read = async () => [
    (await callTool(made.tools.read, { path: '1.txt' })).output,
    (await callTool(inner.tools.read, { path: '2.txt' })).output,
  ]
  expect(await read()).toEqual(['a\n', 'c\n'])
  expect(leftIn('.')).toHaveLength(1)
  child.kill('SIGCONT')
  await once(child, 'exit')
  expect(await read()).toEqual(['b\n', 'c\n'])
  expect(notes()).toEqual([])
  await writer('SIGKILL', 1, 'write', { path: '1.txt', content: 'd\n' })
  expect((await callTool(inner.tools.read, { path: '2.txt' })).output).toBe('c\n')
  expect((await read())[0]).toContain('0 of 1 were written')
  expect(readFileSync(join(scratch.path, '1.txt'), 'utf8')).toBe('b\n')
  inner.dispose()
})
