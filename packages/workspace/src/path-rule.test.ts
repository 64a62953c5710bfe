import { performance } from 'node:perf_hooks'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createScratch, type Scratch } from '../../node/test/scratch.ts'
import { matchesName } from './name-pattern.ts'
import { workspacePathRule } from './path-rule.ts'
import { openRoots } from './roots.ts'
import { isSensitivePath } from './sensitive-paths.ts'
import { judgeCommandOnDisk } from './shell/judge-command.ts'

let scratch: Scratch

beforeEach(() => {
  scratch = createScratch()
  scratch.write({
    'outside/secret.txt': 's\n',
    'work/a/x.txt': 'x\n',
    'work/b/x.txt': 'x\n',
    'work/linked/out.txt': '->../../outside/secret.txt',
    'work/folders/out': '->../../outside',
    'work/inner/again.txt': '->../a/x.txt',
    'work/hidden/.env': 'TOKEN=1\n',
  })
})
afterEach(() => scratch.remove())

async function judge(command: string) {
  const roots = openRoots(`${scratch.path}/work`)
  return judgeCommandOnDisk(command, {}, workspacePathRule(roots, isSensitivePath))
}

const ask = async (command: string) => (await judge(command)).verdict

describe('links in folders', () => {
  it.each([
    'diff a linked',
    'diff -r a linked',
    'diff linked a',
    'diff a folders',
    'diff -ru a hidden',
    'ls -LR folders',
    'ls -RL',
    'ls -R --recursive -L linked',
    'cat linked/*',
    'cat linked/out.txt',
    'wc -l folders/out/secret.txt',
    'grep -r x hidden',
    'cat hidden/.e*',
    'find -L folders',
    'du -L folders',
  ])('that lead outside are asked about: %s', async (command) => {
    expect(await ask(command)).toBe('ask')
  })

  it.each([
    'find linked -name "*.txt" | xargs cat',
    'find linked -type f | xargs wc -l',
    'find hidden | xargs cat',
    "find hidden -name '.e*' -exec cat {} +",
    'find folders -exec cat {} +',
    'find split -name "*.txt" | xargs cat',
    'for f in split/*; do cat $f; done',
    'for f in linked/*; do cat "$f"; done',
    'for d in hidden; do cat $d/.e*; done',
    'cat {a,linked}/out.txt',
    'rg --files linked | xargs cat',
    'grep -rl x linked | xargs cat',
  ])('or names that other commands find are asked about: %s', async (command) => {
    scratch.write({ 'work/split/a .env b.txt': '', 'work/split/.env': '' })
    expect(await ask(command)).toBe('ask')
  })

  it.each([
    'find split -name "*.txt" -print0 | xargs -0 cat',
    'find split -name "*.txt" -exec cat {} +',
    'find a b -name "*.txt" | xargs cat',
    'find hidden -name "*.txt" | xargs cat',
    'find inner | xargs cat',
    'for f in a/*; do cat $f; done',
    'for f in split/*.txt; do cat "$f"; done',
    'cat {a,b}/x.txt',
    'rg --files a | xargs wc -l',
  ])('and names are no matter where they are what they seem: %s', async (command) => {
    scratch.write({ 'work/split/a .env b.txt': '', 'work/split/.env': '' })
    expect(await ask(command)).toBe('allow')
  })

  it.each([
    'diff a b',
    'diff -r a b',
    'diff a inner',
    'ls -LR a',
    'ls -R folders',
    'ls -L folders',
    'grep -r x linked',
    'cat a/*',
    'cat inner/*.txt',
    'find folders',
  ])('are no matter where they are not followed: %s', async (command) => {
    expect(await ask(command)).toBe('allow')
  })
})

describe('a command with much to look at', () => {
  /** The longest time for which nothing else had its turn while a command was judged. */
  async function longestStall(command: string) {
    let longest = 0
    const over = new AbortController()
    const watching = (async () => {
      for (let last = performance.now(); !over.signal.aborted;) {
        await nextTurn()
        const now = performance.now()
        longest = Math.max(longest, now - last)
        last = now
      }
    })()
    const status = await ask(command)
    over.abort()
    await watching
    return { longest, status }
  }

  function fill(folders: number, files: number): void {
    const names = Array.from({ length: folders * files }, (_, index) => [
      `work/big/d${index % folders}/f${index}.ts`,
      '',
    ])
    scratch.write(Object.fromEntries(names))
  }

  it('is judged while other things go on, and asked about when it is too much', async () => {
    fill(40, 25)
    const patterns = Array.from({ length: 150 }, (_, index) => `**/*/**/x${index}`).join(' ')
    const { longest, status } = await longestStall(`cat ${patterns}`)
    expect(status).toBe('ask')
    // A turn is of 200 names; a machine with others to run is given more time.
    expect(longest).toBeLessThan(250)
  })

  it('names no more paths than can be looked at', async () => {
    const many = Array.from({ length: 500 }, (_, index) => `a/x${index}`).join(' ')
    expect(await judge(`cat ${many}`)).toMatchObject({
      verdict: 'ask',
      parts: [{ reason: 'it names too many paths' }],
    })
    expect(await ask(`rm -rf / ${many}`)).toBe('ask')
  })

  it('is allowed where all of it could be looked at', async () => {
    fill(10, 20)
    expect(await ask('grep -rn x big')).toBe('allow')
    expect(await ask('cat big/*/*.ts')).toBe('allow')
    expect(await ask('cat **/*/**/x')).toBe('allow')
  })
})

describe('a name', () => {
  it.each([
    ['a.ts', '*.ts', true],
    ['.a.ts', '*.ts', false],
    ['.env', '.e*', true],
    ['.env', '[.]env', true],
    ['abc', 'a?c', true],
    ['abc', 'a[x]c', true],
    ['abc', 'a*b*c', true],
    ['abd', 'a*b*c', false],
    ['', '*', true],
    ['a]', 'a]', true],
    ['😀', '?', true],
  ])('%s is what %s may stand for: %s', (name, pattern, expected) => {
    expect(matchesName(name, pattern)).toBe(expected)
  })

  it('is compared in time with any pattern', () => {
    const started = performance.now()
    expect(matchesName('a'.repeat(255), `${'*a'.repeat(120)}*b`)).toBe(false)
    expect(performance.now() - started).toBeLessThan(50)
  })
})
