import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { answered, callsOf } from '../../test/asking-server.ts'
import { answerByPlan } from '../../test/chat-kills/plans.ts'
import { openWorld, type World } from '../../test/kills/world.ts'
import { startNode, type NodeProcess } from '../../test/node-process.ts'
import { rawChat, userMessage } from '../../test/raw-chat.ts'
import { createScratch, type Scratch } from '../../test/scratch.ts'
import { openDatabase, type AssentDatabase } from '../sqlite/open-database.ts'

const FIXTURE = join(import.meta.dirname, '../../test/chat-kills/server-process.fixture.ts')
/** What the fixture takes for it. */
const LEASE_MS = 1_000

let scratch: Scratch
let world: World
let database: AssentDatabase
const processes: NodeProcess[] = []

beforeEach(async () => {
  scratch = createScratch()
  world = await openWorld(answerByPlan)
  database = openDatabase(join(scratch.path, 'data.db'))
})

afterEach(async () => {
  for (const { kill } of processes) kill()
  await Promise.all(processes.splice(0).map(({ ended }) => ended))
  database.close()
  await world.close()
  scratch.remove()
})

/** A server in a process of its own, on the database that all of them have. */
async function startServer(name: string) {
  const server = startNode(FIXTURE, join(scratch.path, 'data.db'), world.url, name)
  processes.push(server)
  await server.line()
  server.say('serve')
  return { ...server, chat: rawChat(`${await server.line()}/api/chat`) }
}

/** Has the effect of one call take place, and its result wait until it is let go. */
function holdResultOf(key: string) {
  const begun = Promise.withResolvers<void>()
  const end = Promise.withResolvers<void>()
  world.onMoment = (moment, _name, sent) => {
    if (moment !== 'after-effect' || sent !== key) return undefined
    begun.resolve()
    return end.promise
  }
  return { begun: begun.promise, end: end.resolve }
}

const rowOf = (table: string, column: string) =>
  database.sqlite.prepare(`SELECT ${column} FROM ${table}`).get()?.[column]

/** Resolves when a second answer of the conversation has begun. */
async function untilTaken(first: unknown) {
  await expect.poll(() => rowOf('latest_answer', 'answer_id'), { timeout: 30_000 }).not.toBe(first)
}

// Two steps, and nobody is asked about a call of theirs.
const question = [userMessage('alone k1')]

describe('two servers on one database', () => {
  test('wait for the run of each other for as long as it goes on, and answer with its outcome', async () => {
    const [first, second] = await Promise.all([startServer('first'), startServer('second')])
    const held = holdResultOf('k1-0-note')
    const left = await first.chat.post(question)
    await held.begun
    const answerId = rowOf('latest_answer', 'answer_id')
    const leaseUntil = Number(rowOf('approval_ledger', 'lease_until'))
    const waiting = second.chat.post(question)
    await untilTaken(answerId)
    // Longer than one lease: whoever runs it says that it goes on.
    await expect
      .poll(() => Number(rowOf('approval_ledger', 'lease_until')), { timeout: 30_000 })
      .toBeGreaterThan(leaseUntil + LEASE_MS)
    held.end()
    const calls = callsOf(await answered(question, await waiting))
    expect(calls).toMatchObject([
      { toolCallId: 'call-k1-0-note', output: 'done: k1-0-note' },
      { toolCallId: 'call-k1-1-look', output: 'done: k1-1-look' },
    ])
    // What the first goes on with, it does not run.
    expect(await left.text()).toContain('Another request of this conversation')
    expect([...world.effects]).toEqual([
      ['k1-0-note', 1],
      ['k1-1-look', 1],
    ])
  })

  test('say that nobody knows once whoever ran it is gone, and do not run it again', async () => {
    const [first, second] = await Promise.all([startServer('first'), startServer('second')])
    const held = holdResultOf('k1-0-note')
    const left = first.chat.post(question).then((response) => response.text())
    left.catch(() => undefined)
    await held.begun
    const answerId = rowOf('latest_answer', 'answer_id')
    const waiting = second.chat.post(question)
    await untilTaken(answerId)
    first.kill()
    const calls = callsOf(await answered(question, await waiting))
    expect(Date.now()).toBeGreaterThan(Number(rowOf('approval_ledger', 'min(lease_until)')))
    expect(calls).toMatchObject([
      {
        toolCallId: 'call-k1-0-note',
        state: 'output-error',
        errorText: expect.stringContaining('may have taken effect'),
      },
      { toolCallId: 'call-k1-1-look', output: 'done: k1-1-look' },
    ])
    expect([...world.effects]).toEqual([
      ['k1-0-note', 1],
      ['k1-1-look', 1],
    ])
    held.end()
    await expect(left).rejects.toBeInstanceOf(Error)
  })

  test('do not run again what the other one has answered in full, for the same request and for another answer', async () => {
    const [first, second] = await Promise.all([startServer('first'), startServer('second')])
    const named = { body: { requestId: 'turn/1' } }
    const has = await answered(question, await first.chat.post(question, named))
    first.kill()
    const calls = [
      { toolCallId: 'call-k1-0-note', output: 'done: k1-0-note' },
      { toolCallId: 'call-k1-1-look', output: 'done: k1-1-look' },
    ]
    expect(callsOf(has)).toMatchObject(calls)
    for (const body of [named.body, { trigger: 'regenerate-message' }]) {
      const again = await answered(question, await second.chat.post(question, { body }))
      expect(callsOf(again)).toMatchObject(calls)
    }
    expect([...world.effects]).toEqual([
      ['k1-0-note', 1],
      ['k1-1-look', 1],
    ])
  })
})
