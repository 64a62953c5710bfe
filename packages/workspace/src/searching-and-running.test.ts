import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { callTool, failureOf } from '../test/call-tool.ts'
import { SAMPLE_FILES } from '../test/sample-files.ts'
import { createScratch, type Scratch } from '../../node/test/scratch.ts'
import type { AttachedFile } from './attach.ts'
import { createWorkspaceTools } from './create-workspace-tools.ts'

let scratch: Scratch
let made: ReturnType<typeof create>
const attached: AttachedFile[] = []

function create() {
  return createWorkspaceTools({
    root: scratch.path,
    knownValues: ['swordfish-42'],
    attach: (file) => void attached.push(file),
  })
}

beforeEach(() => {
  attached.length = 0
  scratch = createScratch()
  scratch.write(SAMPLE_FILES)
  made = create()
})
afterEach(() => {
  made.dispose()
  scratch.remove()
})

describe('glob', () => {
  const glob = async (pattern: string, path?: string) =>
    (await callTool(made.tools.glob, { pattern, ...(path === undefined ? {} : { path }) })).output

  it.each([
    ['**/*.ts', undefined, 'src/b.ts\nsrc/deep/c.ts\n'],
    ['src/*', undefined, 'src/b.ts\nsrc/c.css\n'],
    ['*.{ts,css}', 'src', 'src/b.ts\nsrc/c.css\n'],
    ['src/?.ts', undefined, 'src/b.ts\n'],
    ['./*.yaml', undefined, 'config.yaml\n'],
    ['node_modules/**/*.ts', undefined, 'node_modules/x/index.ts\n'],
    ['*.none', undefined, 'No file matches *.none.'],
  ])('%s in %s', async (pattern, path, expected) =>
    expect(await glob(pattern, path)).toBe(expected),
  )

  it.each([
    '../*',
    '/etc/*',
    '*a*b*c*d*e*f',
    '@(a|b)',
    '{1..9999999}',
    '**/**/**/**/**/x',
    'x'.repeat(300),
  ])('refuses %s', async (pattern) =>
    expect(await failureOf(glob(pattern))).toMatch(/^Refused: the pattern/),
  )
})

describe('grep', () => {
  const grep = async (
    input: Parameters<
      typeof callTool<{
        pattern: string
        path?: string
        glob?: string
        ignoreCase?: boolean
        context?: number
      }>
    >[1],
  ) => (await callTool(made.tools.grep, input)).output

  it('finds lines in files, but not in those that may hold secrets or are of others', async () => {
    expect(await grep({ pattern: 'TODO' })).toBe(
      '2 lines in 2 files\n.hidden/d.ts:1:// TODO: hidden\nsrc/b.ts:2:// TODO: more\n',
    )
    expect(await grep({ pattern: 'todo', path: 'src', ignoreCase: true })).toMatch(
      /^1 line in 1 file\n/,
    )
    expect(await grep({ pattern: 'export', glob: '**/deep/*.ts' })).toBe(
      '1 line in 1 file\nsrc/deep/c.ts:1:export const c = 2\n',
    )
    expect(await grep({ pattern: 'two', path: 'a.txt', context: 1 })).toBe(
      '1 line in 1 file\na.txt-1-one\na.txt:2:two\na.txt-3-three\n',
    )
    expect(await grep({ pattern: 'nothing at all' })).toBe('No line matches nothing at all.')
  })

  it('asks before it looks into a file that may hold secrets', async () => {
    const input = { pattern: 'TODO', path: '.env' }
    expect(await made.toolApproval.grep(input, { toolCallId: 'x' })).toMatchObject({
      type: 'user-approval',
    })
    expect(await grep(input)).not.toContain('swordfish')
  })

  it('takes linear time for any expression, and refuses what is none', async () => {
    writeFileSync(join(scratch.path, 'evil.txt'), `${'a'.repeat(20_000)}!\n`)
    expect(await grep({ pattern: '(a+)+$', path: 'evil.txt' })).toMatch(/^No line/)
    expect(await failureOf(grep({ pattern: '(' }))).toMatch(/^Refused: the expression/)
  })
})

describe('attach', () => {
  it('hands a file over, by a name that is no path', async () => {
    const { output } = await callTool(made.tools.attach, { path: 'src/c.css', name: '../../x.css' })
    expect(output).toBe('Handed over x.css: 17 bytes.')
    expect(attached).toMatchObject([
      { name: 'x.css', path: 'src/c.css', mediaType: 'application/octet-stream' },
    ])
    expect(new TextDecoder().decode(attached[0]?.bytes)).toBe('a { color: red }\n')
  })

  it('asks for what may hold secrets, and refuses what is outside', async () => {
    expect(await made.toolApproval.attach({ path: '.env' }, { toolCallId: 'x' })).toMatchObject({
      type: 'user-approval',
    })
    expect(await failureOf(callTool(made.tools.attach, { path: '/etc/passwd' }))).toMatch(/outside/)
  })
})

it('refuses a folder for what was shown that the tools can get at', () => {
  const make = (shownFolder: string) => () =>
    createWorkspaceTools({ root: scratch.path, shownFolder })
  expect(make(`${scratch.path}/shown`)).toThrow(TypeError)
  const outside = createScratch()
  expect(make(outside.path)).not.toThrow()
  outside.remove()
})

it('refuses rules of commands that would let through anything', () => {
  const { path: root } = scratch
  const make = (allow: string) => () => createWorkspaceTools({ root, commands: { allow: [allow] } })
  for (const rule of [
    'npm *',
    'python3 *',
    'bash *',
    'env *',
    '*',
    'git "x"',
    'git *',
    'git -c *',
    'tar *',
    '',
  ]) {
    expect(make(rule)).toThrow(RangeError)
  }
  for (const rule of ['npm test', 'git push *', 'make build']) expect(make(rule)).not.toThrow()
  const mistyped = () => createWorkspaceTools({ root: scratch.path, shell: 'sytem' as never })
  expect(mistyped).toThrow("shell is 'simulated' or 'system', not \"sytem\".")
})
