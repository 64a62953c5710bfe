import { expect, test } from 'vitest'
import { callCli } from '../../test/run-cli.ts'

const run = (...args: string[]) => callCli(args)

test('names what it does, and each command its options', async () => {
  for (const args of [[], ['--help'], ['help']]) {
    expect(await run(...args)).toMatchObject({ code: 0, stderr: '' })
  }
  expect((await run('--help')).stdout).toMatch(/audit verify .*\n.*tasks list /s)
  expect((await run('tasks', '--help')).stdout).not.toContain('audit verify')
  const { code, stdout } = await run('tasks', 'replay', '--help')
  expect(code).toBe(0)
  expect(stdout).toMatch(/^assent-worker tasks replay \[options\] <id>… \| --all-dead\n/)
  expect(stdout).toContain('--all-dead ')
})

test.for([
  [['audit'], 'audit what? Try audit list,'],
  [['nonsense', '--json'], 'There is no command nonsense --json.'],
  [['audit', 'list', '--nonsense'], '--nonsense'],
  [['audit', 'list', 'nonsense'], '"nonsense" makes no sense here'],
  [['audit', 'list', '--limit', '1001'], 'a whole number from 1 to 1000'],
  [['audit', 'list', '--limit'], 'See assent-worker audit list --help.'],
  [['audit', 'list', '--status', 'gone'], 'queued, running, done, failed'],
  [['audit', 'list', '--since', 'soon'], '--since is "soon"'],
  [['audit', 'verify', '--head', '7'], '--head is a number'],
  [['tasks', 'list', '--state', 'dead,gone'], '--state is "gone"'],
  [['tasks', 'replay'], 'Name the tasks'],
  [['tasks', 'replay', 't1', '--all-dead'], 'Name the tasks'],
  [['tasks', 'show'], 'Give the id of one task'],
] as const)('refuses what makes no sense, and says what does: %j', async ([args, words]) => {
  const { code, stdout, stderr } = await run(...args)
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toContain(words)
})

test('takes stores or a database, and says what is wrong with a module of stores', async () => {
  const both = await run('tasks', 'count', '--stores', 'a.js', '--database', 'a.db')
  expect([both.code, both.stderr]).toEqual([2, 'Give --database or --stores, not both.\n'])
  const missing = await run('tasks', 'count', '--stores', 'nothing.js')
  expect([missing.code, missing.stderr]).toEqual([
    3,
    'There is no module at nothing.js; name it with --stores.\n',
  ])
  const none = await run('tasks', 'count', '--stores', import.meta.filename.replace('.test', ''))
  expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('exports no stores')])
})

test('says where it looked for a database', async () => {
  expect(await run('tasks', 'count')).toEqual({
    code: 3,
    stdout: '',
    stderr: 'There is no database at /nonexistent/assent.db; name it with --database.\n',
  })
  const { stderr } = await run('tasks', 'count', '--json', '--database', 'a\u202eb.db')
  expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'not_found' } })
})
