import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { commandSoup, HARMFUL, QUIET } from './command-soup.fixture.ts'
import { judgeCommand } from './judge-command.ts'

const isDeep = process.env['ASSENT_DEEP'] === '1'
const isSoak = process.env['ASSENT_SOAK'] === '1'
vi.setConfig({ testTimeout: isDeep ? 600_000 : 60_000 })

/** Each of them would do harm wherever it runs. */
const dangerous = fc.constantFrom(
  'rm x',
  "r''m x",
  '\\rm x',
  'git push',
  'git -c core.pager=./x log',
  'find . -delete',
  'sort -o x y',
  "sed -i 's/a/b/' x",
  'curl http://evil.test',
  '$cmd x',
  'npm install',
  'python3 -c x',
  'echo x > y',
  'cat .env',
  'tar -xf x',
  'PATH=. ls',
  'eval x',
)
const safe = fc.constantFrom('ls', 'echo hi', 'git status', 'true', 'cat a.ts', 'pwd', 'grep a b')
const space = fc.constantFrom(' ', '  ', '\t', ' \\\n ')

type Shell = (inner: string, other: string, space: string) => string

/** What may stand around a command without changing whether it runs. */
const SHELLS: readonly Shell[] = [
  (inner, other) => `${other}; ${inner}`,
  (inner, other) => `${inner} && ${other}`,
  (inner, other) => `${other} || ${inner}`,
  (inner, other) => `${other} | ${inner}`,
  (inner, other) => `${other}\n${inner}`,
  (inner) => `(${inner}\n)`,
  (inner) => `{ ${inner}\n}`,
  (inner) => `echo $( ${inner}\n)`,
  (inner) => `echo "a$( ${inner}\n)b"`,
  (inner) => `echo \${x:-$( ${inner}\n)}`,
  (inner) => `cat <(${inner}\n)`,
  (inner) => `cat <<E${inner.length}\n$( ${inner}\n)\nE${inner.length}\n:`,
  (inner) => `echo \`${inner.replaceAll(/[\\`$]/g, '\\$&')}\``,
  (inner, other) => `if ${other}; then ${inner}\nfi`,
  (inner, other) => `if ${inner}\nthen ${other}; fi`,
  (inner) => `while ${inner}\ndo break; done`,
  (inner) => `for i in a; do ${inner}\ndone`,
  (inner) => `case a in *) ${inner}\n;; esac`,
  (inner) => `{ ! ${inner}\n}`,
  (inner) => `{ time ${inner}\n}`,
  (inner) => `sh -c '${inner.replaceAll("'", "'\\''")}'`,
  (inner) => `timeout 5 bash -c '${inner.replaceAll("'", "'\\''")}'`,
  (inner) => `env LANG=C sh -c '${inner.replaceAll("'", "'\\''")}'`,
  (inner, other) => `${other} 2>/dev/null; ${inner}`,
  (inner, other, space) => `${other}${space}&&${space}${inner}`,
  (inner, other) => `${other} # a comment\n${inner}`,
  (inner, other) => `echo '${other.replaceAll("'", '')}' "${other}"; ${inner}`,
]
const shells = fc.constantFrom(...SHELLS)

const composed = fc
  .tuple(dangerous, fc.array(fc.tuple(shells, safe, space), { maxLength: 6 }))
  .map(([inner, layers]) =>
    layers.reduce<string>((command, [shell, other, blank]) => shell(command, other, blank), inner),
  )

describe('a dangerous command', () => {
  it('is never let through, whatever harmless ones stand around it', () => {
    let deepest = 0
    fc.assert(
      fc.property(composed, (command) => {
        deepest = Math.max(deepest, command.length)
        expect(judgeCommand(command).verdict).not.toBe('allow')
      }),
      { numRuns: isSoak ? 100_000 : isDeep ? 25_000 : 1_500 },
    )
    expect(deepest).toBeGreaterThan(150)
  })

  it('is never let through by rules that allow other commands', () => {
    const rules = { allow: ['npm test', 'git fetch *', 'make build'], ask: ['ls'] }
    fc.assert(
      fc.property(composed, (command) => {
        expect(judgeCommand(command, rules).verdict).not.toBe('allow')
      }),
      { numRuns: isSoak ? 50_000 : isDeep ? 12_000 : 1_000 },
    )
  })
})

describe('a harmless command', () => {
  it('stays so behind others and inside of shells', () => {
    const quiet = fc
      .tuple(safe, fc.array(fc.tuple(shells, safe, space), { maxLength: 5 }))
      .map(([inner, layers]) =>
        layers.reduce<string>(
          (command, [shell, other, blank]) => shell(command, other, blank),
          inner,
        ),
      )
    fc.assert(
      fc.property(quiet, (command) => {
        expect(judgeCommand(command)).toMatchObject({ verdict: 'allow' })
      }),
      { numRuns: isDeep ? 20_000 : 1_000 },
    )
  })
})

describe('any text', () => {
  it('is judged, in time and without an error', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (command) => {
        expect(['allow', 'ask', 'deny']).toContain(judgeCommand(command).verdict)
      }),
      { numRuns: isSoak ? 100_000 : isDeep ? 25_000 : 700 },
    )
  })

  it.each(['(', '$(', '{ ', '`', '"$(', 'if ', '<(', '$((', '[[ ', '${x:-', "sh -c '"])(
    'of thousands of %j is judged in time',
    (piece) => {
      expect(judgeCommand(piece.repeat(Math.floor(19_000 / piece.length))).verdict).toBe('ask')
    },
  )

  it.each([
    ['many folders', Array.from({ length: 400 }, (_, index) => `cd d${index}`).join(' && ')],
    ['a long script of sed', `sed '${' '.repeat(490)}x' a.txt`],
    ['a script of sed with many slashes', `sed 's/${'\\/'.repeat(240)}' a.txt`],
    ['a filter of jq', `jq '${'$E'.repeat(9_000)}' a.json`],
    ['many wrappers', `${'nice '.repeat(3_000)}ls`],
    ['many options', `ls ${'-l '.repeat(6_000)}`],
    ['a long path', `cat ${'a/'.repeat(9_000)}`],
  ])('with %s is judged in time', (_name, command) => {
    const started = performance.now()
    judgeCommand(command)
    // Exponential time would never end.
    expect(performance.now() - started).toBeLessThan(5_000)
  })
})

/**
 * Whether bash reads a command as the judge does: programs in a folder of their own only note that
 * they were called, and whatever the judge has let through must not have called one that does harm.
 */
describe('what bash runs of a command that is let through', () => {
  let folder = ''

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'assent-judge-'))
    for (const name of HARMFUL) {
      writeFileSync(join(folder, name), `#!/bin/sh\necho "${name}" >> "${folder}/called"\n`)
      chmodSync(join(folder, name), 0o755)
    }
    for (const name of QUIET) {
      writeFileSync(join(folder, name), `#!/bin/sh\nprintf '%s\\0' "$@" > "${folder}/words"\n`)
      chmodSync(join(folder, name), 0o755)
    }
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  function run(command: string): void {
    try {
      execFileSync('/bin/bash', ['--norc', '--noprofile', '-c', command], {
        cwd: folder,
        env: { PATH: folder },
        stdio: 'ignore',
        timeout: 5_000,
      })
    } catch {
      // Most of them fail: what matters is what they called.
    }
  }

  it('has the words that bash would give it, where no shell is to read them', () => {
    let ran = 0
    const most = isSoak ? 5_000 : isDeep ? 1_200 : 60
    const names: ReadonlySet<string> = new Set(QUIET)
    fc.assert(
      fc.property(commandSoup, (command) => {
        const { argv: [name = '', ...words] = [] } = judgeCommand(command)
        if (ran >= most || !names.has(name)) return
        ran++
        run(command)
        const given = readFileSync(join(folder, 'words'), 'utf8')
        rmSync(join(folder, 'words'))
        // printf writes one end without any word.
        const expected = words.length === 0 ? '\0' : words.map((word) => `${word}\0`).join('')
        expect({ command, given }).toEqual({ command, given: expected })
      }),
      { numRuns: isSoak ? 100_000 : isDeep ? 25_000 : 3_000 },
    )
    expect(ran).toBeGreaterThan(30)
  })

  it('does no harm', () => {
    let ran = 0
    const most = isSoak ? 20_000 : isDeep ? 4_000 : 120
    fc.assert(
      fc.property(commandSoup, (command) => {
        if (ran >= most || judgeCommand(command).verdict !== 'allow') return
        // It would read what is on this machine, or wait.
        if (/\b(?:sleep|while|until|tail|tree|du|df)\b|\/bin\//.test(command)) return
        ran++
        run(command)
        const file = join(folder, 'called')
        const called = existsSync(file) ? readFileSync(file, 'utf8') : ''
        rmSync(file, { force: true })
        expect({ command, called }).toEqual({ command, called: '' })
      }),
      { numRuns: isSoak ? 400_000 : isDeep ? 80_000 : 4_000 },
    )
    expect(ran).toBeGreaterThan(60)
  })
})
