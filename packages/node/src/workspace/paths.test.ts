import { readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { callTool, failureOf } from '../../test/call-tool.ts'
import { createScratch, type Scratch } from '../../test/scratch.ts'
import { createWorkspaceTools, type WorkspaceTools } from './create-workspace-tools.ts'
import { oddOnWindows } from './odd-names.ts'
import type { Refusal, RefusalCode } from './refusal.ts'

vi.setConfig({ testTimeout: 60_000 })

let scratch: Scratch
let made: WorkspaceTools
const refusals: Refusal[] = []

beforeAll(() => {
  scratch = createScratch()
  scratch.write({
    'work/a.txt': 'a',
    'work/sub/b.txt': 'b',
    'work/sub/deep/c.txt': 'c',
    'work/..foo': 'dots',
    'work/...': 'dots',
    'work/with space.txt': 'space',
    'work/ leading.txt': 'space',
    'work/über.txt': 'ü',
    'work/资料.txt': 'z',
    'work/-rf': 'dash',
    'work/~': 'tilde',
    'work/%2e%2e': 'percent',
    'work/a\\b': 'backslash',
    'work/new\nline': 'newline',
    'work/state:x.txt': 'colon',
    'work/$HOME': 'dollar',
    'work/*.txt': 'star',
    'work/.hidden': 'hidden',
    'work/.env': 'TOKEN=abcdefgh12345678',
    'work/.env.example': 'TOKEN=',
    'work/.ENV.local': 'X=1',
    'work/id_rsa': 'key',
    'work/id_rsa.pub': 'public',
    'work/server.pem': 'key',
    'work/.git/config': '[core]',
    'work/.git/hooks/pre-commit': 'x',
    'work/.git/HEAD': 'ref: x',
    'work/.ssh/known': 'x',
    'work/secrets.json': '{}',
    'work/secrets.ts': 'export {}',
    'work/credentials': 'x',
    'work/.npmrc': 'x',
    'work/in': '->a.txt',
    'work/in2': '->sub/../a.txt',
    'work/indir': '->sub',
    'work/up': '->..',
    'work/sub/top': '->..',
    'work/out': '->../outside/secret.txt',
    'work/outabs': '->/etc/passwd',
    'work/outdir': '->../outside',
    'work/chain': '->out',
    'work/dangling': '->../outside/none',
    'work/danglingin': '->none',
    'work/loop': '->loop',
    'work/tostate': '->../state/notes.md',
    'work/envlink': '->.env',
    'work/sub/envlink': '->../.env',
    'work/gitlink': '->.git',
    'workstore/x.txt': 'sibling',
    'outside/secret.txt': 'secret',
    'state/notes.md': 'notes',
    'library/book.md': 'book',
  })
  const { path } = scratch
  made = createWorkspaceTools({
    root: join(path, 'work'),
    roots: { state: join(path, 'state'), lib: { path: join(path, 'library'), access: 'read' } },
    sensitive: (inner) => inner.startsWith('sub/deep/'),
    onRefused: (refusal) => refusals.push(refusal),
  })
})
afterAll(() => {
  made.dispose()
  scratch.remove()
})

type Fate = 'read' | 'asks' | RefusalCode

/** What becomes of reading a path. `@` stands for the scratch folder. */
const PATHS: readonly (readonly [path: string, fate: Fate])[] = [
  ['a.txt', 'read'],
  ['./a.txt', 'read'],
  ['.//a.txt', 'read'],
  ['sub/b.txt', 'read'],
  ['sub//b.txt', 'read'],
  ['sub/../a.txt', 'read'],
  ['sub/./b.txt', 'read'],
  ['sub/../sub/b.txt', 'read'],
  ['none/../a.txt', 'read'],
  ['..foo', 'read'],
  ['...', 'read'],
  ['with space.txt', 'read'],
  [' leading.txt', 'read'],
  ['über.txt', 'read'],
  ['u\u0308ber.txt', 'not_found'],
  ['资料.txt', 'read'],
  ['-rf', 'read'],
  ['~', 'read'],
  ['%2e%2e', 'read'],
  ['a\\b', 'read'],
  ['new\nline', 'read'],
  ['./state:x.txt', 'read'],
  ['state:x.txt', 'not_found'],
  ['$HOME', 'read'],
  ['*.txt', 'read'],
  ['.hidden', 'read'],
  ['@/work/a.txt', 'read'],
  ['@/work/sub/../a.txt', 'read'],
  ['@/work//a.txt', 'read'],
  ['@/state/notes.md', 'read'],
  ['state:notes.md', 'read'],
  ['state:./notes.md', 'read'],
  ['lib:book.md', 'read'],
  ['@/library/book.md', 'read'],
  ['in', 'read'],
  ['in2', 'read'],
  ['indir/b.txt', 'read'],
  ['up/work/a.txt', 'read'],
  ['sub/top/a.txt', 'read'],
  ['tostate', 'read'],
  ['.env.example', 'read'],
  ['id_rsa.pub', 'read'],
  ['secrets.ts', 'read'],
  ['.git/HEAD', 'read'],
  // Asked about.
  ['.env', 'asks'],
  ['./.env', 'asks'],
  ['sub/../.env', 'asks'],
  ['sub/top/.env', 'asks'],
  ['@/work/.env', 'asks'],
  ['.ENV.local', 'asks'],
  ['id_rsa', 'asks'],
  ['server.pem', 'asks'],
  ['.git/config', 'asks'],
  ['.git/hooks/pre-commit', 'asks'],
  ['.ssh/known', 'asks'],
  ['secrets.json', 'asks'],
  ['credentials', 'asks'],
  ['.npmrc', 'asks'],
  ['sub/deep/c.txt', 'asks'],
  // Refused: a link to what its name does not say.
  ['envlink', 'link'],
  ['sub/envlink', 'link'],
  ['gitlink/config', 'link'],
  ['indir/deep/c.txt', 'link'],
  ['dangling', 'link'],
  ['danglingin', 'link'],
  ['danglingin/x', 'link'],
  ['loop', 'link'],
  ['loop/x', 'link'],
  // Refused: outside.
  ['..', 'outside'],
  ['../', 'outside'],
  ['../outside/secret.txt', 'outside'],
  ['../workstore/x.txt', 'outside'],
  ['@/workstore/x.txt', 'outside'],
  ['@/outside/secret.txt', 'outside'],
  ['sub/../../outside/secret.txt', 'outside'],
  ['a/b/c/../../../../outside/secret.txt', 'outside'],
  ['/etc/passwd', 'outside'],
  ['//etc/passwd', 'outside'],
  ['/', 'outside'],
  ['/proc/self/environ', 'outside'],
  ['@', 'outside'],
  ['out', 'outside'],
  ['outabs', 'outside'],
  ['outdir/secret.txt', 'outside'],
  ['outdir', 'outside'],
  ['chain', 'outside'],
  ['up/outside/secret.txt', 'outside'],
  ['up', 'outside'],
  ['state:../outside/secret.txt', 'outside'],
  ['state:../work/a.txt', 'outside'],
  ['state:/etc/passwd', 'outside'],
  ['outdir/new.txt', 'outside'],
  // Refused: not there, or not of that kind.
  ['none.txt', 'not_found'],
  ['none/none.txt', 'not_found'],
  ['~/a.txt', 'wrong_kind'],
  ['%2e%2e/outside/secret.txt', 'wrong_kind'],
  ['..\\outside\\secret.txt', 'not_found'],
  ['A.TXT', 'not_found'],
  ['a.txt ', 'not_found'],
  ['a.txt.', 'not_found'],
  ['file:///etc/passwd', 'not_found'],
  ['sub', 'wrong_kind'],
  ['.', 'wrong_kind'],
  ['a.txt/', 'read'],
  ['a.txt/x', 'wrong_kind'],
  ['a\0.txt', 'invalid'],
  ['../outside/secret.txt\0a.txt', 'invalid'],
  ['x'.repeat(5_000), 'invalid'],
  ['', 'invalid'],
]

describe('a path', () => {
  it('is of a corpus that is large enough', () => {
    expect(PATHS.length).toBeGreaterThanOrEqual(80)
  })

  const isGood = (fate: Fate) => fate === 'read' || fate === 'asks'

  it.each(PATHS.filter(([, fate]) => isGood(fate)))('%j is read: %s', async (given, fate) => {
    const path = given.replace('@', scratch.path)
    refusals.length = 0
    const status = await made.toolApproval.read({ path }, { toolCallId: 'x' })
    expect(status === undefined ? 'read' : 'asks').toBe(fate)
    expect((await callTool(made.tools.read, { path })).output).not.toBe('')
    expect(refusals).toEqual([])
  })

  it.each(PATHS.filter(([, fate]) => !isGood(fate)))('%j is refused: %s', async (given, code) => {
    const path = given.replace('@', scratch.path)
    refusals.length = 0
    expect(await made.toolApproval.read({ path }, { toolCallId: 'x' })).toBeUndefined()
    const call = callTool(made.tools.read, { path }, { toolCallId: 'x' })
    expect(await failureOf(call)).toMatch(/^Refused: /)
    expect(refusals).toEqual([
      expect.objectContaining({ code, toolName: 'read', toolCallId: 'x', subject: path }),
    ])
  })

  it.each(PATHS.filter(([, fate]) => fate === 'outside' || fate === 'link'))(
    '%j is not written, by neither tool',
    async (given) => {
      const path = given.replace('@', scratch.path)
      const before = readFileSync(join(scratch.path, 'outside/secret.txt'), 'utf8')
      await failureOf(callTool(made.tools.write, { path, content: 'changed' }))
      await failureOf(callTool(made.tools.edit, { path, oldText: 'secret', newText: 'changed' }))
      expect(readFileSync(join(scratch.path, 'outside/secret.txt'), 'utf8')).toBe(before)
      expect(readFileSync(join(scratch.path, 'work/.env'), 'utf8')).toMatch(/^TOKEN=/)
    },
  )

  it.each([
    ['lib:book.md', 'read_only'],
    ['lib:new/book.md', 'read_only'],
  ])('%j in a folder for reading is not written', async (path, code) => {
    refusals.length = 0
    await failureOf(callTool(made.tools.write, { path, content: 'x' }))
    expect(refusals).toEqual([expect.objectContaining({ code })])
  })

  it('that is swapped for a link between the question and the run is refused', async () => {
    const file = join(scratch.path, 'work/swapped.txt')
    writeFileSync(file, 'mine')
    const call = { toolCallId: 'swap' }
    const input = { path: 'swapped.txt', content: 'new' }
    expect(await made.toolApproval.write(input, call)).toMatchObject({ type: 'user-approval' })
    rmSync(file)
    symlinkSync(join(scratch.path, 'outside/secret.txt'), file)
    expect(await failureOf(callTool(made.tools.write, input, call))).toMatch(/outside/)
    expect(await failureOf(callTool(made.tools.read, { path: 'swapped.txt' }))).toMatch(/outside/)
    expect(readFileSync(join(scratch.path, 'outside/secret.txt'), 'utf8')).toBe('secret')
  })

  it('whose folder is swapped again and again is never followed to the outside', async () => {
    scratch.write({ 'work/flip/secret.txt': 'inside', 'work/flipped': '->../outside' })
    const [flip = '', other = '', spare = ''] = ['flip', 'flipped', 'spare'].map((name) =>
      join(scratch.path, 'work', name),
    )
    const outputs = await whileSwapping(
      () => {
        renameSync(flip, spare)
        renameSync(other, flip)
      },
      () => {
        renameSync(flip, other)
        renameSync(spare, flip)
      },
      async () => {
        const call = callTool(made.tools.read, { path: 'flip/secret.txt' })
        return (await call).output
      },
    )
    expect(outputs).toContain('inside')
    expect(outputs).not.toContain('secret')
  })

  it('that is swapped for a link again and again is never written outside', async () => {
    const file = join(scratch.path, 'work/leaf.txt')
    const [text, link] = [`${file}.text`, `${file}.link`]
    await whileSwapping(
      () => {
        symlinkSync(join(scratch.path, 'outside/secret.txt'), link)
        renameSync(link, file)
      },
      () => {
        writeFileSync(text, 'inside')
        renameSync(text, file)
      },
      async () => {
        await callTool(made.tools.write, { path: 'leaf.txt', content: 'changed' })
        return 'written'
      },
    )
    expect(readFileSync(join(scratch.path, 'outside/secret.txt'), 'utf8')).toBe('secret')
  })
})

/** Calls again and again while something is swapped there and back; what came of it. */
async function whileSwapping(
  there: () => void,
  back: () => void,
  call: () => Promise<string>,
): Promise<Set<string>> {
  const outcomes = new Set<string>()
  const calling = (async () => {
    for (let round = 0; round < 200; round++) outcomes.add(await call().catch(() => 'refused'))
    outcomes.add('over')
  })()
  for (let turn = 0; !outcomes.has('over'); turn++) {
    there()
    await new Promise(setImmediate)
    back()
    // Sometimes for long enough to let a call through, sometimes only to its check.
    for (let wait = 0; wait < turn % 12; wait++) await new Promise(setImmediate)
  }
  await calling
  return outcomes
}

describe('a name on Windows', () => {
  it.each([
    '\\\\server\\share\\x',
    '//server/share/x',
    '\\\\?\\C:\\x',
    'C:foo',
    'a.txt:stream',
    'a.txt::$DATA',
    'a.txt.',
    'a.txt ',
    'sub./x',
    'NUL',
    'con.txt',
    'sub/COM1',
    'LPT1.log',
    'PROGRA~1/x',
    'a?b',
    'a|b',
  ])('%j is refused', (path) => expect(oddOnWindows(path)).toMatch(/^(?:it|a name)/))

  it.each([
    'a.txt',
    'C:\\work\\a.txt',
    'sub\\b.txt',
    '..\\x',
    './x',
    'console.log',
    'com10',
    'a~b',
  ])('%j is a name', (path) => expect(oddOnWindows(path)).toBeUndefined())
})

describe('a root', () => {
  it.each([
    ['that does not exist', () => createWorkspaceTools({ root: '/does/not/exist' })],
    ['that is no folder', () => createWorkspaceTools({ root: join(scratch.path, 'work/a.txt') })],
    [
      'with a name that is none',
      () => createWorkspaceTools({ root: scratch.path, roots: { 'a:b': scratch.path } }),
    ],
  ])('%s is a typed error', (_name, make) => expect(make).toThrow(TypeError))

  it('that is itself a link is used by its real path', async () => {
    scratch.write({ alias: '->work' })
    const { tools } = createWorkspaceTools({ root: join(scratch.path, 'alias') })
    const path = join(scratch.path, 'alias/a.txt')
    expect((await callTool(tools.read, { path })).output).toBe('a')
    expect((await callTool(tools.read, { path: 'a.txt' })).output).toBe('a')
  })
})
