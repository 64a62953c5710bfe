import { join } from 'node:path'
import { type AssentDatabase, auditLog, openDatabase } from '@assent/node'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { fillDatabase } from '../../test/cli-database.ts'
import { createScratch, type Scratch } from '../../../node/test/scratch.ts'
import { sqliteInbox } from '../sqlite-inbox.ts'
import { sqliteStores } from '../sqlite-stores.ts'
import { createAdminHandler } from './create-admin-handler.ts'

let scratch: Scratch
let database: AssentDatabase
let handle: (request: Request) => Promise<Response>

beforeEach(async () => {
  scratch = createScratch()
  database = await fillDatabase(join(scratch.path, 'assent.db'))
  handle = createAdminHandler({
    ...sqliteStores(database),
    authorize: ({ headers }) => headers.get('x-user'),
  })
})
afterEach(() => {
  database.close()
  scratch.remove()
})

function send(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = { 'x-user': 'ada', 'content-type': 'application/json', ...init.headers }
  return handle(new Request(`http://here/api/admin/${path}`, { ...init, headers }))
}
async function ask(path: string, body?: unknown) {
  const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }
  const response = await send(path, init)
  return { status: response.status, body: await response.json() }
}

describe('the audit', () => {
  test('is read by any of its fields', async () => {
    expect(
      await ask('audit/entries?kind=decision&conversation=c1&tool=write&text=ADA'),
    ).toMatchObject({
      body: { entries: [{ kind: 'decision', payload: { who: 'ada' } }] },
    })
    expect(await ask('audit/calls?status=failed&limit=1')).toMatchObject({
      body: { calls: [{ toolName: 'bash', outcome: 'timeout' }] },
    })
    expect(await ask('audit/calls?outcome=timeout')).toMatchObject({
      body: { calls: [{ toolName: 'bash', outcome: 'timeout' }] },
    })
    expect(await ask('audit/calls?outcome=denied')).toMatchObject({ body: { calls: [] } })
    expect(await ask('audit/calls?outcome=gone')).toMatchObject({ status: 400 })
    expect(await ask('audit/entries?before=2&tool=&since=')).toMatchObject({
      body: { entries: [{ seq: 1 }] },
    })
  })

  test.each(['entries', 'calls', 'export'])('hides nothing in its JSON: %s', async (path) => {
    const response = await send(`audit/${path}`)
    const text = await response.text()
    expect(response.headers.get('content-type')).toMatch(/^application\/jsonl?/)
    expect(text).toContain(String.raw`"ls \u202e"`)
    expect(text).not.toContain('\u202e')
  })

  test('is verified, and exported as it was hashed', async () => {
    const { body } = await ask('audit/verification')
    expect(body).toMatchObject({ valid: true, entries: 9 })
    const exported = await send('audit/export?kind=task')
    expect(exported.headers.get('content-type')).toMatch(/^application\/jsonl/)
    expect(JSON.parse(await exported.text())).toMatchObject({ seq: 9, kind: 'task' })
    const other = await ask(`audit/verification?head=${body.head.seq}:${'0'.repeat(64)}`)
    expect(other).toMatchObject({ body: { valid: false, why: 'head', firstBad: 9 } })
  })
})

test('what was said is erased by who was let in, and the audit still valid', async () => {
  expect(await ask('erasure', { conversationId: 'c1', user: 'x' })).toMatchObject({
    status: 400,
  })
  const { body } = await ask('erasure', { conversationId: 'c1' })
  expect(body.erased).toMatchObject({ tasks: 1, entries: expect.any(Number) })
  expect(body.erased.entries).toBeGreaterThan(3)
  expect(await ask('tasks/t1')).toMatchObject({ body: { task: { input: null } } })
  const { entries } = (await ask('audit/entries?conversation=c1')).body
  expect(entries[0]).toMatchObject({ kind: 'erasure', payload: { who: 'ada' } })
  expect(entries[1].erasedAt).toBeTypeOf('number')
  expect(await ask('audit/verification')).toMatchObject({ body: { valid: true } })
})

describe('tasks', () => {
  test('are listed with how many there are, shown and added', async () => {
    expect(await ask('tasks?state=dead&state=parked&limit=2')).toMatchObject({
      body: { tasks: [{ id: 't3' }, { id: 't2' }], counts: { dead: 2, parked: 1 } },
    })
    expect(await ask('tasks/t2')).toMatchObject({
      body: { task: { id: 't2' }, entries: [{ kind: 'task' }] },
    })
    const added = await ask('tasks', { id: 'a/b', conversationId: 'c9', input: 'hello' })
    expect(added).toMatchObject({ status: 201, body: { task: { id: 'a/b', state: 'queued' } } })
    expect(await ask(`tasks/${encodeURIComponent('a/b')}`)).toMatchObject({ status: 200 })
  })

  test('that are done tell which of their calls failed, and which a person denied', async () => {
    const inbox = sqliteInbox(database)
    const audit = auditLog(database)
    for (const id of ['t8', 't9']) {
      await inbox.add({ id, conversationId: id, input: 'run it' })
      const call = { taskId: id, conversationId: id, phase: 'failed' } as const
      audit.recordCall({ ...call, toolCallId: 'k1', toolName: 'write', outcome: 'denied' })
      if (id === 't8') continue
      audit.recordCall({
        ...call,
        toolCallId: 'k2',
        toolName: 'bash',
        outcome: 'error',
        error: 'a',
      })
      audit.recordCall({ ...call, toolCallId: 'k3', toolName: 'bash', outcome: 'interrupted' })
    }
    expect((await ask('tasks/t9')).body.task).not.toHaveProperty('failedCalls')
    for (const id of ['t8', 't9']) {
      const claim = await inbox.claim({ worker: 'w', leaseMs: 1_000_000 })
      expect(claim?.task.id).toBe(id)
      if (claim) await inbox.complete(claim)
    }
    const failedCalls = [
      { toolName: 'bash', outcome: 'error', error: 'a' },
      { toolName: 'bash', outcome: 'interrupted' },
    ]
    expect((await ask('tasks/t9')).body.task).toMatchObject({ state: 'done', failedCalls })
    const { body } = await ask('tasks?state=done')
    expect(body.tasks).toMatchObject([{ id: 't9', failedCalls }, { id: 't8' }])
    expect(body.tasks[1]).not.toHaveProperty('failedCalls')
    expect(body.tasks[1].deniedCalls).toMatchObject([{ toolName: 'write', outcome: 'denied' }])
  })

  test('are answered in the name of who was let in, whatever the answer says', async () => {
    const decisions = [{ toolCallId: 'k4', messageId: 'm2', step: 1, outcome: 'yes' }]
    const answered = await ask('tasks/t1/answer', { decisions, by: 'eve' })
    expect(answered).toMatchObject({
      status: 200,
      body: { task: { state: 'queued', answers: [{ decisions, by: 'ada' }] } },
    })
    expect(await ask('tasks/t2/answer', { decisions })).toMatchObject({ status: 409 })
    expect(await ask('tasks/t1/answer', { decision: 'yes' })).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid_answer' } },
    })
  })

  test('are replayed and discarded once they are dead', async () => {
    expect(await ask('tasks/t2/replay', {})).toMatchObject({ body: { task: { state: 'queued' } } })
    expect(await ask('tasks/t2/replay', {})).toMatchObject({ status: 409 })
    expect(await ask('tasks/t3/discard', {})).toMatchObject({ body: { task: { state: 'failed' } } })
    expect(await ask('tasks/nobody/discard', {})).toMatchObject({ status: 404 })
  })
})

describe('a request', () => {
  test('is refused to whoever is not let in', async () => {
    const response = await handle(new Request('http://here/api/admin/tasks'))
    expect(response.status).toBe(401)
  })

  test.for([
    ['tasks?state=gone', {}, 400],
    ['audit/entries?limit=-1', {}, 400],
    ['audit/verification?head=7', {}, 400],
    ['nothing', {}, 404],
    ['tasks/t1/answer/more', {}, 404],
    ['tasks/t1/answer', {}, 405],
    ['audit/entries', { method: 'POST' }, 405],
    ['tasks', { method: 'POST', body: '{' }, 400],
    ['tasks', { method: 'POST', body: '{"conversationId":"","input":"x"}' }, 400],
    [
      'tasks/t2/replay',
      { method: 'POST', body: '{}', headers: { 'content-type': 'text/plain' } },
      415,
    ],
    ['tasks', { method: 'POST', body: `"${'x'.repeat(1_000_001)}"` }, 413],
  ] as const)(
    'that makes no sense is refused, and changes nothing: %j',
    async ([path, init, status]) => {
      const before = auditLog(database).head()
      const response = await send(path, init)
      expect(response.status).toBe(status)
      expect(await response.json()).toMatchObject({
        error: { code: expect.any(String), message: expect.any(String) },
      })
      expect(auditLog(database).head()).toEqual(before)
      expect(await sqliteInbox(database).count()).toEqual(
        new Map([
          ['dead', 2],
          ['parked', 1],
        ]),
      )
    },
  )
})

test('tells soon after anything was written, by this connection or another one', async () => {
  const leaving = new AbortController()
  const { body } = await send('changes', { signal: leaving.signal })
  if (!body) throw new Error('There is no stream.')
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  // On a busy machine a sign of life may come in between.
  const isSignOfLife = (text: string | undefined) => text?.startsWith(':') ?? false
  const read = async () => {
    let result = await reader.read()
    while (isSignOfLife(result.value)) result = await reader.read()
    return result
  }
  const next = async () => (await read()).value ?? ''
  expect(await next()).toContain('event: change')

  await auditLog(database).recordTask({ taskId: 't9', phase: 'model', message: 'by this one' })
  expect(await next()).toBe('event: change\ndata: {}\n\n')
  const other = openDatabase(database.path)
  await auditLog(other).recordTask({ taskId: 't9', phase: 'model', message: 'by another one' })
  await other.close()
  expect(await next()).toBe('event: change\ndata: {}\n\n')
  leaving.abort()
  expect(await read()).toMatchObject({ done: true })
})
