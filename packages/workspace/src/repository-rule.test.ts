import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { callBash } from '../test/call-tool.ts'
import { createScratch, type Scratch } from '../../node/test/scratch.ts'
import { createWorkspaceTools } from './create-workspace-tools.ts'
import { workspacePathRule } from './path-rule.ts'
import { sandboxedPathRule } from './sandboxed-path-rule.ts'
import { openRoots } from './roots.ts'
import { isSensitivePath } from './sensitive-paths.ts'
import { judgeCommandOnDisk } from './shell/judge-command.ts'

// Real processes, on a machine that may have others to run.
vi.setConfig({ testTimeout: 60_000 })

let scratch: Scratch

beforeEach(() => {
  scratch = createScratch()
  scratch.write({ 'work/a.txt': 'a\n', 'work/sub/b.txt': 'b\n' })
  git('init', '-q', '-b', 'main')
  git('add', '.')
  git('-c', 'user.name=x', '-c', 'user.email=x@y.z', 'commit', '-qm', 'first')
})
afterEach(() => scratch.remove())

function git(...args: string[]): void {
  execFileSync('git', args, { cwd: join(scratch.path, 'work'), stdio: 'ignore' })
}

async function asks(command: string, root = 'work'): Promise<boolean> {
  const judgePaths = workspacePathRule(openRoots(join(scratch.path, root)), isSensitivePath)
  return (await judgeCommandOnDisk(command, {}, judgePaths)).verdict !== 'allow'
}

/** What a command needs, and why it asks, where it runs in a sandbox. */
async function askedInSandbox(command: string) {
  const judgePaths = sandboxedPathRule(openRoots(join(scratch.path, 'work')), isSensitivePath)
  const { parts } = await judgeCommandOnDisk(command, {}, judgePaths)
  return { needs: parts.flatMap(({ needs = [] }) => needs), reason: parts[0]?.reason }
}

/** Whether a command that runs in a sandbox is asked about, though it can change nothing there. */
async function asksInSandbox(command: string): Promise<boolean> {
  const judgePaths = sandboxedPathRule(openRoots(join(scratch.path, 'work')), isSensitivePath)
  const { parts } = await judgeCommandOnDisk(command, {}, judgePaths)
  return parts.some(({ verdict, isUnknown }) => verdict !== 'allow' && !isUnknown)
}

describe('a repository', () => {
  it('is read without a question, from below too', async () => {
    git('config', 'user.name', 'Ada')
    git('config', 'core.hooksPath', '.husky')
    git('config', 'remote.origin.url', 'https://example.com/pager/external')
    git('config', 'diff.renames', 'true')
    expect(await asks('git status && git diff && git log -p')).toBe(false)
    expect(await asks('cd sub && git log')).toBe(false)
    expect(await asks('git -C sub status')).toBe(false)
    expect(await asks('git status', 'work/sub')).toBe(false)
  })

  it.each([
    ['core.fsmonitor', './evil'],
    ['core.pager', './evil'],
    ['diff.external', './evil'],
    ['diff.x.textconv', './evil'],
    ['diff.x.command', './evil'],
    ['filter.x.clean', './evil'],
    ['gpg.program', './evil'],
    ['pager.log', './evil'],
    ['include.path', './evil'],
    ['includeIf.gitdir:/.path', './evil'],
  ])('whose settings name a program is asked about: %s', async (name, value) => {
    git('config', name, value)
    for (const command of ['git status', 'cd sub && git log', 'git -C sub diff']) {
      expect(await asks(command)).toBe(true)
    }
  })

  it.each([
    ['extensions.partialClone', 'origin'],
    ['remote.origin.promisor', 'true'],
    ['remote.origin.partialclonefilter', 'blob:none'],
  ])('that gets what it lacks from another machine is asked about: %s', async (name, value) => {
    git('config', name, value)
    expect(await asks('git show HEAD')).toBe(true)
  })

  it.each([
    ['.git/hooks', undefined],
    ['.husky', '.husky'],
    ['../hooks', '../hooks'],
    ['elsewhere', 'nested/../elsewhere'],
  ])('with a hook that is run when it is read is asked about: %s', async (folder, setting) => {
    if (setting !== undefined) git('config', 'core.hooksPath', setting)
    expect(await asks('git status')).toBe(false)
    scratch.write({ [`work/${folder}/pre-commit`]: '#!/bin/sh\n' })
    expect(await asks('git status')).toBe(false)
    scratch.write({ [`work/${folder}/post-index-change`]: '#!/bin/sh\n' })
    for (const command of ['git status', 'git diff', 'git -C sub describe --dirty']) {
      expect(await asks(command)).toBe(true)
    }
  })

  it('that another one holds is asked about when that one runs programs', async () => {
    scratch.write({ 'work/inner/c.txt': 'c\n' })
    git('-C', 'inner', 'init', '-q')
    git(
      '-C',
      'inner',
      '-c',
      'user.name=x',
      '-c',
      'user.email=x@y.z',
      'commit',
      '-q',
      '--allow-empty',
      '-m',
      'x',
    )
    git('-c', 'advice.addEmbeddedRepo=false', 'add', 'inner')
    expect(await asks('git status')).toBe(false)
    git('-C', 'inner', 'config', 'core.fsmonitor', './evil')
    expect(await asks('git status')).toBe(true)
  })

  it('without a work tree is looked at, too', async () => {
    git('init', '-q', '--bare', 'bare')
    expect(await asks('cd bare && git log')).toBe(false)
    git('-C', 'bare', 'config', 'core.fsmonitor', './evil')
    expect(await asks('cd bare && git log')).toBe(true)
  })

  describe('that keeps a file with secrets', () => {
    const SHOWING = [
      'git grep TOKEN',
      'git log -p',
      'git log -L 1,1:a.txt',
      'git show',
      'git show HEAD',
      'git diff HEAD~1',
      'git stash show -p',
      'cd sub && git grep TOKEN',
      'git cat-file -p HEAD',
      'git log -p -- sub',
      'git log -p -- .',
      'git show HEAD -- sub',
      'git diff HEAD~1 -- sub',
      'git grep b -- sub',
    ]
    const NOT_SHOWING = [
      'git status',
      'git log --oneline',
      'git log --stat',
      'git diff --stat',
      'git show --stat HEAD',
      'git show HEAD:a.txt',
      'git blame a.txt',
    ]

    it.each(['2', '3', '4'])(
      'is asked about where it would show it, index of version %s',
      async (version) => {
        expect((await Promise.all(SHOWING.map((one) => asks(one)))).some(Boolean)).toBe(false)
        scratch.write({
          'work/sub/.env': 'TOKEN=1\n',
          'work/sub/ü.txt': 'x\n',
          'work/sub/.a': 'x\n',
        })
        expect(await asks('git grep TOKEN')).toBe(false)
        git('add', '-f', '-N', 'sub/.a')
        git('add', '-f', 'sub')
        git('update-index', '--index-version', version)
        for (const command of SHOWING)
          expect([command, await asks(command)]).toEqual([command, true])
        for (const command of NOT_SHOWING)
          expect([command, await asks(command)]).toEqual([command, false])
      },
    )

    it.each([
      'git log -p --root',
      'git log --root -u',
      'git show --root',
      'git log -c',
      'git log --cc',
      'git log --patch-with-stat',
      'git log --patch-with-raw',
      'git log --check',
      'git cat-file --batch',
      'git cat-file --batch-all-objects --batch',
      'git shortlog -p',
      'git status -vv',
      'git unpack-file 63a79214',
      'git fast-export --all',
      'git pack-objects --stdout --all',
      'git range-diff HEAD~1...x',
      'git -c core.pager=cat log',
      'git --git-dir=.git log -p',
      'git "$what"',
      "git show 'HEAD@{10:00}'",
      'git diff HEAD~1:sub HEAD:sub',
      'echo -p | xargs git log',
      'xargs --frobnicate git log -p',
      '/usr/bin/../bin/git log -p',
      '/usr/lib/git-core/git-log -p',
      '{git,log,-p}',
      'g=git; $g log -p',
      '$(printf git) log -p',
      "bash -c '$0 log -p' git",
      'bash -c "$x"',
      'bash -c "git log -p --root" x',
      'env -S "git log -p"',
      'eval "git log -p"',
    ])('is asked about in a sandbox, too, whatever is not known of: %s', async (command) => {
      expect(await asksInSandbox(command)).toBe(false)
      scratch.write({ 'work/sub/.env': 'TOKEN=1\n' })
      git('add', '-f', 'sub')
      expect(await asksInSandbox(command)).toBe(true)
    })

    it.each([
      'git archive HEAD',
      'git archive -o out.tar HEAD sub',
      'git bundle create out.bundle --all',
      'git worktree add ../work/tree',
      'git format-patch -1',
      'git format-patch --stdout HEAD~1',
      'git add -p',
      'git add -i',
      'git add --patch sub',
      'git commit -v',
      'git commit -qvm x',
      'git commit --dry-run --verbose',
      'git commit --patch',
      'git checkout -p',
      'git checkout HEAD -p',
      'git reset -p',
      'git restore --patch .',
      'git stash -p',
      'git stash push --patch',
      'git stash show -p',
      'git stash show --patch stash@{0}',
      'git log -p -- sub',
      'git log -Gx -p -- sub',
      'git show',
      'git show HEAD -- sub',
      'git show HEAD:sub/.env',
      'git cat-file -p HEAD',
      'git cat-file blob 63a79214',
      'git cat-file -p HEAD:sub/.env',
      'git grep TOKEN',
      'git grep TOKEN HEAD -- sub',
      'git blame sub/.env',
      'git blame HEAD -- sub/.env',
      'git diff-tree -p HEAD',
      'git diff --cached',
      'git bisect view -p',
      'git submodule foreach git log -p',
    ])('is asked about as a reading of it: %s', async (command) => {
      scratch.write({ 'work/sub/.env': 'TOKEN=1\n' })
      git('add', '-f', 'sub')
      const { needs, reason } = await askedInSandbox(command)
      expect(needs).toContain('credentials')
      expect(reason).toMatch(/\.env/)
    })

    it('is nothing that packs where Git keeps none', async () => {
      const { needs, reason } = await askedInSandbox('git archive -o out.tar HEAD')
      expect([needs, reason]).toEqual([['write'], 'packs all files that Git keeps'])
    })

    it.each([...NOT_SHOWING, 'frobnicate', 'npm test', './run.sh', 'ls --frobnicate'])(
      'is not asked about in a sandbox for what shows no more of it: %s',
      async (command) => {
        scratch.write({ 'work/sub/.env': 'TOKEN=1\n' })
        git('add', '-f', 'sub')
        expect(await asksInSandbox(command)).toBe(false)
      },
    )

    it('is asked about where names of its files would be read as something else', async () => {
      const command = 'git ls-files | xargs cat'
      expect(await asks(command)).toBe(false)
      scratch.write({ 'work/sub/link': '->../a.txt' })
      git('add', '.')
      expect(await asks(command)).toBe(false)
      for (const [name, text] of [
        ['work/sub/a .env', ''],
        ['work/--files0-from=x', ''],
        ['work/sub/out', '->/etc/passwd'],
      ] as const) {
        scratch.write({ [name]: text })
        git('add', '.')
        expect([name, await asks(command)]).toEqual([name, true])
        git('rm', '-qf', '--', name.slice('work/'.length))
        expect(await asks(command)).toBe(false)
      }
    })

    it('is asked about where that cannot be told', async () => {
      git('update-index', '--split-index')
      expect(await asks('git grep TOKEN')).toBe(true)
      scratch.write({ 'work/.git/index': 'nonsense' })
      expect(await asks('git show')).toBe(true)
    })
  })

  it('beside another work tree is judged by the settings of both', async () => {
    git('worktree', 'add', '-q', '../beside')
    expect(await asks('git status', 'beside')).toBe(false)
    git('config', 'filter.x.clean', './evil')
    expect(await asks('git status', 'beside')).toBe(true)
  })

  it('that is named by a file in the workspace is looked at', async () => {
    scratch.write({
      'fake/.git': 'gitdir: repo\n',
      'fake/repo/config': '[core]\n\tfsmonitor = ./evil\n',
    })
    expect(await asks('git status', 'fake')).toBe(true)
    scratch.write({ 'odd/.git': 'nonsense' })
    expect(await asks('git status', 'odd')).toBe(true)
  })

  it('runs nothing of its own when it is read', async () => {
    scratch.write({ 'work/evil': `#!/bin/sh\ntouch "${scratch.path}/ran"\n` })
    execFileSync('chmod', ['+x', join(scratch.path, 'work/evil')])
    git('config', 'core.fsmonitor', join(scratch.path, 'work/evil'))
    const made = createWorkspaceTools({ root: join(scratch.path, 'work'), shell: 'system' })
    const { output } = await callBash(made.tools.bash, { command: 'git status --short' })
    expect(output).toBe('?? evil\n')
    expect(existsSync(join(scratch.path, 'ran'))).toBe(false)
  })
})
