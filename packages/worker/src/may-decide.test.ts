import { answer, callTools } from '@assent/engine/testing'
import { auditLog } from '@assent/node'
import type { JSONValue } from 'ai'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { isAfterCalls, noting, setStage, type WorkerStage } from '../test/worker-stage.ts'
import { createAdminHandler } from './admin/create-admin-handler.ts'
import type { MayDecideTask, TaskDecisionAsked } from './may-decide.ts'
import { readTaskWaiting } from './task-waiting.ts'

let stage: WorkerStage
let ran = 0

beforeEach(() => {
  ran = 0
  vi.useFakeTimers({
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'],
  })
  stage = setStage({
    tools: { pay: noting(() => ran++) },
    toolApproval: () => 'user-approval',
    model: (request) =>
      isAfterCalls(request)
        ? answer('over')
        : callTools([{ toolCallId: 'c', toolName: 'pay', input: { amount: 3 } }]),
  })
})

afterEach(async () => {
  await stage.close()
  vi.useRealTimers()
})

const onlyBob: MayDecideTask = ({ user }) => user === 'bob'

async function askUntilParked(mayDecide: MayDecideTask): Promise<void> {
  await stage.ask('one')
  stage.work({ mayDecide })
  await stage.until('parked', 'one')
}

async function refused() {
  return readTaskWaiting((await stage.task('one')).waitingFor)?.refused ?? []
}

/** Gives an answer, and waits until the task waits again. */
async function answerInVain(given: JSONValue) {
  await stage.inbox.answer('one', given)
  await stage.until('parked', 'one')
  return refused()
}

describe('mayDecide of a worker', () => {
  it('lets who may decide, who is noted, and asks about nobody else', async () => {
    const asked: TaskDecisionAsked[] = []
    await askUntilParked((question) => {
      asked.push(question)
      return onlyBob(question)
    })
    await stage.inbox.answer('one', { decisions: [{ toolCallId: 'c' }], by: 'Bob', user: 'bob' })
    await stage.until('done', 'one')
    expect(ran).toBe(1)
    expect(asked).toHaveLength(1)
    expect(asked[0]).toMatchObject({
      user: 'bob',
      task: { id: 'one' },
      call: { toolName: 'pay', input: { amount: 3 } },
      outcome: 'yes',
    })
    const [decision] = await auditLog(stage.database).query({ kind: 'decision' })
    expect(decision?.payload['who']).toBe('Bob')
  })

  it('gives a copy of what waits: changing it changes nothing', async () => {
    const calls: unknown[] = []
    await askUntilParked((question) => {
      calls.push(structuredClone(question.call.input))
      Object.assign(question.call, { toolName: 'other' })
      Object.assign(question.call.input as object, { amount: 666 })
      Object.assign(question.task, { id: 'other', answers: [] })
      return true
    })
    await stage.inbox.answer('one', { decisions: [{ toolCallId: 'c' }], by: 'Bob' })
    await stage.until('done', 'one')
    expect([ran, calls]).toEqual([1, [{ amount: 3 }]])
  })

  it.each<JSONValue>([
    { decisions: [{ toolCallId: 'c' }], by: 'eve' },
    { decisions: [{ toolCallId: 'c', outcome: 'no' }], by: 'eve' },
    { decisions: [{ toolCallId: 'c', outcome: 'yes_always' }], by: 'eve' },
    { decisions: [{ toolCallId: 'c', step: 7, messageId: 'x', fingerprint: 'y' }], by: 'eve' },
    { outputs: [{ toolCallId: 'c', output: 1 }], by: 'eve' },
    // A name is no user.
    { decisions: [{ toolCallId: 'c' }], by: 'bob', user: 'eve' },
    { decisions: [{ toolCallId: 'c' }] },
  ])('refuses %j, says so, and waits on for who may', async (given) => {
    await askUntilParked(onlyBob)
    expect(await answerInVain(given)).toMatchObject([
      {
        code: 'may_not_decide',
        message: expect.stringContaining('You may not decide about pay.'),
      },
    ])
    expect(ran).toBe(0)
    await stage.inbox.answer('one', { decisions: [{ toolCallId: 'c' }], by: 'bob' })
    await stage.until('done', 'one')
    expect(ran).toBe(1)
    const [decision] = await auditLog(stage.database).query({ kind: 'decision' })
    expect(decision?.payload['who']).toBe('bob')
  })

  it.each<[string, MayDecideTask]>([
    ['throws', () => Promise.reject(new Error('The directory is gone.'))],
    ['never answers', () => new Promise(() => undefined)],
    ['answers what is not true', vi.fn<MayDecideTask>().mockReturnValue(Object('yes'))],
  ])('refuses when it %s', async (_, mayDecide) => {
    await askUntilParked(mayDecide)
    const given = { decisions: [{ toolCallId: 'c' }], by: 'bob' }
    expect(await answerInVain(given)).toMatchObject([{ code: 'may_not_decide', by: 'bob' }])
    expect(ran).toBe(0)
  })
})

describe('mayDecide of the admin handler', () => {
  const post = (handle: (request: Request) => Promise<Response>, user: string, body: object) =>
    handle(
      new Request('http://here/api/admin/tasks/one/answer', {
        method: 'POST',
        headers: { 'x-user': user, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    )

  it('refuses at once, whoever a request says that it is, and takes what may be taken', async () => {
    await askUntilParked(onlyBob)
    const { stores } = stage
    const authorize = ({ headers }: Request) => headers.get('x-user')
    const handle = createAdminHandler({ ...stores, authorize, mayDecide: onlyBob })
    const forged = { decisions: [{ toolCallId: 'c' }], by: 'bob', user: 'bob' }
    const response = await post(handle, 'eve', forged)
    expect([response.status, await response.json()]).toMatchObject([
      403,
      { error: { code: 'may-not-decide', message: expect.stringContaining('it still waits') } },
    ])
    expect(await stage.task('one')).toMatchObject({ state: 'parked', answers: [] })

    // A handler that does not ask hands it to the worker, which does.
    const lax = createAdminHandler({ ...stores, authorize })
    expect((await post(lax, 'eve', forged)).status).toBe(200)
    await stage.untilTrue(async () => (await refused()).length > 0)
    expect(await refused()).toMatchObject([{ code: 'may_not_decide', by: 'eve' }])
    expect(ran).toBe(0)

    expect((await post(handle, 'bob', { decisions: [{ toolCallId: 'c' }] })).status).toBe(200)
    await stage.until('done', 'one')
    expect(ran).toBe(1)
  })
})
