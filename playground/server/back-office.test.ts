import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { openBackOffice, type BackOffice } from './back-office.ts'
import { createDemoModel } from './demo-model.ts'

const opened: (() => unknown)[] = []
afterEach(async () => {
  for (const end of opened.splice(0).toReversed()) await end()
})

function open(env: Record<string, string> = {}): BackOffice {
  const office = openBackOffice({
    model: createDemoModel({ speed: 1_000 }),
    env: { TASK_RETRY_BASE_MS: '1', ...env },
    onError: () => undefined,
  })
  opened.push(() => office.close())
  return office
}

async function ask(office: BackOffice, path: string, body?: unknown) {
  const response = await office.admin(
    new Request(`http://here/api/admin/${path}`, {
      headers: { 'x-playground-user': 'ada', 'content-type': 'application/json' },
      ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
    }),
  )
  return response.json()
}

async function untilState(office: BackOffice, id: string, state: string) {
  return vi.waitFor(
    async () => {
      const { task, entries } = await ask(office, `tasks/${id}`)
      expect(task.state).toBe(state)
      return { task, entries }
    },
    { timeout: 10_000 },
  )
}

test('works off a task, and notes its way', async () => {
  const office = open()
  await ask(office, 'tasks', { id: 't', conversationId: 'c', input: 'List the files' })
  const { entries } = await untilState(office, 't', 'done')
  const { calls } = await ask(office, 'audit/calls?task=t')
  expect(calls).toMatchObject([{ toolName: 'glob', status: 'done' }])
  expect(calls[0].output).toContain('launch/checklist.md')
  expect(entries.map(({ payload }: { payload: { phase: string } }) => payload.phase)).toEqual(
    expect.arrayContaining(['ingress', 'model', 'tool', 'reply', 'done']),
  )
  expect(await ask(office, 'audit/verification')).toMatchObject({ valid: true })
})

test('waits with what changes a file until somebody has decided', async () => {
  const office = open()
  const input = 'Write a file called “a.txt” saying “hello”'
  await ask(office, 'tasks', { id: 't', conversationId: 'c', input })
  const { task } = await untilState(office, 't', 'parked')
  const [call] = task.waitingFor.calls
  expect(call).toMatchObject({ toolName: 'write', risk: 'write', summary: expect.any(String) })

  const { messageId, step, toolCallId } = call
  await ask(office, 'tasks/t/answer', {
    decisions: [{ messageId, step, toolCallId, outcome: 'yes' }],
  })
  await untilState(office, 't', 'done')
  const { entries } = await ask(office, 'audit/entries?kind=decision')
  expect(entries).toMatchObject([{ payload: { outcome: 'yes', who: 'ada', taskId: 't' } }])
  await ask(office, 'tasks', { id: 'u', conversationId: 'c', input: 'Read the file “a.txt”' })
  await untilState(office, 'u', 'done')
  expect((await ask(office, 'audit/calls?task=u')).calls[0].output).toContain('hello')
})

test('waits for a model that is overloaded, and counts no attempt', async () => {
  const office = open()
  const input = 'Be overloaded 4 times, then list the files'
  await ask(office, 'tasks', { id: 't', conversationId: 'c', input })
  const { task } = await untilState(office, 't', 'done')
  expect(task).toMatchObject({ attempts: 1 })
})

test('gives up after three times when the model is broken, and goes on when told to', async () => {
  const office = open()
  const input = 'Be broken 4 times, then list the files'
  await ask(office, 'tasks', { id: 't', conversationId: 'c', input })
  const { task } = await untilState(office, 't', 'dead')
  expect(task).toMatchObject({
    attempts: 3,
    error: { message: expect.stringContaining('broken') },
  })
  await ask(office, 'tasks/t/replay', {})
  await untilState(office, 't', 'done')
})

test('has everything again after a restart, when it is to be kept', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'assent-kept-'))
  opened.push(() => rmSync(folder, { recursive: true }))
  const env = { ASSENT_DATABASE: join(folder, 'kept.db') }
  const before = open(env)
  await ask(before, 'tasks', { id: 't', conversationId: 'c', input: 'List the files' })
  await untilState(before, 't', 'done')
  await before.close()
  opened.pop()
  expect(await ask(open(env), 'tasks/t')).toMatchObject({ task: { state: 'done' } })
})
