import { describe, expect, test } from 'vitest'
import { diffFiles, type DiffedFile } from './diff-lines.ts'
import { readPreview } from './read-preview.ts'
import { splitAddress } from './split-address.ts'

const linesOf = (file: DiffedFile | undefined): string[] =>
  (file?.blocks ?? []).flatMap(({ isFolded, lines }) =>
    isFolded
      ? [`… ${lines.length}`]
      : lines.map(({ kind, before, after, pieces }) => {
          const text = pieces.map((one) => (one.isMarked ? `[${one.text}]` : one.text)).join('')
          return `${before ?? ''}:${after ?? ''} ${kind} ${text}`
        }),
  )

describe('a diff', () => {
  test('shows both versions line by line, with the words that differ marked', () => {
    const [file] = diffFiles({
      kind: 'diff',
      files: [{ path: 'a', before: 'one\ntwo words here\n', after: 'one\ntwo signs here\nmore\n' }],
    })
    expect(file).toMatchObject({ change: 'changed', added: 2, removed: 1 })
    expect(linesOf(file)).toEqual([
      '1:1 same one',
      '2: removed two words here',
      ':2 added two signs here',
      ':3 added more',
    ])
    const [pair] = diffFiles({
      kind: 'diff',
      files: [{ before: 'two words here\n', after: 'two signs here\n' }],
    })
    expect(linesOf(pair)).toEqual(['1: removed two [words] here', ':1 added two [signs] here'])
  })

  test('folds what stays the same, but for three lines around a change', () => {
    const before = Array.from({ length: 30 }, (_, line) => `line ${line}\n`)
    const after = before.with(15, 'another\n')
    const [file] = diffFiles({
      kind: 'diff',
      files: [{ before: before.join(''), after: after.join('') }],
    })
    expect(linesOf(file)).toEqual([
      '… 12',
      '13:13 same line 12',
      '14:14 same line 13',
      '15:15 same line 14',
      '16: removed line 15',
      ':16 added another',
      '17:17 same line 16',
      '18:18 same line 17',
      '19:19 same line 18',
      '… 11',
    ])
  })

  test('tells a new file from a deleted one and from one that stays', () => {
    const files = diffFiles({
      kind: 'diff',
      files: [{ after: 'a\n' }, { before: 'a\n' }, { before: 'a', after: 'a' }],
    })
    expect(files.map(({ change }) => change)).toEqual(['new', 'deleted', 'changed'])
    expect(files[2]?.blocks).toEqual([])
  })

  test('shows a line break that comes or goes at the end of a file', () => {
    const [file] = diffFiles({ kind: 'diff', files: [{ before: 'a\n', after: 'a' }] })
    const [removed, added] = file?.blocks[0]?.lines ?? []
    expect(removed?.isOpenEnded).toBeUndefined()
    expect(added).toMatchObject({ kind: 'added', isOpenEnded: true })
  })

  test('shows a carriage return where it makes the difference', () => {
    const [file] = diffFiles({ kind: 'diff', files: [{ before: 'a\r\n', after: 'a\n' }] })
    expect(linesOf(file)).toEqual(['1: removed a[\r]', ':1 added a'])
  })

  test('does not take long, however different the texts are', () => {
    const noise = (seed: number) =>
      Array.from({ length: 20_000 }, (_, line) => `${(line * seed) % 9_973}`).join('\n')
    const start = performance.now()
    const [file] = diffFiles({ kind: 'diff', files: [{ before: noise(7), after: noise(11) }] })
    expect(file?.added).toBeGreaterThan(0)
    expect(performance.now() - start).toBeLessThan(5_000)
  })

  test('reads a patch as it is, with its own line numbers', () => {
    const patch = `--- a/src/x.ts
+++ b/src/x.ts
@@ -10,3 +10,3 @@
 same
-old line
+new line
 end
@@ -40 +40 @@
-a
+b
\\ No newline at end of file
`
    const [file] = diffFiles({ kind: 'patch', patch })
    expect(file).toMatchObject({ path: 'src/x.ts', added: 2, removed: 2 })
    expect(linesOf(file)).toEqual([
      '10:10 same same',
      '11: removed [old] line',
      ':11 added [new] line',
      '12:12 same end',
      '40: removed a',
      ':40 added b',
    ])
    expect(diffFiles({ kind: 'patch', patch: 'nonsense' })).toEqual([])
  })
})

test('the host of an address is what an address bar would go to', () => {
  expect(splitAddress('https://user:pw@example.com:80/a?b#c')).toEqual({
    before: 'https://user:pw@',
    host: 'example.com:80',
    after: '/a?b#c',
  })
  expect(splitAddress('https://good.com@evil.com/')).toMatchObject({ host: 'evil.com' })
  expect(splitAddress('https://evil.com\\@good.com/')).toMatchObject({ host: 'evil.com' })
  expect(splitAddress('/relative?x')).toEqual({ before: '', host: '', after: '/relative?x' })
})

describe('a preview from outside', () => {
  test('is read as far as it is one', () => {
    expect(readPreview({ kind: 'command', command: 'ls', cwd: 3, env: { A: 'b', C: 4 } })).toEqual({
      kind: 'command',
      command: 'ls',
      env: { A: 'b' },
    })
    const files = [{ path: 'a', before: 'x' }, { path: 'b' }, 3]
    expect(readPreview({ kind: 'command', command: 'rm a', files })).toEqual({
      kind: 'command',
      command: 'rm a',
      files: [{ path: 'a', before: 'x' }],
    })
    expect(readPreview({ kind: 'email', to: 'a@b.c', body: 'Hi', cc: [1, 'd@e.f'] })).toEqual({
      kind: 'email',
      to: ['a@b.c'],
      body: 'Hi',
      cc: ['d@e.f'],
    })
    expect(
      readPreview({ kind: 'table', columns: ['a', 2], rows: [[{ x: 1 }, null], 'no'] }),
    ).toEqual({ kind: 'table', columns: ['a', '2'], rows: [['{"x":1}', null]] })
  })

  test.each([
    undefined,
    null,
    'text',
    [],
    { kind: 'nonsense' },
    { kind: 'diff', files: [] },
    { kind: 'diff', files: [{ path: 'only' }] },
    { kind: 'diff' },
    { kind: 'command' },
    { kind: 'request', method: 'GET' },
    { kind: 'table', columns: 'a', rows: [] },
    { kind: 'email', to: 7, body: '' },
    { kind: 'text', text: {} },
    { kind: 'patch', patch: 1 },
  ])('is none where it is not: %o', (value) => {
    expect(readPreview(value)).toBeUndefined()
  })
})
