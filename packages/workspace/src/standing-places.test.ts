import { existsSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { createMessageEngine, toolPlugin, waitingCalls, type ApprovalScope } from '@assent/engine'
import { answer, callTools, scriptedTransport, untilState } from '@assent/engine/testing'
import type { Tool } from 'ai'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { callTool, failureOf } from '../test/call-tool.ts'
import { createScratch, type Scratch } from '../../node/test/scratch.ts'
import { createWorkspaceTools, type WorkspaceToolsOptions } from './create-workspace-tools.ts'

let scratch: Scratch

beforeEach(() => {
  scratch = createScratch()
  scratch.write({
    'package.json': '{}',
    'notes/plain.txt': 'plain',
    'notes/up': '->..',
    'notes/p.txt': '->../package.json',
    'notes/in': '->plain.txt',
    'src/a.ts': 'a',
  })
})
afterEach(() => scratch.remove())

const textOf = (path: string) => readFileSync(join(scratch.path, path), 'utf8')

describe.each(['simulated', 'system'] as const)('a permission for a folder, %s shell', (shell) => {
  const workspace = (options: Partial<WorkspaceToolsOptions> = {}) =>
    createWorkspaceTools({ root: scratch.path, shell, ...options })

  /** Gives a permission with the first call, and says whether the second one waits. */
  async function second(
    [first, input]: readonly [string, object],
    covers: ApprovalScope['covers'],
    [name, next]: readonly [string, object],
    made = workspace(),
    meanwhile = () => {},
  ) {
    const { tools, toolApproval, toolOptions } = made
    const engine = createMessageEngine({
      transport: scriptedTransport([
        callTools({ toolCallId: '1', toolName: first, input }),
        answer('ok'),
        callTools({ toolCallId: '2', toolName: name, input: next }),
        answer('ok'),
      ]),
      plugins: [toolPlugin({ tools, toolApproval, toolOptions })],
    })
    try {
      await engine.sendMessage('one')
      const decision = { toolCallId: '1', outcome: 'yes_always', scope: { covers } } as const
      const decided = await engine.runPluginCommand('tool', 'resumeToolCall', decision)
      expect(decided).toMatchObject({ success: true })
      await untilState(engine, ({ requestState }) => requestState === 'completed')
      meanwhile()
      await engine.sendMessage('two')
      return waitingCalls(engine.getState()).map(({ toolCallId }) => toolCallId)
    } finally {
      engine.dispose()
      made.dispose()
    }
  }

  const IN_NOTES = { '/path': { prefix: 'notes/' } } as const
  const BY_GLOB = { '/path': { glob: 'notes/**' } } as const
  const FIRST = ['write', { path: 'notes/a.txt', content: '1' }] as const

  it.each([
    [IN_NOTES, 'notes/up/package.json'],
    [IN_NOTES, 'notes/p.txt'],
    [IN_NOTES, 'notes/up/new/x.txt'],
    [IN_NOTES, 'notes/in'],
    [BY_GLOB, 'notes/up/package.json'],
    [BY_GLOB, 'notes/p.txt'],
    ['tool' as const, 'notes/p.txt'],
  ])('writes nothing through a link below it: %j, %s', async (covers, path) => {
    expect(await second(FIRST, covers, ['write', { path, content: 'evil' }])).toEqual([])
    expect(textOf('package.json')).toBe('{}')
    expect(textOf('notes/plain.txt')).toBe('plain')
    expect(existsSync(join(scratch.path, 'new'))).toBe(false)
  })

  it.each([IN_NOTES, BY_GLOB, 'tool' as const])(
    'covers what is in the folder: %j',
    async (covers) => {
      const next = ['write', { path: 'notes/deep/b.txt', content: '2' }] as const
      expect(await second(FIRST, covers, next)).toEqual([])
      expect(textOf('notes/deep/b.txt')).toBe('2')
    },
  )

  it('edits nothing through a link', async () => {
    const first = ['edit', { path: 'notes/plain.txt', oldText: 'plain', newText: 'p' }] as const
    const next = ['edit', { path: 'notes/p.txt', oldText: '{}', newText: 'evil' }] as const
    expect(await second(first, IN_NOTES, next)).toEqual([])
    expect(textOf('package.json')).toBe('{}')
  })

  it('for one exact input ends where its file becomes a link', async () => {
    const input = { path: 'src/a.ts', content: 'evil' }
    const become = () => {
      rmSync(join(scratch.path, 'src/a.ts'))
      symlinkSync('../package.json', join(scratch.path, 'src/a.ts'))
    }
    const call = ['write', input] as const
    expect(await second(call, 'input', call, workspace(), become)).toEqual([])
    expect(textOf('package.json')).toBe('{}')
  })

  it.each([
    ['notes/e/HEAD', 'ref: refs/heads/m\n'],
    ['notes/e/head', 'ref: refs/heads/m\n'],
    ['notes/bare/config', '[core]\n\tfsmonitor = evil\n'],
    ['notes/bare/hooks/post-checkout', 'evil'],
  ])('does not cover what makes a repository, or is in one: %s', async (path, content) => {
    scratch.write({ 'notes/bare/HEAD': 'ref: refs/heads/m\n' })
    expect(await second(FIRST, IN_NOTES, ['write', { path, content }])).toEqual(['2'])
  })

  it.each([
    ['read', {}],
    ['grep', { pattern: '.' }],
    ['attach', {}],
  ])('does not cover %s through a link, where the app asks', async (name, more) => {
    const attached: string[] = []
    const made = workspace({ attach: ({ path }) => attached.push(path) })
    const toolApproval = { ...made.toolApproval, [name]: async () => 'user-approval' as const }
    const first = [name, { path: 'notes/plain.txt', ...more }] as const
    const next = [name, { path: 'notes/p.txt', ...more }] as const
    expect(await second(first, IN_NOTES, next, { ...made, toolApproval })).toEqual(['2'])
    expect(attached).toEqual(name === 'attach' ? ['notes/plain.txt'] : [])
  })

  it('writes nothing into a folder that has become a link', async () => {
    const next = ['write', { path: 'notes/sub/package.json', content: 'evil' }] as const
    const become = () => symlinkSync('..', join(scratch.path, 'notes/sub'))
    expect(await second(FIRST, IN_NOTES, next, workspace(), become)).toEqual([])
    expect(textOf('package.json')).toBe('{}')
  })

  it('ends where a path leads elsewhere than when it was looked at', async () => {
    const { tools, toolApproval, toolOptions } = workspace()
    const call = { toolCallId: 'x' }
    const path = 'notes/plain.txt'
    await toolApproval.read({ path }, call)
    await toolApproval.write({ path, content: 'evil' }, call)
    const { exactOnly } = toolOptions.write
    expect(typeof exactOnly === 'function' && exactOnly({ path, content: 'evil' })).toBe(false)
    rmSync(join(scratch.path, path))
    symlinkSync('../package.json', join(scratch.path, path))
    for (const run of [
      callTool(tools.read, { path }, call),
      callTool(tools.grep, { path, pattern: '.' }, call),
      callTool(tools.write, { path, content: 'evil' }, call),
    ]) {
      expect(await failureOf(run)).toContain('changed meanwhile')
    }
    expect(textOf('package.json')).toBe('{}')
    // A link that was there before does not pass for none because it is away for a moment.
    await toolApproval.write({ path, content: 'evil' }, { toolCallId: 'y' })
    rmSync(join(scratch.path, path))
    expect(typeof exactOnly === 'function' && exactOnly({ path, content: 'evil' })).toBe(true)
  })
})

describe('a yes', () => {
  const path = 'src/a.ts'

  /** Asks about one input, and runs another one, that one twice, and then one that is asked about anew. */
  async function tryBoth<INPUT>(
    tool: Tool<INPUT, string>,
    approve: (input: INPUT, call: { toolCallId: string }) => Promise<unknown>,
    asked: INPUT,
    other: INPUT,
  ) {
    const call = { toolCallId: 'x' }
    await approve(asked, call)
    expect(await failureOf(callTool(tool, other, call))).toContain('nobody was asked')
    expect(textOf(path)).toBe('a')
    expect(await failureOf(callTool(tool, asked, call))).toContain('not known')
    await approve(asked, call)
    const { output } = await callTool(tool, asked, call)
    return { output, text: textOf(path) }
  }

  it('to write or to edit is not one to another input under the same id', async () => {
    const { tools, toolApproval } = createWorkspaceTools({ root: scratch.path })
    await tryBoth(
      tools.write,
      toolApproval.write,
      { path, content: 'b' },
      { path, content: 'evil' },
    )
    scratch.write({ [path]: 'a' })
    const change = { path, oldText: 'a', newText: 'b' }
    const fresh = createWorkspaceTools({ root: scratch.path })
    const edit = [fresh.tools.edit, fresh.toolApproval.edit] as const
    expect(await tryBoth(...edit, change, { ...change, all: true })).toEqual({
      output: 'Changed src/a.ts in 1 place.',
      text: 'b',
    })
  })
})
