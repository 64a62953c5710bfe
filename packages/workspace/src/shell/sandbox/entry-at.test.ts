import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, linkSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createScratch, type Scratch } from '../../../../node/test/scratch.ts'
import { canBeReadByOthers, isRoot, startPlainUser } from '../../../test/plain-user.ts'
import { describeSandbox } from '../../../test/sandbox-here.ts'
import { shellTrial } from '../../../test/shell-trial.ts'
import { entryAt } from './entry-at.ts'
import { toolFolders } from './tool-folders.ts'

// Real processes, on a machine that may have others to run.
vi.setConfig({ testTimeout: 60_000 })

let scratch: Scratch

beforeEach(() => {
  scratch = createScratch()
  scratch.write({ 'a.txt': 'one\n' })
})
afterEach(() => scratch.remove())

const inside = (...path: string[]) => join(scratch.path, ...path)

it.each([
  ['is missing', 'none/x'],
  ['is below a file', 'a.txt/x'],
  ['is below a link to itself', 'loop/x'],
  ['is longer than any name', 'x'.repeat(5_000)],
])('nothing is at a path that %s, and nothing is thrown', (_, path) => {
  symlinkSync('loop', inside('loop'))
  expect(entryAt(inside(path))).toBeUndefined()
  expect(toolFolders(inside(path), [])).toEqual([])
})

describeSandbox('commands in a repository with a link that leads to itself', () => {
  it('run, and cannot make it lead elsewhere', async () => {
    execFileSync('git', ['init', '-q', scratch.path])
    rmSync(inside('.git/objects/info'), { recursive: true })
    symlinkSync('info', inside('.git/objects/info'))
    const trial = shellTrial(scratch.path)
    expect(await trial.inside('cat a.txt')).toMatchObject({ output: 'one\n', exitCode: 0 })
    const { note } = await trial.inside(
      'rm .git/objects/info; mkdir .git/objects/info; echo /x > .git/objects/info/alternates',
      { rights: ['write'] },
    )
    expect(note).toMatch(/Taken away.*alternates/)
    expect(existsSync(inside('.git/objects/info/alternates'))).toBe(false)
  })
})

/** The commands run as another user than root, for whom nothing is locked. */
const isForRootOnly = isRoot && !canBeReadByOthers()

describeSandbox('commands of a plain user', () => {
  it.skipIf(isForRootOnly)('cannot unlock what nobody could look at before them', async () => {
    execFileSync('git', ['init', '-q', scratch.path])
    chmodSync(inside('.git/hooks'), 0)
    execFileSync('git', ['init', '-q', inside('locked')])
    chmodSync(inside('locked/.git'), 0)
    const user = await startPlainUser(scratch.path)
    try {
      expect(await user.run('cat a.txt')).toMatchObject({ output: 'one\n', exitCode: 0 })
      const command = 'chmod 700 locked/.git; echo x >> locked/.git/config; echo done'
      expect(await user.run(command, { rights: ['write'] })).toMatchObject({
        output: expect.stringMatching(/Read-only file system[^]*done/),
      })
      expect(readFileSync(inside('locked/.git/config'), 'utf8')).not.toContain('x\n')
    } finally {
      await user.end()
    }
  })

  it.skipIf(isForRootOnly)(
    'cannot keep what they made by locking the folder above it',
    async () => {
      execFileSync('git', ['init', '-q', scratch.path])
      rmSync(inside('.git/info'), { recursive: true })
      const user = await startPlainUser(scratch.path)
      try {
        const command = 'mkdir .git/info; echo x > .git/info/attributes; chmod 0 .git; echo done'
        const answer = await user.run(command, { rights: ['write'] })
        expect(answer).toMatchObject({
          output: 'done\n',
          note: expect.stringMatching(/Taken away.*\.git\/info/),
        })
        expect(existsSync(inside('.git/info'))).toBe(false)
        expect(await user.run('cat a.txt')).toMatchObject({ output: 'one\n' })
      } finally {
        await user.end()
      }
    },
  )

  it.skipIf(isForRootOnly)('see no other name of a secret in a folder that is locked', async () => {
    scratch.write({ '.ssh/id_rsa': 'top secret\n', 'b.txt': 'b\n' })
    linkSync(inside('.ssh/id_rsa'), inside('plain.txt'))
    chmodSync(inside('.ssh'), 0)
    const user = await startPlainUser(scratch.path, 'top secret')
    try {
      const answer = await user.run('cat plain.txt b.txt')
      expect(answer).toMatchObject({
        output: expect.stringMatching(/hidden[^]*b\n$/),
        leaks: false,
      })
    } finally {
      await user.end()
    }
  })

  it.skipIf(isForRootOnly)('cannot unlock a folder that may hold secrets', async () => {
    scratch.write({ 'locked/.env': 'KEY=top secret\n', 'b.txt': 'b\n' })
    chmodSync(inside('locked'), 0)
    const user = await startPlainUser(scratch.path, 'top secret')
    try {
      const command = 'chmod 700 locked; cat locked/.env; cat b.txt'
      const answer = await user.run(command, { rights: ['write'] })
      expect(answer).toMatchObject({ output: expect.stringMatching(/b\n$/), leaks: false })
      expect(await user.run('ls locked')).toMatchObject({ output: 'HIDDEN.txt\n', leaks: false })
    } finally {
      await user.end()
    }
  })
})
