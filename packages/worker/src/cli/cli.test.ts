import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { auditLog, openDatabase } from '@assent/node'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { fillDatabase } from '../../test/cli-database.ts'
import { callCli, spawnCli, startCli } from '../../test/run-cli.ts'
import { createScratch } from '../../../node/test/scratch.ts'
import { healthRecords } from '../health-records.ts'
import { sqliteInbox } from '../sqlite-inbox.ts'
import { sqliteStores } from '../sqlite-stores.ts'

// A process of its own takes its time to start where much else runs.
vi.setConfig({ testTimeout: 60_000 })

const scratch = createScratch()
const file = join(scratch.path, 'assent.db')
const on = (...args: string[]) => callCli([...args, '--database', file])
const json = async (...args: string[]): Promise<unknown> => {
  const { stdout } = await on(...args, '--json')
  return JSON.parse(stdout)
}

beforeAll(async () => {
  const database = await fillDatabase(file)
  database.close()
})
afterAll(() => scratch.remove())

test('lists the replies that did not go out', async () => {
  const path = join(scratch.path, 'undelivered.db')
  const database = openDatabase(path)
  const { replies } = sqliteStores(database, { now: () => Date.parse('2026-11-20T10:00:00Z') })
  const claim = { task: { id: 'late', conversationId: 'c9' }, epoch: 1 }
  await replies.record(claim, { text: 'Done', message: undefined })
  await replies.begin(claim)
  const error = { code: 'reply_failed', message: 'No network.' }
  await replies.fail(claim, { error, isUnsent: true }, 60_000)
  database.close()
  const list = (...args: string[]) => callCli(['tasks', 'undelivered', '--database', path, ...args])
  expect((await list()).stdout).toMatch(/late .*10:00.* 1 .*reply_failed: No network\./)
  expect(JSON.parse((await list('--json')).stdout)).toMatchObject([{ taskId: 'late', failures: 1 }])
  expect((await on('tasks', 'undelivered')).stdout).toBe('Every reply went out.\n')
})

test('says how channels are, and when one has been silent for long', async () => {
  const path = join(scratch.path, 'channels.db')
  const database = openDatabase(path)
  const show = (...args: string[]) => callCli(['channels', '--database', path, ...args])
  expect((await show()).stdout).toBe(
    'No channel has noted how it is; give it healthRecords(stores).\n',
  )
  const stores = sqliteStores(database)
  const well = { state: 'working', isWell: true, since: Date.parse('2026-11-20T10:00:00Z') }
  await healthRecords(stores).note('telegram:1', { ...well, lastSuccessAt: well.since })
  expect(await show()).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/telegram:1 +working +2026-11-20 10:00.* +2026-11-20 10:00/),
  })
  const failing = {
    ...well,
    state: 'failing',
    isWell: false,
    lastError: 'unreachable: No network.',
  }
  await healthRecords(stores).note('telegram:2', failing)
  expect(await show()).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/telegram:2 +failing .* never +unreachable: No network\./),
  })
  await healthRecords(stores, () => well.since).note('telegram:2', well)
  const { code, stdout } = await show('--json')
  database.close()
  expect(code).toBe(1)
  expect(JSON.parse(stdout)).toMatchObject([
    { name: 'telegram:1', isSilent: false },
    { name: 'telegram:2', isSilent: true },
  ])
})

describe('the audit', () => {
  test('is listed, narrowed to what is asked for, for people and for programs', async () => {
    const [all, decisions, calls] = await Promise.all([
      on('audit', 'list'),
      json('audit', 'list', '--kind', 'decision', '--conversation', 'c1', '--tool', 'write'),
      json('audit', 'calls', '--status', 'failed', '--until', '2026-11-21', '--text', 'LS'),
    ])
    expect(all).toMatchObject({ code: 0, stderr: '' })
    const lines = all.stdout.trimEnd().split('\n')
    expect(lines).toHaveLength(1 + 9)
    expect(lines[0]).toMatch(/^ *# +time +kind +tool +what +conversation +details$/)
    expect(lines[1]).toMatch(/ task +failed +c2 +It failed\.$/)
    expect(all.stdout).toMatch(/ decision +write +yes +c1 +by ada: go on$/m)
    expect(all.stdout).toMatch(/ refusal +read +outside +c1 +It is outside\.$/m)
    expect(all.stdout).toContain('ls ‹RLO›')
    expect(decisions).toMatchObject([{ kind: 'decision', payload: { outcome: 'yes', who: 'ada' } }])
    expect(calls).toMatchObject([{ toolName: 'bash', status: 'failed', outcome: 'timeout' }])
  })

  test.each([
    ['list', ['--json']],
    ['calls', ['--json']],
    ['export', []],
  ])('hides nothing from who looks at it as JSON: audit %s', async (command, more) => {
    const { stdout } = await on('audit', command, ...more)
    expect(stdout).toContain(String.raw`"ls \u202e"`)
    expect(stdout).not.toContain('\u202e')
  })

  test('is verified, and said to be broken where it is', async () => {
    const { code, stdout } = await on('audit', 'verify')
    expect(code).toBe(0)
    expect(stdout).toMatch(/^9 entries, chain valid\. Head: 9:[0-9a-f]{64}\n$/)

    const broken = join(scratch.path, 'broken.db')
    const database = await fillDatabase(broken)
    database.sqlite.exec(`DROP TRIGGER audit_entries_stay;
      UPDATE audit_entries SET body = replace(body, 'ada', 'eve') WHERE seq = 2`)
    database.close()
    const found = await spawnCli(['audit', 'verify', '--database', broken])
    expect(found).toMatchObject({ code: 1, stderr: '' })
    expect(found.stdout).toMatch(/^BROKEN at entry 2 \(changed\)/)
  })

  test('is exported whole, into a file or a pipe, and its lines are verified without it', async () => {
    const output = join(scratch.path, 'audit.jsonl')
    const [piped, written] = await Promise.all([
      spawnCli(['audit', 'export', '--database', file]),
      json('audit', 'export', '--output', output),
    ])
    expect(written).toEqual({ file: output, entries: 9 })
    expect(readFileSync(output, 'utf8')).toBe(piped.stdout)
    expect(
      piped.stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).seq),
    ).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9])

    writeFileSync(`${output}.eve`, piped.stdout.replace('ada', 'eve'))
    const [whole, changed] = await Promise.all([
      callCli(['audit', 'verify', '--jsonl', output, '--json']),
      callCli(['audit', 'verify', '--jsonl', `${output}.eve`]),
    ])
    expect(whole.code).toBe(0)
    expect(JSON.parse(whole.stdout)).toMatchObject({ valid: true, entries: 9 })
    expect(changed.code).toBe(1)
  })
})

test('a conversation is erased when that is meant, and the audit says so', async () => {
  const own = join(scratch.path, 'erased.db')
  const database = await fillDatabase(own)
  database.close()
  const cli = (...args: string[]) => callCli([...args, '--database', own])
  expect(await cli('erase', '--conversation', 'c1')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--yes'),
  })
  expect((await cli('erase', '--yes')).code).toBe(2)
  expect((await cli('erase', '--user', 'ada', '--owner', 'ada', '--yes')).code).toBe(2)
  expect((await cli('audit', 'list')).stdout).toContain('by ada: go on')
  const { stdout } = await cli('erase', '--conversation', 'c1', '--who', 'grace', '--yes')
  expect(stdout).toMatch(
    /^Erased: records 0, calls 0, tasks 1, messages 0, entries of the audit \d+\.\n$/,
  )
  const list = (await cli('audit', 'list')).stdout
  expect(list).toMatch(/ decision +write +yes +c1 +\(erased\)$/m)
  expect(list).toMatch(/ erasure +erased +c1 +entries [\d,-]+ by grace$/m)
  expect((await cli('tasks', 'show', 't1')).stdout).not.toContain('list the files')
  expect((await cli('audit', 'verify')).code).toBe(0)
})

test('a database is copied into a new file, which is looked into as any', async () => {
  const copy = join(scratch.path, 'copy.db')
  expect(await on('backup', copy)).toMatchObject({ code: 0, stderr: '' })
  expect((await callCli(['audit', 'verify', '--database', copy])).stdout).toMatch(/^9 entries/)
  expect(await on('backup', copy)).toMatchObject({ code: 3 })
  expect(await on('backup')).toMatchObject({ code: 2 })
})

describe('the tasks', () => {
  test('are listed, counted and shown, with what they wait for and why they failed', async () => {
    const [list, dead, counts, shown] = await Promise.all([
      on('tasks', 'list'),
      json('tasks', 'list', '--state', 'dead,failed'),
      json('tasks', 'count'),
      on('tasks', 'show', 't1'),
    ])
    expect(list.stdout).toMatch(
      /^t1 +parked .*list the files +waits for a decision: Write b\.txt$/m,
    )
    expect(list.stdout).toMatch(/^t2 +dead +1\/1 .*model_down: The model is gone\.$/m)
    expect(dead).toMatchObject([{ id: 't3' }, { id: 't2' }])
    expect(counts).toMatchObject({ parked: 1, dead: 2, queued: 0 })
    expect(shown.stdout).toContain('write (k4) waits for a decision\n  why    It changes a file.')
  })

  test('are replayed and discarded when they are dead, and only then', async () => {
    const own = join(scratch.path, 'changes.db')
    const database = await fillDatabase(own)
    database.close()
    const change = (...args: string[]) => callCli(['tasks', ...args, '--database', own, '--json'])
    const one = await change('discard', 't2', 't1', 'nobody')
    expect(one.code).toBe(1)
    expect(JSON.parse(one.stdout)).toEqual({
      discarded: ['t2'],
      refused: [
        { id: 't1', message: 'it is not dead: parked' },
        { id: 'nobody', message: 'there is no such task' },
      ],
    })
    expect(JSON.parse((await change('replay', '--all-dead')).stdout)).toEqual({
      replayed: ['t3'],
      refused: [],
    })
    expect(JSON.parse((await change('count')).stdout)).toMatchObject({
      queued: 1,
      dead: 0,
      failed: 1,
      parked: 1,
    })
  })
})

describe('a task that waits', () => {
  const path = (name: string) => join(scratch.path, `${name}.db`)
  const fill = async (name: string) => {
    const database = await fillDatabase(path(name))
    return sqliteInbox(database)
  }
  const run = (name: string, ...args: string[]) =>
    callCli(['tasks', ...args, '--database', path(name)], { USER: 'grace' })

  test('is answered: approved, or denied with a reason, by name', async () => {
    const inbox = await fill('answering')
    expect(await run('answering', 'answer', 't1')).toMatchObject({ code: 2 })
    expect(await run('answering', 'answer', 't1', '--output', 'x')).toMatchObject({ code: 2 })
    expect(await run('answering', 'answer', 't1', '--approve', '--call', 'k9')).toMatchObject({
      code: 1,
    })
    const denied = ['answer', 't1', '--deny', '--reason', 'not today']
    expect(await run('answering', ...denied)).toMatchObject({
      code: 0,
      stdout: 'denied  t1  write (k4)\n',
    })
    expect((await inbox.get('t1'))?.answers).toMatchObject([
      {
        decisions: [{ toolCallId: 'k4', outcome: 'no', reason: 'not today' }],
        by: 'grace (command line)',
        user: 'cli:grace',
      },
    ])
    // It waits no longer.
    expect(await run('answering', 'answer', 't1', '--approve')).toMatchObject({ code: 1 })
  })

  test('is aborted, and what is over is not', async () => {
    const inbox = await fill('aborting')
    expect(await run('aborting', 'abort', 't1', 't2', '--by', 'ada')).toMatchObject({
      code: 1,
      stdout: 'aborted  t1\nnot aborted  t2  (it is over: dead)\n',
    })
    expect((await inbox.get('t1'))?.answers).toEqual([
      { abort: {}, by: 'ada (command line)', user: 'cli:ada' },
    ])
  })

  test('with a big input is shown without the content of its files, and in part', async () => {
    const inbox = await fill('big')
    const url = `data:audio/ogg;base64,${'A'.repeat(4_000_000)}`
    const file = { type: 'file', mediaType: 'audio/ogg', url }
    const input = [{ type: 'text', text: 'w'.repeat(50_000) }, file]
    await inbox.add({ id: 'big', conversationId: 'c9', input })
    const shown = await run('big', 'show', 'big')
    expect(shown.stdout).toContain('more characters; --json has them)')
    for (const args of [['show', 'big'], ['show', 'big', '--json'], ['list'], ['list', '--json']]) {
      expect((await run('big', ...args)).stdout.length).toBeLessThan(70_000)
    }
  })
})

describe('a command', () => {
  test('copies no file in the place of stores that it cannot copy', async () => {
    const copy = join(scratch.path, 'no-copy.db')
    for (const call of [
      callCli(['backup', copy, '--stores', 'stores.js']),
      callCli(['backup', copy], { ASSENT_STORES: 'stores.js' }),
    ]) {
      expect(await call).toMatchObject({ code: 2, stderr: expect.stringContaining('pg_dump') })
    }
    expect(existsSync(copy)).toBe(false)
  })

  test('says that its options come after it', async () => {
    expect(await callCli(['--database', 'a.db', 'tasks', 'count'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Options come after the command'),
    })
  })

  test('makes no database where there is none, and takes none that is not its own', async () => {
    const cwd = join(scratch.path, 'empty')
    mkdirSync(cwd)
    const foreign = join(scratch.path, 'foreign.db')
    writeFileSync(foreign, 'not a database at all, only text that is long enough to be read')
    const [missing, other] = await Promise.all([
      spawnCli(['tasks', 'count', '--json'], { cwd }),
      callCli(['tasks', 'count', '--json'], { ASSENT_DATABASE: foreign }),
    ])
    expect(missing.code).toBe(3)
    expect(JSON.parse(missing.stderr)).toMatchObject({ error: { code: 'not_found' } })
    expect(JSON.parse(other.stderr)).toMatchObject({ error: { code: 'database_unreadable' } })
  })

  test('reads a file while another process writes into it', async () => {
    const own = join(scratch.path, 'busy.db')
    const database = await fillDatabase(own)
    const audit = auditLog(database)
    let count = 0
    const writing = setInterval(() => {
      audit.recordTask({ taskId: 'busy', phase: 'model', message: `${count++}` })
    }, 1)
    const verified = await spawnCli(['audit', 'verify', '--json', '--database', own])
    clearInterval(writing)
    database.close()
    expect(count).toBeGreaterThan(0)
    expect(verified).toMatchObject({ code: 0, stderr: '' })
    expect(JSON.parse(verified.stdout)).toMatchObject({ valid: true })
  })
})

test('serves the same on this machine to whoever has the token, until it is told to end', async () => {
  const own = join(scratch.path, 'served.db')
  const database = await fillDatabase(own)
  database.close()
  const served = startCli(['serve', '--database', own])
  const [, url = ''] = /Serving (\S+)/.exec(await served.line()) ?? []
  const [, token = ''] = /Bearer (\S+)/.exec(await served.line()) ?? []
  const headers = { authorization: `Bearer ${token}` }
  const ask = async (path: string, init?: RequestInit) => {
    const response = await fetch(`${url}/${path}`, { headers, ...init })
    return { status: response.status, body: await response.json() }
  }

  expect(await ask('tasks', { headers: {} })).toMatchObject({ status: 401 })
  expect(await ask('tasks?state=dead')).toMatchObject({
    status: 200,
    body: { tasks: [{ id: 't3' }, { id: 't2' }], counts: { dead: 2, parked: 1 } },
  })
  const post = {
    method: 'POST',
    body: '{}',
    headers: { ...headers, 'content-type': 'application/json' },
  }
  expect(await ask('tasks/t2/replay', post)).toMatchObject({ body: { task: { state: 'queued' } } })
  expect(await served.end('SIGTERM')).toBe(0)
  const after = openDatabase(own)
  expect(after.sqlite.prepare(`SELECT state FROM tasks WHERE id = 't2'`).get()).toEqual({
    state: 'queued',
  })
  after.close()
})
