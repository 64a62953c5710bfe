import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type AssentDatabase, openDatabase } from '@assent/node'
import { jsonSchema, tool } from 'ai'
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { scriptedModel, type ModelStep } from '../../node/test/scripted-model.ts'
import { createWorker, type Worker } from './create-worker.ts'
import type { TaskState } from './inbox.ts'
import { modelEngine } from './model-engine.ts'
import { sqliteStores, type SqliteStores } from './sqlite-stores.ts'
import { standingPermissions } from './standing-permissions.ts'

let database: AssentDatabase
let stores: SqliteStores
let worker: Worker
const written: string[] = []

beforeEach(() => {
  database = openDatabase(':memory:')
  stores = sqliteStores(database)
  written.length = 0
})

afterEach(async () => {
  await worker.stop({ graceMs: 0 })
  database.close()
})

const call = (id: string): ModelStep => [[id, 'write', { text: id }]]

function work(
  steps: readonly ModelStep[],
  before: (text: string) => Promise<void> | void = () => {},
): void {
  worker = createWorker({
    ...stores,
    createEngine: modelEngine({
      model: scriptedModel(steps),
      tools: {
        write: tool({
          inputSchema: jsonSchema<{ text: string }>({ type: 'object' }),
          async execute({ text }) {
            await before(text)
            written.push(text)
          },
        }),
      },
      toolOptions: { write: { summary: ({ text }) => `Write ${text}` } },
    }),
  })
  worker.start()
}

/** Resolves when a task is in a state; adds it before. */
async function until(id: string, state: TaskState): Promise<void> {
  const there = Promise.withResolvers<void>()
  const look = async () => {
    if ((await stores.inbox.get(id))?.state === state) there.resolve()
  }
  const stop = stores.inbox.subscribe(() => void look().catch(there.reject))
  await stores.inbox.add({ id, conversationId: 'c', input: id })
  await look()
  return there.promise.finally(stop)
}

async function giveAlways(id: string): Promise<void> {
  await until(id, 'parked')
  const always = { toolCallId: id, outcome: 'yes_always', scope: { covers: 'tool' } } as const
  await stores.inbox.answer(id, { decisions: [always], by: 'Ada' })
  await until(id, 'done')
}

it('what was allowed for always is listed, and asks again once it is taken back', async () => {
  work([call('one'), 'Done.', call('two'), 'Done.', call('three'), 'Done.'])
  const permissions = standingPermissions(stores)
  expect(await permissions.list('c')).toEqual([])
  await giveAlways('one')
  await until('two', 'done')
  const [given] = await permissions.list('c')
  expect(given).toMatchObject({
    toolName: 'write',
    scope: { covers: 'tool' },
    status: 'standing',
    summary: 'Write one',
    input: { text: 'one' },
    uses: 1,
  })
  const revocation = { conversationId: 'c', permissionId: given!.id, user: 'telegram:11' }
  expect(await permissions.revoke(revocation)).toBe('revoked')
  expect(await permissions.revoke(revocation)).toBe('unknown')
  expect((await permissions.list('c')).map(({ status }) => status)).toEqual(['revoked'])
  const [noted] = await stores.audit.query({ kind: 'decision', limit: 1 })
  expect(noted?.payload).toMatchObject({ revokes: given!.id, who: 'telegram:11' })
  await until('three', 'parked')
  expect(written).toEqual(['one', 'two'])
})

it('while somebody works on the conversation nothing is taken back, and it is told when that is over', async () => {
  work([call('one'), 'Done.'])
  const permissions = standingPermissions(stores)
  await giveAlways('one')
  const [given] = await permissions.list('c')
  const revocation = { conversationId: 'c', permissionId: given!.id, user: 'telegram:11' }
  const held = await stores.conversations.hold('c')
  expect(await permissions.revoke(revocation)).toBe('busy')
  const free = Promise.withResolvers<void>()
  const stop = permissions.onFree('c', free.resolve)
  await held?.release()
  await free.promise
  stop()
  expect(await permissions.revoke(revocation)).toBe('revoked')
})

it.each(['its own', 'another'])(
  'while a worker works on the conversation it asks about the next call, when %s process takes it back',
  async (process) => {
    const folder = mkdtempSync(join(tmpdir(), 'revoked-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const file = join(folder, 'worker.db')
    database = openDatabase(file)
    stores = sqliteStores(database)
    const other = openDatabase(file)
    onTestFinished(() => other.close())
    const teller = process === 'another' ? sqliteStores(other) : stores
    const begun = Promise.withResolvers<void>()
    const end = Promise.withResolvers<void>()
    work([call('one'), 'Done.', call('slow'), call('next'), 'Done.'], async (text) => {
      if (text !== 'slow') return
      begun.resolve()
      await end.promise
    })
    const permissions = standingPermissions(teller)
    await giveAlways('one')
    const [given] = await permissions.list('c')
    const revocation = { conversationId: 'c', permissionId: given!.id, user: 'telegram:11' }
    const parked = until('two', 'parked')
    await begun.promise
    expect(await permissions.revoke(revocation)).toBe('busy')
    // Another connection is heard when the database is looked at.
    const isHeard = async () =>
      (await permissions.list('c')).some(({ status }) => status === 'revoked')
    await vi.waitFor(async () => expect(await isHeard()).toBe(true), 10_000)
    end.resolve()
    await parked
    expect(written).toEqual(['one', 'slow'])
    expect(await permissions.revoke(revocation)).toBe('unknown')
    expect((await permissions.list('c')).map(({ status }) => status)).toEqual(['revoked'])
    const noted = await stores.audit.query({ kind: 'decision', limit: 10 })
    expect(noted.map(({ payload }) => payload)).toContainEqual(
      expect.objectContaining({ revokes: given!.id, who: 'telegram:11' }),
    )
  },
)
