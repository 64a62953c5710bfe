import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { callTool } from '../test/call-tool.ts'
import { createScratch, type Scratch } from '../../node/test/scratch.ts'
import { createWorkspaceTools } from './create-workspace-tools.ts'

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

async function asks(command: string, root = 'work') {
  const made = createWorkspaceTools({ root: join(scratch.path, root), shell: 'system' })
  return (await made.toolApproval.bash({ command }, { toolCallId: 'x' })) !== 'approved'
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
    const { output } = await callTool(made.tools.bash, { command: 'git status --short' })
    expect(output).toBe('?? evil\n')
    expect(existsSync(join(scratch.path, 'ran'))).toBe(false)
  })
})
