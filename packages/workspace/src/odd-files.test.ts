import { chmodSync, linkSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { callTool, failureOf } from '../test/call-tool.ts'
import { createScratch, type Scratch } from '../../node/test/scratch.ts'
import { createWorkspaceTools } from './create-workspace-tools.ts'
import { findProgram } from './shell/sandbox/tool-folders.ts'
import { openView } from './shell/simulated/view.ts'
import { WorkspaceRefusal, toRefusal } from './refusal.ts'

let scratch: Scratch
let made: ReturnType<typeof createWorkspaceTools>

beforeEach(() => {
  scratch = createScratch()
  scratch.write({ 'a.txt': 'cat\n', '.env': 'TOKEN=1\n' })
  made = createWorkspaceTools({ root: scratch.path })
})
afterEach(() => {
  made.dispose()
  scratch.remove()
})

/** As a user that nobody is: root may read everything. */
async function asPlainUser<VALUE>(act: () => Promise<VALUE>): Promise<VALUE> {
  if (process.getuid?.() !== 0) return act()
  chmodSync(scratch.path, 0o755)
  process.seteuid?.(65_534)
  try {
    return await act()
  } finally {
    process.seteuid?.(0)
  }
}

it.runIf(process.platform === 'linux')(
  'leaves out and names a file whose name is no UTF-8',
  async () => {
    const name = Buffer.concat([Buffer.from(`${scratch.path}/bad`), Uint8Array.of(0xff)])
    writeFileSync(name, 'cat\n')
    const { output } = await callTool(made.tools.grep, { pattern: 'cat' })
    expect(output).toContain('a.txt:1:cat')
    expect(output).toContain('Left out, since it cannot be read: bad\ufffd.')
    const ran = await callTool(made.tools.bash, { command: 'ls; cat a.txt' })
    expect(ran.output).toContain('cat\n')
    expect(ran.output).toContain('Left out, since it cannot be read: "bad\ufffd".')
  },
)

it('shows the lines of names with line ends as one line', async () => {
  writeFileSync(join(scratch.path, 'x\ny'), 'cat\n')
  expect((await callTool(made.tools.glob, { pattern: 'x*' })).output).toBe('x\\ny\n')
  expect((await callTool(made.tools.grep, { pattern: 'cat' })).output).toContain('x\\ny:1:cat')
  const call = { command: "echo x > $'m\\nn'" }
  expect((await callTool(made.tools.bash, call)).output).toContain('[Written: m\\nn.]')
})

it('finds a program behind what cannot be looked at', () => {
  mkdirSync(join(scratch.path, 'bin'))
  writeFileSync(join(scratch.path, 'bin/tool'), '', { mode: 0o755 })
  symlinkSync('loop', join(scratch.path, 'loop'))
  const path = [join(scratch.path, 'loop'), join(scratch.path, 'a.txt'), join(scratch.path, 'bin')]
  expect(findProgram('tool', path.join(':'))).toBe(join(scratch.path, 'bin/tool'))
})

it.runIf(process.platform === 'linux')(
  'shows the rest beside a folder that cannot be read, and what has all its names there',
  async () => {
    mkdirSync(join(scratch.path, 'd'))
    linkSync(join(scratch.path, 'a.txt'), join(scratch.path, 'b.txt'))
    writeFileSync(join(scratch.path, 'd/.env'), 'TOKEN=2\n')
    linkSync(join(scratch.path, 'd/.env'), join(scratch.path, 'harmless.txt'))
    chmodSync(join(scratch.path, 'd'), 0)
    const view = openView([{ path: scratch.path, access: 'write' }], undefined, 1_000)
    expect(await asPlainUser(() => view.list(scratch.path))).toEqual(['a.txt', 'b.txt', 'd'])
    expect([...view.leftOut]).toEqual([join(scratch.path, 'd')])
    chmodSync(join(scratch.path, 'd'), 0o755)
  },
)

it.each([
  ['ENOSPC', 'disk_full'],
  ['EDQUOT', 'disk_full'],
  ['EROFS', 'read_only'],
  ['EACCES', 'no_permission'],
])('tells %s as %s', (code, refused) => {
  const refusal = toRefusal(Object.assign(new Error(code), { code }), 'a.txt')
  expect(refusal).toBeInstanceOf(WorkspaceRefusal)
  expect(refusal).toMatchObject({ code: refused, message: expect.stringContaining('a.txt') })
})

it.each([
  ['python3 -c 1', 'python3: command not found in this shell'],
  ['seq 1 20000', 'seq: this shell does no more than 10000 steps in one command'],
])('says in its own words what the library cannot do: %s', async (command, said) => {
  const { output } = await callTool(made.tools.bash, { command })
  expect(output).toContain(said)
  expect(output).not.toMatch(/browser|executionLimits/)
})

it('says that no output is kept, with one space', async () => {
  expect(await failureOf(callTool(made.tools.readToolOutput, { offset: 0 }))).toBe(
    'Refused: no output is kept.',
  )
})
