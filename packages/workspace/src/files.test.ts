import {
  chmodSync,
  linkSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { callTool, failureOf } from '../test/call-tool.ts'
import { SAMPLE_FILES } from '../test/sample-files.ts'
import { createScratch, type Scratch } from '../../node/test/scratch.ts'
import { createWorkspaceTools } from './create-workspace-tools.ts'

let scratch: Scratch
let made: ReturnType<typeof create>

function create() {
  return createWorkspaceTools({
    root: scratch.path,
    knownValues: ['swordfish-42'],
  })
}

beforeEach(() => {
  scratch = createScratch()
  scratch.write(SAMPLE_FILES)
  made = create()
})
afterEach(() => {
  made.dispose()
  scratch.remove()
})

const textOf = (path: string) => readFileSync(join(scratch.path, path), 'utf8')

describe('read', () => {
  it('reads a file, or some of its lines', async () => {
    const { read } = made.tools
    expect((await callTool(read, { path: 'a.txt' })).output).toBe('one\ntwo\nthree\n')
    expect((await callTool(read, { path: 'a.txt', offset: 2 })).output).toBe('two\nthree\n')
    expect((await callTool(read, { path: 'a.txt', offset: 2, limit: 1 })).output).toBe('two\n')
    expect((await callTool(read, { path: 'a.txt', offset: 4 })).output).toBe(
      '[a.txt has 3 lines; nothing is behind them.]',
    )
  })

  it('masks known secrets and the values of telling names', async () => {
    expect((await callTool(made.tools.read, { path: 'config.yaml' })).output).toBe(
      'password: [secret: known value]\nport: 80\n',
    )
  })

  it('refuses what is no text', async () => {
    writeFileSync(join(scratch.path, 'bin'), Uint8Array.of(1, 0, 2))
    writeFileSync(join(scratch.path, 'latin'), Uint8Array.of(0x61, 0xe9, 0x62))
    expect(await failureOf(callTool(made.tools.read, { path: 'bin' }))).toMatch(/no UTF-8 text/)
    expect(await failureOf(callTool(made.tools.read, { path: 'latin' }))).toMatch(/no UTF-8 text/)
  })

  it('cuts a long file, and reads on in it', async () => {
    const text = Array.from({ length: 5_000 }, (_, index) => `line ${index + 1}\n`).join('')
    writeFileSync(join(scratch.path, 'long.txt'), text)
    const { output } = await callTool(made.tools.read, { path: 'long.txt' })
    const [, next, name] =
      /first 2000 of 5000 lines.*byte offset (\d+) of output (\w+)\.\]$/s.exec(output) ?? []
    expect(output.startsWith(text.slice(0, Number(next)))).toBe(true)
    let all = output.slice(0, Number(next))
    for (let offset = next; offset !== undefined;) {
      const piece = await callTool(made.tools.readToolOutput, {
        output: name ?? '',
        offset: Number(offset),
      })
      all += piece.output.replace(/\[Output cut: [^\]]*\]$/, '')
      offset = /from byte offset (\d+)/.exec(piece.output)?.[1]
    }
    expect(all).toBe(text)
  })
})

describe('write', () => {
  it('makes a file and its folders, and replaces one', async () => {
    const { write } = made.tools
    expect((await callTool(write, { path: 'new/deep/x.txt', content: 'ü' })).output).toBe(
      'Made new/deep/x.txt: 2 bytes.',
    )
    expect(textOf('new/deep/x.txt')).toBe('ü')
    expect((await callTool(write, { path: 'a.txt', content: '' })).output).toMatch(
      /^Replaced a\.txt/,
    )
    expect(textOf('a.txt')).toBe('')
  })

  it('asks, and shows what would change', async () => {
    const input = { path: 'a.txt', content: 'new\n' }
    expect(await made.toolApproval.write(input, { toolCallId: 'x' })).toEqual({
      type: 'user-approval',
      reason: 'It changes a.txt.',
    })
    expect(made.toolOptions.write.summary?.(input)).toBe('Write “a.txt”')
    expect(await made.toolOptions.write.preview?.(input, { toolCallId: 'x' })).toEqual({
      kind: 'diff',
      files: [{ path: 'a.txt', before: 'one\ntwo\nthree\n', after: 'new\n' }],
    })
  })

  it('says that it creates a file, or that one stays as it is', async () => {
    const reasonOf = async (path: string, content: string) => {
      const toolCallId = `${path} ${content}`
      return await made.toolApproval.write({ path, content }, { toolCallId })
    }
    expect(await reasonOf('new/n.txt', 'x')).toMatchObject({ reason: 'It creates new/n.txt.' })
    expect(await reasonOf('a.txt', 'one\ntwo\nthree\n')).toEqual({
      type: 'user-approval',
      reason: 'a.txt stays as it is: it holds exactly this.',
    })
    expect(await reasonOf('.env', 'A=1')).toMatchObject({
      reason: '.env may hold secrets, or decide what programs run.',
    })
  })

  it('keeps the mode, leaves nothing beside the file, and other names of it as they are', async () => {
    chmodSync(join(scratch.path, 'a.txt'), 0o751)
    linkSync(join(scratch.path, 'a.txt'), join(scratch.path, 'other.txt'))
    const before = readdirSync(scratch.path)
    await callTool(made.tools.write, { path: 'a.txt', content: 'new' })
    expect(statSync(join(scratch.path, 'a.txt')).mode & 0o777).toBe(0o751)
    expect(readdirSync(scratch.path)).toEqual(before)
    expect(textOf('other.txt')).toBe('one\ntwo\nthree\n')
  })

  it('leaves the file whole when it cannot be written', async () => {
    mkdirSync(join(scratch.path, 'folder'))
    chmodSync(join(scratch.path, 'a.txt'), 0o444)
    expect(await failureOf(callTool(made.tools.write, { path: 'a.txt', content: 'x' }))).toMatch(
      /may not be written/,
    )
    expect(await failureOf(callTool(made.tools.write, { path: 'folder', content: 'x' }))).toMatch(
      /is a folder/,
    )
    expect(textOf('a.txt')).toBe('one\ntwo\nthree\n')
    expect(readdirSync(scratch.path).filter((name) => name.endsWith('.tmp'))).toEqual([])
  })

  it('refuses to overwrite what has changed since it was read, or since a person saw it', async () => {
    const { read, write } = made.tools
    await callTool(read, { path: 'a.txt' })
    writeFileSync(join(scratch.path, 'a.txt'), 'somebody else\n')
    expect(await failureOf(callTool(write, { path: 'a.txt', content: 'x' }))).toMatch(
      /changed since it was read/,
    )
    await callTool(read, { path: 'a.txt' })
    const input = { path: 'a.txt', content: 'y' }
    const call = { toolCallId: 'x' }
    await made.toolApproval.write(input, call)
    writeFileSync(join(scratch.path, 'a.txt'), 'again\n')
    expect(await failureOf(callTool(write, input, call))).toMatch(/since a person was asked/)
    expect(textOf('a.txt')).toBe('again\n')
    await callTool(read, { path: 'a.txt' })
    await callTool(write, input)
    expect(textOf('a.txt')).toBe('y')
  })

  it('refuses before anybody is asked what cannot be done', async () => {
    const call = { toolCallId: 'x' }
    for (const path of ['.', 'bin']) {
      writeFileSync(join(scratch.path, 'bin'), Uint8Array.of(1, 0, 2))
      const input = { path, content: 'x' }
      expect(await made.toolApproval.write(input, call)).toBe('approved')
      expect(await failureOf(callTool(made.tools.write, input, call))).toMatch(
        /is a folder|no UTF-8/,
      )
    }
    const edit = { path: 'a.txt', oldText: 'four', newText: 'x' }
    expect(await made.toolApproval.edit(edit, call)).toBe('approved')
    writeFileSync(join(scratch.path, 'a.txt'), 'four\n')
    expect(await failureOf(callTool(made.tools.edit, edit, call))).toMatch(/a matter for a person/)
  })

  it('tells nothing before a yes of a file that may hold secrets', async () => {
    writeFileSync(join(scratch.path, '.env'), 'TOKEN=1\n')
    const asked = ['TOKEN=1', 'TOKEN=2'].map((oldText) =>
      made.toolApproval.edit({ path: '.env', oldText, newText: 'x' }, { toolCallId: oldText }),
    )
    const [right, wrong] = await Promise.all(asked)
    expect(right).toMatchObject({ type: 'user-approval' })
    expect(wrong).toEqual(right)
  })

  it('is not misled by the time of a file', async () => {
    await callTool(made.tools.read, { path: 'a.txt' })
    const { atime, mtime } = statSync(join(scratch.path, 'a.txt'))
    writeFileSync(join(scratch.path, 'a.txt'), 'one\ntwo\nTHREE\n')
    utimesSync(join(scratch.path, 'a.txt'), atime, mtime)
    expect(await failureOf(callTool(made.tools.write, { path: 'a.txt', content: 'x' }))).toMatch(
      /changed since/,
    )
  })

  it('does not destroy a secret by writing what stood in its place', async () => {
    const content = 'password: [secret: known value]\nport: 81\n'
    expect(await failureOf(callTool(made.tools.write, { path: 'config.yaml', content }))).toMatch(
      /stands in the place of a secret/,
    )
    await callTool(made.tools.edit, {
      path: 'config.yaml',
      oldText: 'port: 80',
      newText: 'port: 81',
    })
    expect(textOf('config.yaml')).toBe('password: swordfish-42\nport: 81\n')
  })
})

describe('edit', () => {
  const edit = (path: string, oldText: string, newText: string, all?: boolean) =>
    callTool(made.tools.edit, { path, oldText, newText, ...(all === undefined ? {} : { all }) })

  it('replaces a text that stands there once', async () => {
    expect((await edit('a.txt', 'two', 'zwei')).output).toBe('Changed a.txt in 1 place.')
    expect(textOf('a.txt')).toBe('one\nzwei\nthree\n')
  })

  it('takes texts as they are, also those that look like patterns', async () => {
    await edit('money.txt', 'cost: 5', "$& $1 $$ $' \\n .*")
    expect(textOf('money.txt')).toBe("$& $1 $$ $' \\n .*\n")
    expect(await failureOf(edit('a.txt', 't.o', 'x'))).toMatch(/does not stand in a\.txt/)
  })

  it('refuses a text that stands there more than once, and says where', async () => {
    expect(await failureOf(edit('twice.txt', 'x = 1', 'x = 3'))).toMatch(
      /stands in twice\.txt 2 times, at the lines 1, 3\./,
    )
    expect((await edit('twice.txt', 'x = 1', 'x = 3', true)).output).toBe(
      'Changed twice.txt in 2 places.',
    )
    expect(textOf('twice.txt')).toBe('x = 3\ny = 2\nx = 3\n')
  })

  it('finds lines in a file with other line ends, and keeps them', async () => {
    await edit('crlf.txt', 'one\ntwo', '1\n2')
    expect(textOf('crlf.txt')).toBe('1\r\n2\r\n')
  })

  it.each([
    ['the same text', 'one', 'one', /are the same/],
    ['a text that is not there', 'four', 'x', /does not stand/],
  ])('refuses %s', async (_name, oldText, newText, message) => {
    expect(await failureOf(edit('a.txt', oldText, newText))).toMatch(message)
  })
})
