import { createMessageEngine, toolPlugin, type MessageEngine } from '@assent/engine'
import { storedConversations } from '@assent/engine/storage'
import { answer, callTools, scriptedTransport, untilState } from '@assent/engine/testing'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/test-database.ts'
import { openPostgres, type AssentPostgres } from '../open-postgres.ts'
import { holdConversation, type ConversationHold, type HoldOptions } from './conversation-lease.ts'
import { postgresStorage } from './postgres-storage.ts'

const START = 1_700_000_000_000

let test: TestDatabase
let one: AssentPostgres
let other: AssentPostgres
let now = START
const engines: MessageEngine[] = []
const holds: ConversationHold[] = []

beforeAll(async () => {
  test = await createTestDatabase()
  one = await test.open()
  other = await test.open()
})

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] })
  await setClock(START)
})

afterEach(async () => {
  for (const engine of engines.splice(0)) engine.dispose()
  await Promise.all(holds.splice(0).map((each) => each.release()))
  vi.useRealTimers()
  await test.empty()
})

afterAll(() => test.end())

async function setClock(at: number): Promise<void> {
  now = at
  await test.setClock(at)
}

async function tryHold(
  database: AssentPostgres,
  options?: HoldOptions,
  id = 'c',
): Promise<ConversationHold | undefined> {
  const held = await holdConversation(database, id, options)
  if (held) holds.push(held)
  return held
}

async function hold(database: AssentPostgres, options?: HoldOptions): Promise<ConversationHold> {
  const held = await tryHold(database, options)
  if (!held) throw new Error('It is held already.')
  return held
}

/** Lets time go on for a process that stands still: its timers do not run. */
const standStill = (ms: number): Promise<void> => setClock(now + ms)

/** Lets time go on, and the timers run that it brings; what they ask the database is answered. */
async function goOn(ms: number): Promise<void> {
  await setClock(now + ms)
  const asked = vi.spyOn(one, 'query')
  vi.advanceTimersByTime(ms)
  await Promise.allSettled(asked.mock.results.map(({ value }) => value))
  asked.mockRestore()
}

function converse(held: ConversationHold, ...script: Parameters<typeof scriptedTransport>) {
  const effects: string[] = []
  const engine = createMessageEngine({
    id: 'c',
    storage: held.storage,
    transport: scriptedTransport(...script),
    plugins: [
      toolPlugin({
        durable: 'required',
        defaultApproval: 'approved',
        callTool: ({ toolCallId }) => effects.push(toolCallId),
      }),
    ],
    onError: () => undefined,
  })
  engines.push(engine)
  return { engine, effects }
}

const LOST = { code: 'hold_lost' }

describe('a conversation', () => {
  it('is held by one at a time, also within a process', async () => {
    const held = await hold(one, { owner: 'one' })
    expect(held).toMatchObject({ conversationId: 'c', owner: 'one', epoch: 1, isTakenOver: false })
    expect(await tryHold(other)).toBeUndefined()
    expect(await tryHold(one, { owner: 'one' })).toBeUndefined()
    expect(await tryHold(other, {}, 'another')).toMatchObject({ epoch: 1 })
    await held.release()
    expect(await hold(other)).toMatchObject({ epoch: 2, isTakenOver: false })
    expect(held.lost.aborted).toBe(false)
  })

  it('is given to one of many who ask at once', async () => {
    const asked = Array.from({ length: 20 }, (_, index) => tryHold(index % 2 ? one : other))
    const given = (await Promise.all(asked)).filter((each) => each !== undefined)
    expect(given).toMatchObject([{ epoch: 1 }])
  })

  it('stays held as long as its process runs', async () => {
    const held = await hold(one)
    for (let time = 0; time < 20; time++) {
      await goOn(5_000)
      expect(await tryHold(other)).toBeUndefined()
    }
    expect(held.lost.aborted).toBe(false)
    await held.release()
    expect(vi.getTimerCount()).toBe(0)
  })

  it('is taken over from one that stood still, which learns of it', async () => {
    const held = await hold(one, { leaseMs: 900 })
    await standStill(899)
    expect(await tryHold(other)).toBeUndefined()
    await standStill(1)
    expect(await hold(other)).toMatchObject({ epoch: 2, isTakenOver: true })
    expect(held.lost.aborted).toBe(false)
    await goOn(300)
    await vi.waitFor(() => expect(held.lost.aborted).toBe(true))
    expect(held.lost.reason).toMatchObject(LOST)
    await expect(held.check()).rejects.toMatchObject(LOST)
  })

  it('stays held by one that stood still for long, while nobody wanted it', async () => {
    const held = await hold(one, { leaseMs: 900 })
    await standStill(5_000)
    await held.check()
    await goOn(300)
    expect(await tryHold(other)).toBeUndefined()
    expect(held.lost.aborted).toBe(false)
  })

  it('is given up by one whose database does not answer, before another could have it', async () => {
    const database = await test.open({ maxConnections: 1 })
    const held = await hold(database, { leaseMs: 900 })
    // Its only connection is in use, and stays so.
    const client = await database.pool.connect()
    vi.advanceTimersByTime(300)
    expect(held.lost.aborted).toBe(false)
    vi.advanceTimersByTime(300)
    expect(held.lost.aborted).toBe(true)
    client.release()
  })

  it('is lost when its database is closed', async () => {
    const database = await openPostgres({ url: test.url })
    const held = await hold(database)
    await database.close()
    expect(held.lost.aborted).toBe(true)
    await expect(held.release()).resolves.toBeUndefined()
    expect(vi.getTimerCount()).toBe(0)
  })

  it('is not taken over by a release that comes late', async () => {
    const held = await hold(one, { leaseMs: 900 })
    await standStill(900)
    const theirs = await hold(other)
    await held.release()
    await theirs.check()
    expect(await tryHold(one)).toBeUndefined()
  })

  it('is not taken over until a transaction that has checked it is over', async () => {
    const held = await hold(one, { leaseMs: 900 })
    await standStill(900)
    const order: string[] = []
    let taking: Promise<unknown> | undefined
    await one.transaction(async (client) => {
      await held.check(client)
      taking = hold(other).then(() => order.push('taken over'))
      // It waits for the row: PostgreSQL says so.
      await vi.waitFor(async () => {
        const { rows } = await test.client.query(
          "select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like '%assent.leases%'",
        )
        expect(rows).toHaveLength(1)
      })
      order.push('written')
    })
    await taking
    expect(order).toEqual(['written', 'taken over'])
    await expect(one.transaction((client) => held.check(client))).rejects.toMatchObject(LOST)
  })

  it('is never named like another one', async () => {
    const names = ['\ud83d', '\udc69', '\ufffd', '__proto__', '', "'", 'a\0b', 'a']
    for (const name of names) expect(await tryHold(one, {}, name)).toMatchObject({ epoch: 1 })
  })

  it('is not held for no time', async () => {
    for (const leaseMs of [0, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
      const held = holdConversation(one, 'c', { leaseMs })
      await expect(held).rejects.toMatchObject({ code: 'invalid_argument' })
    }
  })
})

describe('what a holder writes', () => {
  it('is what the next one goes on with', async () => {
    const held = await hold(one)
    const { engine, effects } = converse(held, [
      callTools({ toolCallId: '1', toolName: 'write', input: {} }),
      answer('done'),
    ])
    await engine.sendMessage('go')
    expect(effects).toEqual(['1'])
    engine.dispose()
    await held.release()
    const next = converse(await hold(other), [answer('again')])
    await next.engine.ready
    expect(next.engine.getState().messages).toEqual(engine.getState().messages)
  })

  it('is complete when it lets go in the tick in which its engine was disposed', async () => {
    const held = await hold(one)
    const { engine } = converse(held, [answer('done')])
    await engine.sendMessage('go')
    engine.setDraft('composer', 'half a sen')
    engine.dispose()
    await held.release()
    const next = converse(await hold(other), [])
    await next.engine.ready
    expect(next.engine.getState().drafts).toMatchObject([{ value: 'half a sen' }])
  })

  it('is refused in the same transaction once another one holds it', async () => {
    const held = await hold(one, { leaseMs: 900 })
    const { engine, effects } = converse(held, [
      answer('first'),
      callTools({ toolCallId: '1', toolName: 'write', input: {} }),
      answer('done'),
    ])
    await engine.sendMessage('go')
    const before = await postgresStorage(one).read('conversation/c')
    await standStill(900)
    await hold(other)
    // Its timer has not run yet: only the transaction knows.
    expect(held.lost.aborted).toBe(false)
    void engine.sendMessage('late')
    await vi.waitFor(() => expect(held.lost.aborted).toBe(true))
    expect(await postgresStorage(one).read('conversation/c')).toEqual(before)
    await untilState(engine, ({ error }) => error?.code === 'taken_over')
    // What the other one has is shown: nothing of this one's is in it.
    await untilState(engine, ({ messages }) => messages.length === 2)
    expect(effects).toEqual([])
  })

  it('is refused after it let go', async () => {
    const held = await hold(one)
    const { engine } = converse(held, [answer('first'), answer('second')])
    await engine.sendMessage('go')
    await held.release()
    const before = await postgresStorage(one).read('conversation/c')
    await engine.sendMessage('late')
    expect(await postgresStorage(one).read('conversation/c')).toEqual(before)
    await expect(held.check()).rejects.toMatchObject(LOST)
  })

  it('is that of its owner, and only for an engine of that owner and that id', async () => {
    const held = await hold(one, { conversationOwner: 'ada' })
    const make = (owner?: string, id = 'c') =>
      createMessageEngine({
        id,
        ...(owner !== undefined && { owner }),
        storage: held.storage,
        transport: scriptedTransport([answer('Hello, Ada.')]),
      })
    const refused = expect.objectContaining({ code: 'invalid_argument' })
    for (const owner of [undefined, 'bob']) expect(() => make(owner)).toThrow(refused)
    expect(() => make('ada', 'd')).toThrow(refused)
    const engine = make('ada')
    engines.push(engine)
    await engine.sendMessage('go')
    const list = (owner: string) => storedConversations(postgresStorage(one), { owner }).list()
    expect(await list('ada')).toMatchObject([{ id: 'c' }])
    expect(await list('bob')).toEqual([])
    // Another one of the same id is not held by that.
    expect(await tryHold(one)).toBeDefined()
  })
})
