import {
  array,
  assert,
  constantFrom,
  jsonValue,
  property,
  string,
  stringMatching,
  tuple,
} from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ApprovalScope, FieldPattern } from '../../confirmation.ts'
import { EngineError } from '../../errors.ts'
import type { ToolRisk } from '../../message/tool-part.ts'
import { coversCall, readScope } from './scope.ts'

const RUNS = 2_000

function covers(pattern: FieldPattern, value: unknown): boolean {
  return coversInput({ covers: { '/field': pattern } }, { field: value })
}

function coversInput(scope: ApprovalScope, input: unknown, risk?: ToolRisk): boolean {
  const call = { toolName: 'run', input, fingerprint: 'one', risk }
  return coversCall({ toolName: 'run', fingerprint: 'other', scope }, call)
}

describe('readScope', () => {
  it.for<ApprovalScope>([
    {},
    { covers: 'tool', where: 'everywhere', until: 0, uses: 1 },
    { covers: 'input', where: 'conversation' },
    { covers: { '': { prefix: 'a' }, '/a~1b/~0/0': { glob: '*' }, '/': { min: 1 } } },
    { covers: { '/a': { min: -1, max: -1 }, '/b': { oneOf: ['', 0, false, null] } } },
  ])('takes %j as it is', (scope) => {
    expect(readScope(scope)).toEqual(scope)
  })

  it('takes nothing for the default scope, and fields that are undefined for missing ones', () => {
    expect(readScope(undefined)).toEqual({})
    expect(readScope({ covers: undefined, uses: undefined })).toStrictEqual({})
    expect(readScope({ covers: { '/a': { max: 1, min: undefined } } })).toStrictEqual({
      covers: { '/a': { max: 1 } },
    })
  })

  it('shares nothing with what was given', () => {
    const oneOf = [1]
    const scope = readScope({ covers: { '/a': { oneOf } } })
    oneOf.push(2)
    expect(scope).toEqual({ covers: { '/a': { oneOf: [1] } } })
  })

  it.for<[unknown, string]>([
    [null, 'scope'],
    ['tool', 'scope'],
    [[], 'scope'],
    [{ cover: 'tool' }, 'scope.cover'],
    [JSON.parse('{"__proto__":{"covers":"tool"}}'), 'scope.__proto__'],
    [{ covers: 'all' }, 'scope.covers'],
    [{ covers: null }, 'scope.covers'],
    [{ covers: {} }, 'scope.covers'],
    [{ covers: [] }, 'scope.covers'],
    [{ covers: { path: { prefix: 'a' } } }, 'scope.covers["path"]'],
    [{ covers: { '/a~': { prefix: 'a' } } }, 'scope.covers["/a~"]'],
    [{ covers: { '/a~2': { prefix: 'a' } } }, 'scope.covers["/a~2"]'],
    [{ covers: { '/a': 'b' } }, 'scope.covers["/a"]'],
    [{ covers: { '/a': {} } }, 'scope.covers["/a"]'],
    [{ covers: { '/a': { prefix: 'a', glob: 'b' } } }, 'scope.covers["/a"]'],
    [{ covers: { '/a': { prefix: 'a', max: 1 } } }, 'scope.covers["/a"]'],
    [{ covers: { '/a': { regex: 'a' } } }, 'scope.covers["/a"].regex'],
    [{ covers: { '/a': { prefix: '' } } }, 'scope.covers["/a"].prefix'],
    [{ covers: { '/a': { glob: 1 } } }, 'scope.covers["/a"].glob'],
    [{ covers: { '/a': { min: 2, max: 1 } } }, 'scope.covers["/a"]'],
    [{ covers: { '/a': { min: '1' } } }, 'scope.covers["/a"]'],
    [{ covers: { '/a': { min: Number.NaN, max: 1 } } }, 'scope.covers["/a"]'],
    [{ covers: { '/a': { max: Infinity } } }, 'scope.covers["/a"]'],
    [{ covers: { '/a': { oneOf: [] } } }, 'scope.covers["/a"].oneOf'],
    [{ covers: { '/a': { oneOf: [{}] } } }, 'scope.covers["/a"].oneOf'],
    [{ covers: { '/a': { oneOf: [Number.NaN] } } }, 'scope.covers["/a"].oneOf'],
    [{ covers: { '/a': { oneOf: Array(1) } } }, 'scope.covers["/a"].oneOf'],
    [{ where: 'here' }, 'scope.where'],
    [{ until: '1' }, 'scope.until'],
    [{ until: Infinity }, 'scope.until'],
    [{ uses: 0 }, 'scope.uses'],
    [{ uses: 1.5 }, 'scope.uses'],
    [{ uses: Infinity }, 'scope.uses'],
  ])('refuses %j and names %s', ([scope, field]) => {
    let thrown: unknown
    try {
      readScope(scope)
    } catch (error) {
      thrown = error
    }
    expect(thrown).toBeInstanceOf(EngineError)
    expect(thrown).toMatchObject({ code: 'invalid_argument', details: { field } })
    expect(String(thrown)).toContain(`"${field}" `)
  })

  it('takes or refuses anything, and takes again what it has read', () => {
    assert(
      property(jsonValue(), (value) => {
        let read: ApprovalScope = {}
        try {
          read = readScope(value)
        } catch (error) {
          if (!(error instanceof EngineError)) throw error
        }
        expect(readScope(read)).toEqual(read)
      }),
      { numRuns: RUNS },
    )
  })
})

describe('coversCall', () => {
  const call = { toolName: 'run', input: 1, fingerprint: 'x' }

  it('covers all calls of the tool and none of another when no scope says more', () => {
    expect(coversCall({ toolName: 'run', fingerprint: 'y' }, call)).toBe(true)
    expect(coversCall({ toolName: 'run', fingerprint: 'y', scope: {} }, call)).toBe(true)
    expect(coversCall({ toolName: 'Run', fingerprint: 'x' }, call)).toBe(false)
    const scope: ApprovalScope = { covers: 'input' }
    expect(coversCall({ toolName: 'other', fingerprint: 'x', scope }, call)).toBe(false)
  })

  it('covers by the exact input when the fingerprint is the same', () => {
    const scope: ApprovalScope = { covers: 'input' }
    expect(coversCall({ toolName: 'run', fingerprint: 'x', scope }, call)).toBe(true)
    expect(coversCall({ toolName: 'run', fingerprint: 'y', scope }, call)).toBe(false)
  })

  it('covers a call of risk destroy by its exact input only', () => {
    const destroy = { ...call, input: { a: 1 }, risk: 'destroy' } as const
    const confirmation = { toolName: 'run', fingerprint: 'x' }
    const covering = (covers?: ApprovalScope['covers']) =>
      coversCall({ ...confirmation, scope: { covers } }, destroy)
    expect(covering('input')).toBe(true)
    expect(covering('tool')).toBe(false)
    expect(covering({ '/a': { oneOf: [1] } })).toBe(false)
    expect(coversCall(confirmation, destroy)).toBe(false)
    expect(coversInput({ covers: { '/a': { oneOf: [1] } } }, { a: 1 }, 'send')).toBe(true)
  })

  it('covers a call of a tool that wants so by its exact input only', () => {
    const exact = { ...call, input: { a: 1 }, exactOnly: true }
    const covering = (covers?: ApprovalScope['covers']) =>
      coversCall({ toolName: 'run', fingerprint: 'x', scope: { covers } }, exact)
    expect(covering('input')).toBe(true)
    expect(covering('tool')).toBe(false)
    expect(covering({ '/a': { oneOf: [1] } })).toBe(false)
  })

  it.each(
    '\uFF0F \u2044 \u2215 \u29F8 \u2571 \uFF3C \u2216 \uFE68 \u29F5 \u29F9 \uFF0E \u2024 \u2025 \u2026 \uFF1A \uA789 \u2236 \uFF1B \uFF5C \uFF06 \uFF04 \uFF40 \uFF08 \uFF1D \uFF0C \uFF0D \uFF1F \uFF0A \uFF10 \uFF41 \u212A \uFB01 \u2100'.split(
      ' ',
    ),
  )('leaves open nothing that reads as another character: %s', (char) => {
    for (const text of [`docs/a${char}b`, `docs/${char}`, `docs/a${char}${char}b`]) {
      expect(covers({ prefix: 'docs/' }, text)).toBe(false)
      expect(covers({ glob: 'docs/*' }, text)).toBe(false)
      expect(covers({ glob: 'docs/**' }, text)).toBe(false)
      // What stands in a pattern is that very character, and no other.
      expect(covers({ glob: `${text}*` }, `${text}.txt`)).toBe(true)
      expect(covers({ oneOf: [text] }, text)).toBe(true)
      expect(covers({ oneOf: [text.normalize('NFKC')] }, text)).toBe(
        text === text.normalize('NFKC'),
      )
    }
  })

  it('leaves letters of any script open', () => {
    for (const text of ['docs/報告.pdf', 'docs/Übung', 'docs/отчёт', 'docs/बही']) {
      expect(covers({ glob: 'docs/*' }, text)).toBe(true)
    }
  })

  it('wants every pattern to match', () => {
    const scope: ApprovalScope = { covers: { '/a': { oneOf: [1] }, '/b': { prefix: 'x' } } }
    expect(coversInput(scope, { a: 1, b: 'x', c: 2 })).toBe(true)
    expect(coversInput(scope, { a: 1, b: 'y' })).toBe(false)
    expect(coversInput(scope, { a: 1 })).toBe(false)
  })

  it.for<[string, unknown, boolean]>([
    ['', 1, true],
    ['', { '': 1 }, false],
    ['/', { '': 1 }, true],
    ['/a/b', { a: { b: 1 } }, true],
    ['/a/b', { 'a/b': 1 }, false],
    ['/a~1b', { 'a/b': 1 }, true],
    ['/m~0n', { 'm~n': 1 }, true],
    ['/~01', { '~1': 1 }, true],
    ['/a/1', { a: [0, 1] }, true],
    ['/a/01', { a: [0, 1] }, false],
    ['/a/-', { a: [1] }, false],
    ['/a/length', { a: [0] }, false],
    ['/a/length', { a: 'x' }, false],
    ['/a/0', { a: '1' }, false],
    ['/a', null, false],
    ['/a', undefined, false],
    ['/__proto__', JSON.parse('{"__proto__":1}'), true],
    ['/a', Object.create({ a: 1 }), false],
  ])('finds by %s in %j: %s', ([pointer, input, isFound]) => {
    expect(coversInput({ covers: { [pointer]: { oneOf: [1] } } }, input)).toBe(isFound)
  })

  it('never finds what every object has', () => {
    for (const key of ['constructor', '__proto__', 'toString', 'constructor/name']) {
      expect(coversInput({ covers: { [`/${key}`]: { prefix: 'Object' } } }, {})).toBe(false)
    }
  })

  it('compares values by kind', () => {
    expect(covers({ oneOf: ['1', null, false] }, null)).toBe(true)
    expect(covers({ oneOf: ['1', null, false] }, 1)).toBe(false)
    expect(covers({ oneOf: ['1', null, false] }, undefined)).toBe(false)
    expect(covers({ prefix: '1' }, 1)).toBe(false)
    expect(covers({ glob: '**' }, ['a'])).toBe(false)
  })

  it('keeps numbers within their bounds, which count in', () => {
    const range = { min: 1, max: 2 }
    expect([1, 1.5, 2].map((value) => covers(range, value))).toEqual([true, true, true])
    expect([0.9, 2.1, '1', Number.NaN, null].some((value) => covers(range, value))).toBe(false)
    expect(covers({ min: 1 }, 9e9)).toBe(true)
    expect(covers({ min: 1 }, Infinity)).toBe(false)
    expect(covers({ max: 1 }, -9e9)).toBe(true)
    expect(covers({ max: 1 }, -Infinity)).toBe(false)
  })

  it.for<[string, string]>([
    ['git status', 'git status'],
    ['git status', 'git status src/a.ts'],
    ['git status ', 'git status src'],
    ['npm run', 'npm run test:unit'],
    ['cat', 'cat /home/a/b.txt c.txt'],
    ['src', 'src/a.ts'],
    ['src', 'src/'],
    ['src/', 'src/a/b../c.d/d..e'],
    ['src/', 'src/-dash/@types/+page.svelte'],
    ['../lib', '../lib'],
    ['a;b', 'a;b'],
    ['https://example.com', 'https://example.com/a/b'],
    ['docs', 'docs/übersicht/目录/😀.md'],
  ])('a prefix %j covers %j', ([prefix, text]) => {
    expect(covers({ prefix }, text)).toBe(true)
  })

  it.for<[string, string]>([
    ['git status', 'git statusx'],
    ['git status', 'git'],
    ['git status', 'rm -r/home a'],
    ['git', 'rmx x'],
    ['src', 'etc/passwd'],
    ['src/', 'etc/passwd'],
    ['src/', 'SRC/a'],
    ['git status', ' git status'],
    ['git status', 'git status; rm -rf /'],
    ['git status', 'git status ; rm x'],
    ['git status', 'git status\nrm x'],
    ['git status', 'git status \nrm x'],
    ['git status', 'git status\tx'],
    ['git status', 'git status x\r'],
    ['git status', 'git status $(x)'],
    ['git status', 'git status && x'],
    ['git status', 'git status | x'],
    ['git status', 'git status `x`'],
    ['git status', 'git status > x'],
    ['git log', 'git log --output=/etc/x'],
    ['git log', 'git log src --output /etc/x'],
    ['git log ', 'git log --output'],
    ['git log', 'git log  --output'],
    ['git log', 'git log \u2014output'],
    ['git push', 'git push origin +main'],
    ['git push', 'git push origin :main'],
    ['make', 'make SHELL=/tmp/x'],
    ['dd if=a', 'dd if=a of=/dev/sda'],
    ['gcc', 'gcc @args'],
    ['ls', 'ls =rm'],
    ['echo', 'echo a,b'],
    ['cat', 'cat ~/.ssh/id'],
    ['cat', 'cat %USERPROFILE%'],
    ['cat', "cat 'a'"],
    ['cat', 'cat a?'],
    ['cat', 'cat a#b'],
    ['git status;', 'git status; rm x'],
    ['echo a &&', 'echo a && rm x'],
    ['echo >', 'echo > x'],
    ['src', 'srcx'],
    ['src', 'src/../etc'],
    ['src', 'src/./a'],
    ['src', 'src/a/..'],
    ['src', 'src a/../b'],
    ['src/..', 'src/../etc'],
    ['src', 'src//etc'],
    ['src/', 'src//etc'],
    ['src', 'src/a%2e%2e/b'],
    ['src', String.raw`src/..\etc`],
    [String.raw`C:\src`, String.raw`C:\src/a`],
    ['src', 'src/a\0b'],
    ['src', 'src/a\u007Fb'],
    ['src', 'src/a\u009Bb'],
    ['src', 'src/a\u202Eb'],
    ['src', 'src/a\u200Bb'],
    ['src', 'src/a\u00ADb'],
    ['src', 'src/a\u2028b'],
    ['src', 'src/a\u00A0b'],
    ['src', 'src/a\u3164b'],
    ['src', 'src/a\uFE0Fb'],
    ['src', 'src/a\u2800b'],
    ['src', 'src/a\u{E0041}b'],
    ['src', 'src/a\uD800'],
    ['https://example.com', 'https://example.com@evil.com/'],
    ['https://example.com', 'https://example.com.evil.com/'],
    ['https:', 'https://evil.com'],
    ['https://example.com', 'https://example.com/?to=x'],
    ['src', 'src/a b'],
    ['src/', 'src/a.ts /etc/passwd'],
    ['src/', 'src/a.ts b.ts'],
    ['cat src/', 'cat src/a.ts .env'],
    ['cat src/', 'cat src/a.ts b.ts'],
    ['src', 'src/.git/config'],
    ['src/', 'src/.env'],
    ['src/', 'src/a/.ssh/id'],
    ['src/', 'src/..b'],
    ['cat', 'cat .env'],
    ['.', './.git/config'],
    ['https://example.com/', 'https://example.com:443/a'],
    ['https://example.com', 'https://example.com:8080/a'],
    ['https://user@example.com', 'https://user@example.com/a'],
    ['https://example.com/a', 'https://example.com/a/ b'],
    ['https://0x7f.1', 'https://0x7f.1/a'],
  ])('a prefix %j does not cover %j', ([prefix, text]) => {
    expect(covers({ prefix }, text)).toBe(false)
  })

  it.for<[string, string]>([
    ['a.b', 'a.b'],
    ['a;b', 'a;b'],
    ['src/*.ts', 'src/a.ts'],
    ['src/*.ts', 'src/.ts'],
    ['src/**', 'src/a/b.c'],
    ['git add **', 'git add a b'],
    ['src/.*/a', 'src/.b/a'],
    ['src/**/*.ts', 'src/a/b/c.ts'],
    ['**.ts', 'src/a/b.ts'],
    ['git * src', 'git add src'],
    ['*a*b*', 'xaybz'],
    ['*ab', 'aab'],
    ['*/b/**/b/*', 'b/b/x/b/b'],
    ['**a/*', 'a/aa/b'],
    ['*.md', 'a😀目.md'],
    ['git commit -m "*"', 'git commit -m "fix"'],
    ['https://*.example.com/**', 'https://a.example.com/b/c'],
    ['a;*', 'a;'],
  ])('a glob %j covers %j', ([glob, text]) => {
    expect(covers({ glob }, text)).toBe(true)
  })

  it.for<[string, string]>([
    ['a.b', 'axb'],
    ['[ab]', 'a'],
    ['a?', 'ab'],
    ['(a|b)+', 'a'],
    ['src/*', 'src/a/b'],
    ['src/*', 'src/a b'],
    ['src/*.ts', 'src/a.ts/b'],
    ['src/**', 'src/../etc'],
    ['src/*/a', 'src//a'],
    ['src/**/a', 'src//a'],
    ['src/**/a', 'src/b//a'],
    ['src/**', 'src//etc'],
    ['*', '-rf'],
    ['**', '-rf'],
    ['**', 'a -rf'],
    ['git **', 'git -c core.pager=x log'],
    ['git *', 'git --help'],
    ['git log**', 'git log --output=x'],
    ['**.ts', 'a; rm x.ts'],
    ['*.ts', 'a\nb.ts'],
    ['a;*', 'a;b'],
    ['a; **', 'a; b'],
    ['echo $*', 'echo $HOME'],
    ['*@example.com', 'a@evil.com,b@example.com'],
    ['https://*.example.com/**', 'https://evil.com/.example.com/'],
    ['https://*.example.com/**', 'https://evil.com#.example.com/'],
    ['https://*.example.com/**', 'https://evil.com?.example.com/'],
    ['*', 'src/*'],
    ['src/*', 'src/*'],
    ['src/**', 'src/a b'],
    ['src/**', 'src/.git/config'],
    ['src/*', 'src/.env'],
    ['src/**/*.ts', 'src/.a/b.ts'],
    ['**', '.env'],
    ['https://*.example.com/**', 'https://a.b.example.com/c'],
    ['https://*.example.com/**', 'https://a@x.example.com/c'],
    ['https://*/**', 'https://a.com/b'],
    ['https://**', 'https://a.com/b'],
    ['https://exam*.com/**', 'https://example.com/b'],
  ])('a glob %j does not cover %j', ([glob, text]) => {
    expect(covers({ glob }, text)).toBe(false)
  })

  it('matches globs as a regular expression would where all is harmless', () => {
    // Without empty segments, which a wildcard refuses.
    const texts = stringMatching(/^(?:[ab]|[ab]\/|\/[ab]){0,6}$/).map((text) =>
      text.replaceAll('//', '/'),
    )
    const globs = stringMatching(/^(?:a|b|\/|\*|\*\*){1,7}$/)
    const plain = array(constantFrom('a', 'b', 'a/', '/b', '*', '**'), {
      minLength: 1,
      maxLength: 7,
    })
    let matched = 0
    assert(
      property(texts, globs, plain, (text, one, others) => {
        for (const glob of [one, others.join('')]) {
          const source = glob
            .replaceAll('**', '.{0,}')
            .replaceAll('*', '[^/]{0,}')
            .replace(/\//g, '\\/')
          const isMatch = new RegExp(`^${source}$`).test(text)
          if (isMatch) matched++
          expect(covers({ glob }, text)).toBe(isMatch)
        }
      }),
      { numRuns: RUNS, seed: 5 },
    )
    expect(matched).toBeGreaterThan(100)
  })

  it('never leaves open what could be more than one harmless argument, whatever the text', () => {
    const pieces = `a src / . .. -x --o= ; & | $( \` \\ " ' * ? # ! ~ %2e // { > \u202E \u200B \0 \u0085`
    const rests = tuple(
      array(constantFrom(' ', '\n', '\t', ...pieces.split(' ')), { maxLength: 5 }),
      string({ unit: 'binary', maxLength: 2 }),
    )
    let covered = 0
    assert(
      property(rests, ([list, text]) => {
        const rest = list.join('') + text
        const patterns = [{ prefix: 'git log' }, { glob: 'git log**' }, { glob: 'git log *' }]
        if (!patterns.some((pattern) => covers(pattern, `git log${rest}`))) return
        covered++
        expect(rest).not.toMatch(/[;&|<>$`(){}[\]\\'"*?#!~%\p{Cc}\p{Cf}\u2028\u2029]/u)
        expect(`log${rest}`).not.toMatch(/(^|[/ ])\.{1,2}($|[/ ])|\/\/|\s-/)
      }),
      { numRuns: 20_000, seed: 3 },
    )
    expect(covered).toBeGreaterThan(100)
  })

  it('takes time by the length of the text times that of the glob, not more', () => {
    const text = 'a'.repeat(20_000)
    const before = performance.now()
    expect(covers({ glob: `${'*a'.repeat(20)}b` }, text)).toBe(false)
    expect(covers({ glob: `${'**a'.repeat(20)}b` }, text)).toBe(false)
    expect(covers({ prefix: 'a' }, `a ${'; '.repeat(20_000)}`)).toBe(false)
    // Backtracking would take longer than the universe has existed.
    expect(performance.now() - before).toBeLessThan(5_000)
  })
})
