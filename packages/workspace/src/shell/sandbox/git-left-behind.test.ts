import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createScratch, type Scratch } from '../../../../node/test/scratch.ts'
import { describeSandbox } from '../../../test/sandbox-here.ts'
import { shellTrial } from '../../../test/shell-trial.ts'
import { isHarmlessWork } from './begun-work.ts'
import { TooManyEntriesError } from './find-hidden.ts'
import { putAsideRepositories } from './git-left.ts'

// Real processes, on a machine that may have others to run.
vi.setConfig({ testTimeout: 60_000 })

let scratch: Scratch
let trial: ReturnType<typeof shellTrial>

beforeEach(() => {
  scratch = createScratch()
  scratch.write({ 'a.txt': 'one\n', 'sub/b.txt': 'b\n' })
  trial = shellTrial(scratch.path)
})
afterEach(() => scratch.remove())

const inside = (...path: string[]) => join(scratch.path, ...path)
const isThere = (...path: string[]) => existsSync(inside(...path))

function git(folder: string, ...args: string[]): string {
  const who = ['-c', 'user.name=A', '-c', 'user.email=a@example.com']
  return String(execFileSync('git', [...who, ...args], { cwd: inside(folder), stdio: 'pipe' }))
}

/** Whether Git on this machine, started in a folder, runs the program that somebody has planted. */
function obeys(folder: string): boolean {
  if (!isThere(folder)) return false
  const { stderr, stdout } = spawnSync('git', ['planted'], { cwd: inside(folder) })
  return `${stdout}${stderr}`.includes('RAN')
}

const PLANTED = `alias.planted '!echo RAN'`
const PLANT_IN = 'git config --file'
const PLANT = `git config ${PLANTED}`
/** Ways to bring a repository into being, and the folder in which Git would obey it. */
const MADE: readonly (readonly [string, string])[] = [
  [`git init -q new && cd new && ${PLANT}`, 'new'],
  [`cd sub && git init -q && ${PLANT}`, 'sub'],
  [`git init -q . && ${PLANT}`, '.'],
  [`git init -q --bare bare && ${PLANT_IN} bare/config ${PLANTED}`, 'bare'],
  [`git init -q .ssh/new && cd .ssh/new && ${PLANT}`, '.ssh/new'],
  [`git init -q --separate-git-dir=apart new && cd new && ${PLANT}`, 'new'],
  [`git init -q a1 && (cd a1 && ${PLANT}) && mkdir b1 && ln -s ../a1/.git b1/.git`, 'b1'],
  [`git init -q new && (cd new && ${PLANT}) && chmod 0555 new new/.git`, 'new'],
  [
    `git init -q --bare x && ${PLANT_IN} x/config ${PLANTED} && mkdir y && cp x/HEAD y/ && echo ../x > y/commondir`,
    'y',
  ],
]

describeSandbox('a repository that a command with the right write makes', () => {
  it.each(MADE)('is put aside when the command ends: %s', async (command, folder) => {
    const { note, exitCode } = await trial.inside(command, { rights: ['write'] })
    expect(exitCode).toBe(0)
    expect(note).toMatch(/Taken away, since it decides what Git runs: .* \(now .*taken-away/)
    expect(obeys(folder)).toBe(false)
    // Neither does Git where it is now.
    const folders = readdirSync(scratch.path, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ parentPath, name }) => join(parentPath, name).slice(scratch.path.length + 1))
    expect(folders.filter(obeys)).toEqual([])
  })

  it.each(MADE)(
    'would be obeyed otherwise, and is kept with git-settings: %s',
    async (command, folder) => {
      const rights = ['write', 'git-settings'] as const
      expect((await trial.inside(command, { rights })).note).toBeUndefined()
      expect(obeys(folder)).toBe(true)
    },
  )

  it('is put aside without its work tree, and told of once', async () => {
    await trial.inside('git init -q new; echo x > new/work.txt', { rights: ['write'] })
    expect(readFileSync(inside('new/work.txt'), 'utf8')).toBe('x\n')
    expect((await trial.inside('echo on', { rights: ['write'] })).note).toBeUndefined()
  })

  it('is put aside where a file of Git, or an empty folder, waited for it', async () => {
    scratch.write({ 'tree/.git': 'gitdir: ../later\n' })
    mkdirSync(inside('empty/.git'), { recursive: true })
    const command = `git init -q --bare later; ${PLANT_IN} later/config core.bare false; ${PLANT_IN} later/config ${PLANTED}
git init -q mould; cd mould/.git; cp -r HEAD objects refs config ../../empty/.git/
cd ../../empty/.git; ${PLANT_IN} config ${PLANTED}`
    await trial.inside(command, { rights: ['write'] })
    expect([obeys('tree'), obeys('empty')]).toEqual([false, false])
    rmSync(inside('tree/.git'))
    scratch.write({ 'tree/.git': 'gitdir: ../later2\n' })
    await trial.inside(command.replaceAll('later', 'later2').replaceAll('mould', 'mould2'), {
      rights: ['write', 'git-settings'],
    })
    expect([obeys('tree'), obeys('empty')]).toEqual([true, true])
  })

  it('keeps the settings of a bare repository that was there', async () => {
    git('.', 'init', '-q', '--bare', 'fixture')
    const command = `${PLANT_IN} fixture/config ${PLANTED}; echo x > fixture/hooks/x`
    const { note } = await trial.inside(command, { rights: ['write'] })
    expect(obeys('fixture')).toBe(false)
    expect([isThere('fixture/HEAD'), isThere('fixture/hooks/x')]).toEqual([true, false])
    expect(note).toMatch(/call again with rights: \["write","git-settings"\]/)
    await trial.inside(command, { rights: ['write', 'git-settings'] })
    expect(obeys('fixture')).toBe(true)
  })

  it('does not make a folder that may only be read one that may be changed', async () => {
    const other = createScratch()
    execFileSync('git', ['init', '-q', '--bare', '.'], { cwd: other.path })
    const both = shellTrial(scratch.path, {
      roots: [
        { path: scratch.path, access: 'write' },
        { path: other.path, access: 'read' },
      ],
    })
    await both.inside(`echo x > ${other.path}/x; echo y > y`, { rights: ['write'] })
    expect([existsSync(join(other.path, 'x')), isThere('y')]).toEqual([false, true])
    other.remove()
  })

  it('is put aside when the server was killed meanwhile', async () => {
    const helper = join(import.meta.dirname, '../../../test/plain-user-trial.ts')
    const server = spawn(process.execPath, ['--conditions=@assent/source', helper, scratch.path], {
      stdio: ['pipe', 'ignore', 'ignore'],
    })
    const command = `git init -q new; cd new; ${PLANT}; touch ready; sleep 60`
    const text = Buffer.from(JSON.stringify({ command, rights: ['write'] })).toString('base64')
    server.stdin.write(`${text}\n`)
    await vi.waitFor(() => expect(isThere('new/ready')).toBe(true), {
      timeout: 30_000,
      interval: 20,
    })
    server.kill('SIGKILL')
    await once(server, 'exit')
    expect(obeys('new')).toBe(true)
    // Before any command runs.
    shellTrial(scratch.path)
    await vi.waitFor(() => expect(obeys('new')).toBe(false), { timeout: 30_000, interval: 20 })
  })
})

describeSandbox('a command with the right write, in a repository', () => {
  beforeEach(() => {
    git('.', 'init', '-q')
    git('.', 'config', 'user.name', 'A')
    git('.', 'config', 'user.email', 'a@example.com')
    git('.', 'add', '.')
    git('.', 'commit', '-qm', 'one')
    git('.', 'branch', 'side')
    scratch.write({ 'a.txt': 'mine\n' })
    git('.', 'commit', '-qam', 'two')
    git('.', 'checkout', '-q', 'side')
    scratch.write({ 'a.txt': 'other\n' })
    git('.', 'commit', '-qam', 'three')
  })

  it('leaves a rebase that stopped, and a person goes on with it', async () => {
    const { note } = await trial.inside('git rebase -q @{-1}', { rights: ['write'] })
    expect(note ?? '').not.toMatch(/Taken away/)
    expect(isThere('.git/rebase-merge')).toBe(true)
    scratch.write({ 'a.txt': 'both\n' })
    git('.', 'add', 'a.txt')
    git('.', '-c', 'core.editor=true', 'rebase', '--continue')
    expect(git('.', 'log', '--oneline')).toMatch(/three\n.*two\n.*one\n/)
  })

  it.each([
    ['a step that runs a program', 'echo "exec echo RAN" >> .git/rebase-merge/git-rebase-todo'],
    ['another strategy', 'echo x/y > .git/rebase-merge/strategy'],
    [
      'steps that are elsewhere',
      'cd .git/rebase-merge; mv done /tmp/; echo "x evil" > ../x; ln -s ../x done',
    ],
  ])('leaves none with %s', async (_, command) => {
    const { note } = await trial.inside(`git rebase -q @{-1}; ${command}`, { rights: ['write'] })
    expect(note).toMatch(/Taken away.*rebase-merge/)
    expect(isThere('.git/rebase-merge')).toBe(false)
  })

  it('leaves no work tree and no submodule that Git would obey', async () => {
    await trial.inside(
      `git worktree add -q tree; git init -q --bare .git/modules/m; ${PLANT_IN} .git/modules/m/config ${PLANTED}`,
      { rights: ['write'] },
    )
    expect(isThere('tree/b.txt') || isThere('tree/sub/b.txt')).toBe(true)
    expect(isThere('tree/.git')).toBe(false)
    expect(isThere('.git/modules/m/config')).toBe(true)
    expect(obeys('.git/modules/m')).toBe(false)
  })

  it('has nothing outside of the workspace put aside by a link that it makes', async () => {
    const outside = createScratch()
    outside.write({ 'hooks/pre-commit': 'true\n', 'info/alternates': 'x\n' })
    git('.', 'config', 'core.hooksPath', 'tools/hooks')
    await trial.inside(
      `ln -s ${outside.path} tools; mv .git/objects .git/o && ln -s ${outside.path} .git/objects`,
      {
        rights: ['write'],
      },
    )
    expect(readdirSync(outside.path).toSorted()).toEqual(['hooks', 'info'])
    expect(existsSync(join(outside.path, 'hooks/pre-commit'))).toBe(true)
    expect(existsSync(join(outside.path, 'info/alternates'))).toBe(true)
    expect(isThere('tools')).toBe(false)
    outside.remove()
  })
})

describe('a repository that nobody has named before', () => {
  it('is left alone when a person has made it since the command must have ended', () => {
    git('.', 'init', '-q', 'own')
    const now = [inside('own/.git')]
    const before = { absent: [], unbegun: [], repositories: [], within: [scratch.path] }
    expect(putAsideRepositories(before, now, Date.now() - 3_600_000)).toEqual([])
    expect(isThere('own/.git')).toBe(true)
    expect(putAsideRepositories(before, now, Date.now() + 3_600_000)).toHaveLength(1)
    expect(isThere('own/.git')).toBe(false)
  })
})

describeSandbox('a workspace with more files than can be looked through', () => {
  it('has no command change files that may not change the settings of Git, too', async () => {
    const large = shellTrial(scratch.path, {
      isSensitive: () => {
        throw new TooManyEntriesError('More files than can be looked at.')
      },
    })
    const judge = { toolCallId: 'call', isDecided: false }
    const asked = await large.shell.clear({ command: 'touch x', rights: ['write'] }, judge)
    expect(asked).toMatchObject({
      verdict: 'ask',
      reason: expect.stringMatching(/change the settings and hooks of Git/),
    })
  })
})

describe('what Git goes on with', () => {
  it.each([
    ['git-rebase-todo', 'pick 1234 one\n\n# exec x\nfixup -C 12 two\n  drop 1\nbreak\n', true],
    ['git-rebase-todo', 'exec make\n', false],
    ['git-rebase-todo', 'pick 1 one\n\tx make\n', false],
    ['git-rebase-todo.backup', 'x\tmake\n', false],
    ['done', 'exec\tmake\n', false],
    ['git-rebase-todo', 'something-new 1\n', false],
    ['strategy', 'ort\n', false],
    ['gpg_sign_opt', '-Sx\n', false],
    ['message', 'exec is a word\n', true],
  ])('runs no program: %s with %j is %s', (name, text, isHarmless) => {
    const folder = inside('work')
    mkdirSync(folder)
    writeFileSync(join(folder, name), text)
    expect(isHarmlessWork(folder)).toBe(isHarmless)
    chmodSync(join(folder, name), 0o600)
    mkdirSync(join(folder, 'message.d'))
    expect(isHarmlessWork(folder)).toBe(false)
    expect(isHarmlessWork(join(dirname(folder), 'none'))).toBe(false)
  })
})
