import { join } from 'node:path'
import { writeFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { callTool, failureOf } from '../test/call-tool.ts'
import { createScratch, type Scratch } from '../../node/test/scratch.ts'
import { createWorkspaceTools } from './create-workspace-tools.ts'
import { createDiskLook } from './disk-look.ts'

let scratch: Scratch
let made: ReturnType<typeof create>

const create = () =>
  createWorkspaceTools({ root: scratch.path, attach: () => undefined, onRefused: () => undefined })

beforeEach(() => {
  scratch = createScratch()
  writeFileSync(join(scratch.path, 'a.txt'), 'one\n')
  made = create()
})
afterEach(() => {
  made.dispose()
  scratch.remove()
})

/** Milliseconds of processor time. */
async function costOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}

describe.each([
  ['longer than any system opens', 'a/'.repeat(100_000), /^Refused: .*Too big/],
  ['deeper than anybody nests', 'a/'.repeat(2_000), /^Refused: the path is too long/],
])('a path that is %s', (_, path, message) => {
  it('is refused by every tool before it is looked up', async () => {
    const { read, write, edit, glob, grep, attach } = made.tools
    const calls = [
      () => callTool(read, { path }),
      () => callTool(write, { path, content: '' }),
      () => callTool(edit, { path, oldText: 'a', newText: 'b' }),
      () => callTool(glob, { pattern: '*', path }),
      () => callTool(grep, { pattern: 'a', path }),
      () => callTool(attach, { path }),
    ]
    for (const call of calls) {
      expect(
        await costOf(async () => expect(await failureOf(call())).toMatch(message)),
      ).toBeLessThan(300)
    }
  })

  it('is not looked up for a command either', async () => {
    expect(await createDiskLook().realOf(join(scratch.path, path, 'x'))).toBeUndefined()
  })
})

it('refuses a pattern, a glob and a command that are too long to be read', async () => {
  const { grep, glob, bash } = made.tools
  const long = 'a?'.repeat(300_000)
  for (const call of [
    () => callTool(grep, { pattern: long }),
    () => callTool(grep, { pattern: 'a', glob: long }),
    () => callTool(glob, { pattern: long }),
    () => callTool(bash, { command: long }),
  ]) {
    const cost = await costOf(async () => {
      const message = await failureOf(call())
      expect(message).toMatch(/^Refused: the input of \w+ is not as it must be: \w+: Too big/)
      expect(message.length).toBeLessThan(300)
    })
    expect(cost).toBeLessThan(300)
  }
})
