import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createScratch, type Scratch } from '../../../../node/test/scratch.ts'
import { ownMark, stateOf } from './process-mark.ts'
import { sweepRuntimeFolders } from './runtime-files.ts'

// Real processes, on a machine that may have others to run.
vi.setConfig({ testTimeout: 60_000 })

const USES_FILES = `
  const { runtimeFiles } = await import(${JSON.stringify(join(import.meta.dirname, 'runtime-files.ts'))})
  console.log(runtimeFiles().trialFolder)
  setInterval(() => {}, 1_000)`

let scratch: Scratch
const children: ChildProcess[] = []

beforeEach(() => {
  scratch = createScratch()
  vi.stubEnv('TMPDIR', scratch.path)
})
afterEach(async () => {
  for (const child of children.splice(0)) await end(child)
  vi.unstubAllEnvs()
  scratch.remove()
})

/** A process that has made its runtime files, and their folder. */
async function start(): Promise<{ child: ChildProcess; folder: string }> {
  const args = ['--conditions=@assent/source', '--input-type=module', '-e', USES_FILES]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  children.push(child)
  for await (const line of createInterface({ input: child.stdout })) {
    return { child, folder: join(line, '..') }
  }
  throw new Error('It did not start.')
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGKILL')
  await once(child, 'exit')
}

it('files of a killed process go with the next start, those of one that runs stay', async () => {
  const [killed, living] = await Promise.all([start(), start()])
  await end(killed.child)
  expect(existsSync(killed.folder)).toBe(true)
  const next = await start()
  expect(existsSync(killed.folder)).toBe(false)
  expect(existsSync(join(living.folder, 'hidden/HIDDEN.txt'))).toBe(true)
  expect(existsSync(next.folder)).toBe(true)
})

it('a number that another process has by now is not taken for the one that made them', async () => {
  const [pid, namespace, started] = ownMark().split('-').map(Number)
  const made = (name: string) => {
    mkdirSync(join(scratch.path, name, 'inner'), { recursive: true })
    return name
  }
  const gone = made(`assent-sandbox-${pid}-${namespace}-${Number(started) + 1}-AAAAAA`)
  const stay = [
    made(`assent-sandbox-${ownMark()}-BBBBBB`),
    // The numbers of another container mean nothing here.
    made(`assent-sandbox-4194304-${Number(namespace) + 1}-7-CCCCCC`),
    made('assent-sandbox-DDDDDD'),
    made('assent-other-1-2-3-EEEEEE'),
  ]
  symlinkSync(
    'assent-other-1-2-3-EEEEEE',
    join(scratch.path, `assent-sandbox-1-${namespace}-1-FFFFFF`),
  )
  sweepRuntimeFolders()
  const left = readdirSync(scratch.path)
  expect(left).not.toContain(gone)
  expect(left).toEqual(expect.arrayContaining(stay))
  expect(existsSync(join(scratch.path, 'assent-other-1-2-3-EEEEEE/inner'))).toBe(true)
  expect(left).toContain(`assent-sandbox-1-${namespace}-1-FFFFFF`)
})

it('a process is told from what runs elsewhere, and from one that has ended', async () => {
  expect(stateOf(ownMark())).toBe('running')
  const [, namespace] = ownMark().split('-').map(Number)
  expect(stateOf(`${process.pid}-${Number(namespace) + 1}-1`)).toBe('elsewhere')
  const { child } = await start()
  const mark = `${child.pid ?? 0}-${Number(namespace)}-1` as const
  expect(stateOf(mark)).toBe('ended')
})
