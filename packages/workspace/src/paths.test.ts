import { readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { callTool, failureOf } from '../test/call-tool.ts'
import { createScratch, type Scratch } from '../../node/test/scratch.ts'
import { createWorkspaceTools, type WorkspaceTools } from './create-workspace-tools.ts'
import { FILES, PATHS, type Fate } from './paths.fixture.ts'
import type { Refusal } from './refusal.ts'

vi.setConfig({ testTimeout: 60_000 })

let scratch: Scratch
let made: WorkspaceTools
const refusals: Refusal[] = []

beforeAll(() => {
  scratch = createScratch()
  scratch.write(FILES)
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
