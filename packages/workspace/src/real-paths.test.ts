import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createScratch, type Scratch } from '../../node/test/scratch.ts'
import { workspacePathRule } from './path-rule.ts'
import { openRoots } from './roots.ts'
import { isSensitivePath } from './sensitive-paths.ts'
import { judgeCommandOnDisk } from './shell/judge-command.ts'

let scratch: Scratch

beforeEach(() => {
  scratch = createScratch()
  scratch.write({
    'a.txt': 'one\n',
    'src/b.ts': 'export const b = 1\n',
    '.env': 'TOKEN=abcdefgh12345678\n',
    'link.txt': '->/etc/passwd',
    linkdir: '->/etc',
    'src/notes.md': '->../.env',
  })
})
afterEach(() => scratch.remove())

describe('a command without a sandbox', () => {
  it.each([
    ['ls -la', 'allow'],
    ['cat a.txt | sort', 'allow'],
    ['cat *.txt', 'ask'],
    ['cat src/*.ts', 'allow'],
    ['cat src/*.md', 'ask'],
    ['cat link.txt', 'ask'],
    ['cat linkdir/passwd', 'ask'],
    ['cd linkdir && cat hostname', 'ask'],
    ['cat src/notes.md', 'ask'],
    ['cat .env', 'ask'],
    ['cat src/../.env', 'ask'],
    ['cat linkdir/../etc/passwd', 'ask'],
    ['grep -rn one .', 'ask'],
    ['grep -rn one src', 'allow'],
    ['rg one', 'allow'],
    ['diff src linkdir', 'ask'],
    ['diff . src', 'ask'],
    ['git diff --no-index src .', 'ask'],
    ['git diff src a.txt', 'allow'],
    ['diff a.txt src/b.ts', 'allow'],
    ['rg --hidden one', 'ask'],
    ['echo hi > out.txt', 'ask'],
    ['echo hi > link.txt', 'deny'],
    ['echo hi > linkdir/out.txt', 'deny'],
    ['echo hi > /tmp/assent-out.txt', 'deny'],
    ['rm -rf ..', 'deny'],
    ['rm a.txt', 'ask'],
    ['touch new.txt', 'ask'],
  ])('%j is judged by where its paths really lead: %s', async (command, verdict) => {
    const judgePaths = workspacePathRule(openRoots(scratch.path), isSensitivePath)
    expect((await judgeCommandOnDisk(command, {}, judgePaths)).verdict).toBe(verdict)
  })

  it.each([
    ['frob a.txt src new.txt', 'allow'],
    ['frob .env', 'ask'],
    ['frob src/notes.md', 'ask'],
    ['frob link.txt', 'ask'],
    ['frob linkdir/passwd', 'ask'],
    ['frob src/../.env', 'ask'],
    ['frob ../x', 'ask'],
    ['frob a=link.txt', 'ask'],
  ])('%j, which a rule allows, is judged by where its words lead: %s', async (command, verdict) => {
    const judgePaths = workspacePathRule(openRoots(scratch.path), isSensitivePath)
    const rules = { allow: ['frob *'] }
    expect((await judgeCommandOnDisk(command, rules, judgePaths)).verdict).toBe(verdict)
  })
})
