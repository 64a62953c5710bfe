import type { ToolPluginOptions } from '@assent/engine'
import { expect, expectTypeOf, test } from 'vitest'
import { createNotesWorkspace } from './notes.ts'
import { createToolOptions } from './tool-options.ts'
import { createWorkspaceTools, workspaceApproval, type WorkspaceTools } from './tools.ts'

const options = { toolCallId: 'c', messages: [], context: {} }

function start() {
  const workspace = createNotesWorkspace({
    seed: [
      { title: 'Launch', content: 'one\nthe LAUNCH is near' },
      { title: 'Trip', content: '- [x] packed' },
    ],
  })
  const toolOptions = createToolOptions({
    noteOf: workspace.find,
    backups: () => [
      { name: 'old', megabytes: 1 },
      { name: 'new', megabytes: 2 },
    ],
  })
  return { workspace, tools: createWorkspaceTools(workspace, { searchMs: 0 }), toolOptions }
}

test('each tool does to the workspace what it says', () => {
  const { workspace, tools } = start()
  expect(tools.list_notes.execute()).toEqual({
    notes: [
      { title: 'Launch', words: 5, done: false, archived: false },
      { title: 'Trip', words: 1, done: true, archived: false },
    ],
  })
  expect(tools.read_note.execute({ title: 'trip' })).toEqual({
    title: 'Trip',
    content: '- [x] packed',
    archived: false,
  })
  expect(tools.write_note.execute({ title: 'New', content: 'x' })).toEqual({
    title: 'New',
    content: 'x',
    created: true,
    revision: 1,
  })
  expect(tools.archive_note.execute({ title: 'Launch' })).toEqual({
    title: 'Launch',
    archived: true,
  })
  expect(tools.delete_note.execute({ title: 'Trip' })).toEqual({ deleted: 'Trip', remaining: 2 })
  expect(workspace.notes.value).toMatchObject([
    { title: 'Launch', archived: true },
    { title: 'New', content: 'x' },
  ])
})

test('the search shows how far it is, and stops when it is aborted', async () => {
  const { tools, workspace } = start()
  const seen = []
  for await (const output of tools.search_notes.execute({ query: 'Launch' }, options)) {
    seen.push([output.searched, output.total, output.matches.length])
  }
  expect(seen).toEqual([
    [0, 2, 0],
    [1, 2, 1],
    [2, 2, 1],
  ])

  const abort = new AbortController()
  const slow = createWorkspaceTools(workspace, { searchMs: 1e8 })
  const search = slow.search_notes.execute(
    { query: 'x' },
    { ...options, abortSignal: abort.signal },
  )
  await search.next()
  const waiting = search.next()
  const reason = new Error('enough')
  abort.abort(reason)
  await expect(waiting).rejects.toBe(reason)
})

test('the primes are all of them, in order, one a line', () => {
  const { list_primes } = start().tools
  expect(list_primes.execute({ below: 20 })).toBe('2\n3\n5\n7\n11\n13\n17\n19')
  // What a limit of 2,000 lines cuts: there are 5,133 primes below 50,000.
  expect(list_primes.execute({ below: 50_000 }).split('\n')).toHaveLength(5133)
})

test('the export fails and says why', () => {
  const { tools } = start()
  expect(() => tools.export_notes.execute({ target: 'Mars' })).toThrow(
    'this page has no connection to “Mars”',
  )
})

test('a question runs nowhere: the person’s answer is its output', () => {
  expect(start().tools.ask_user).not.toHaveProperty('execute')
})

test('every tool has a JSON Schema of type object, to be announced', () => {
  for (const { inputSchema } of Object.values(start().tools)) {
    const schema = inputSchema['~standard'].jsonSchema?.input({ target: 'draft-07' })
    expect(schema).toMatchObject({ type: 'object', properties: expect.any(Object) })
  }
})

test('what changes the workspace asks, and each tool has its words', () => {
  expect(Object.keys(workspaceApproval)).toEqual([
    'write_note',
    'archive_note',
    'delete_note',
    'export_notes',
  ])
  const { tools, toolOptions } = start()
  for (const name of Object.keys(tools)) expect(toolOptions).toHaveProperty(name)
  expect(toolOptions.delete_note.summary?.({ title: 'A' })).toBe('Delete the note “A” for good')
  expect(toolOptions.delete_note.risk).toBe('destroy')
  expect(toolOptions.send_report.summary?.({ to: 'Ada', subject: 'S', body: '' })).toBe(
    'Send the report “S” to Ada',
  )
})

test('what changes something shows what that is, from what is there at that moment', () => {
  const { toolOptions, workspace } = start()
  const write = (title: string) =>
    toolOptions.write_note.preview?.({ title, content: 'two' }, { toolCallId: 'x' })
  expect(write(' New ')).toEqual({ kind: 'diff', files: [{ path: 'New', after: 'two\n' }] })
  workspace.write('New', 'one')
  expect(write('new')).toEqual({
    kind: 'diff',
    files: [{ path: 'New', before: 'one\n', after: 'two\n' }],
  })
  expect(toolOptions.delete_note.preview?.({ title: 'new' }, { toolCallId: 'x' })).toEqual({
    kind: 'diff',
    files: [{ path: 'New', before: 'one\n' }],
  })
  // It will fail; until then the input says what was asked for.
  expect(toolOptions.delete_note.preview?.({ title: 'None' }, { toolCallId: 'x' })).toBeUndefined()
  expect(
    toolOptions.send_report.preview?.({ to: 'Ada', subject: 'S', body: 'B' }, { toolCallId: 'x' }),
  ).toEqual({
    kind: 'email',
    to: ['Ada'],
    subject: 'S',
    body: 'B',
  })
  expect(toolOptions.delete_backup.preview?.({ name: 'old' }, { toolCallId: 'x' })).toMatchObject({
    kind: 'table',
    rows: [
      ['old', 1, 'deleted'],
      ['new', 2, 'kept'],
    ],
  })
})

test('tools, approval and options are what the tool plugin takes', () => {
  type Options = ToolPluginOptions<WorkspaceTools>
  expectTypeOf(createWorkspaceTools).returns.toExtend<NonNullable<Options['tools']>>()
  expectTypeOf(workspaceApproval).toExtend<NonNullable<Options['toolApproval']>>()
  expectTypeOf(createToolOptions).returns.toExtend<NonNullable<Options['toolOptions']>>()
})
