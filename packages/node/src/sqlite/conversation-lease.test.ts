import { join } from 'node:path'
import { createMessageEngine, toolPlugin, type MessageEngine } from '@assent/engine'
import { storedConversations } from '@assent/engine/storage'
import { answer, callTools, scriptedTransport, untilState } from '@assent/engine/testing'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createScratch, type Scratch } from '../../test/scratch.ts'
import { holdConversation, type ConversationHold, type HoldOptions } from './conversation-lease.ts'
import { openDatabase, type AssentDatabase } from './open-database.ts'
import { sqliteStorage } from './sqlite-storage.ts'

let scratch: Scratch
const opened: AssentDatabase[] = []
const engines: MessageEngine[] = []

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'] })
  vi.setSystemTime(1_000_000)
  scratch = createScratch()
})

afterEach(() => {
  for (const engine of engines.splice(0)) engine.dispose()
  for (const database of opened.splice(0)) database.close()
  vi.useRealTimers()
  scratch.remove()
})

/** The database as one more process has it. */
function open(): AssentDatabase {
  const database = openDatabase(join(scratch.path, 'data.db'))
  opened.push(database)
  return database
}

async function hold(database: AssentDatabase, options?: HoldOptions): Promise<ConversationHold> {
  const held = await holdConversation(database, 'c', options)
  if (!held) throw new Error('It is held already.')
  return held
}

/** Lets time go on for a process that stands still: its timers do not run. */
function standStill(ms: number): void {
  vi.setSystemTime(Date.now() + ms)
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

describe('a conversation', () => {
  it('is held by one at a time, also within a process', async () => {
    const [one, other] = [open(), open()]
    const held = await hold(one, { owner: 'one' })
    expect(held).toMatchObject({ conversationId: 'c', owner: 'one', epoch: 1, isTakenOver: false })
    expect(await holdConversation(other, 'c')).toBeUndefined()
    expect(await holdConversation(one, 'c', { owner: 'one' })).toBeUndefined()
    expect(await holdConversation(other, 'another')).toMatchObject({ epoch: 1 })
    await held.release()
    expect(await hold(other)).toMatchObject({ epoch: 2, isTakenOver: false })
    expect(held.lost.aborted).toBe(false)
  })

  it('stays held as long as its process runs', async () => {
    const held = await hold(open())
    const other = open()
    for (let minute = 0; minute < 10; minute++) {
      vi.advanceTimersByTime(60_000)
      expect(await holdConversation(other, 'c')).toBeUndefined()
    }
    expect(held.lost.aborted).toBe(false)
    await held.release()
    expect(vi.getTimerCount()).toBe(0)
  })

  it('is taken over from one that stood still, which learns of it', async () => {
    const held = await hold(open(), { leaseMs: 900 })
    const other = open()
    standStill(899)
    expect(await holdConversation(other, 'c')).toBeUndefined()
    standStill(1)
    expect(await hold(other)).toMatchObject({ epoch: 2, isTakenOver: true })
    expect(held.lost.aborted).toBe(false)
    vi.advanceTimersByTime(300)
    expect(held.lost.aborted).toBe(true)
    expect(held.lost.reason).toMatchObject({ code: 'hold_lost' })
    expect(() => held.check()).toThrow(expect.objectContaining({ code: 'hold_lost' }))
  })

  it('stays held by one that stood still for long, while nobody wanted it', async () => {
    const held = await hold(open(), { leaseMs: 900 })
    standStill(5_000)
    held.check()
    vi.advanceTimersByTime(300)
    expect(await holdConversation(open(), 'c')).toBeUndefined()
    expect(held.lost.aborted).toBe(false)
  })

  it('is given up by one whose database fails, once another could have it', async () => {
    const database = open()
    const held = await hold(database, { leaseMs: 900 })
    vi.spyOn(database, 'transaction').mockImplementation(() => {
      throw new Error('The disk is gone.')
    })
    vi.advanceTimersByTime(600)
    expect(held.lost.aborted).toBe(false)
    vi.advanceTimersByTime(300)
    expect(held.lost.aborted).toBe(true)
  })

  it('is lost when its database is closed', async () => {
    const database = open()
    const held = await hold(database)
    database.close()
    expect(held.lost.aborted).toBe(true)
    await expect(held.release()).resolves.toBeUndefined()
    expect(vi.getTimerCount()).toBe(0)
  })

  it('is not taken over by a release that comes late', async () => {
    const held = await hold(open(), { leaseMs: 900 })
    standStill(900)
    const other = open()
    const theirs = await hold(other)
    await held.release()
    theirs.check()
    expect(await holdConversation(open(), 'c')).toBeUndefined()
  })

  it('is never named like another one', async () => {
    const database = open()
    const names = ['\ud83d', '\udc69', '\ufffd', '__proto__', '', "'", 'a\0b', 'a']
    for (const name of names) {
      expect(await holdConversation(database, name)).toMatchObject({ epoch: 1 })
    }
  })

  it('is not held for no time', async () => {
    for (const leaseMs of [0, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
      const held = holdConversation(open(), 'c', { leaseMs })
      await expect(held).rejects.toMatchObject({ code: 'invalid_argument' })
    }
  })
})

describe('what a holder writes', () => {
  it('is what the next one goes on with', async () => {
    const database = open()
    const held = await hold(database)
    const { engine, effects } = converse(held, [
      callTools({ toolCallId: '1', toolName: 'write', input: {} }),
      answer('done'),
    ])
    await engine.sendMessage('go')
    expect(effects).toEqual(['1'])
    engine.dispose()
    await held.release()
    const next = converse(await hold(open()), [answer('again')])
    await next.engine.ready
    expect(next.engine.getState().messages).toEqual(engine.getState().messages)
  })

  it('is complete when it lets go in the tick in which its engine was disposed', async () => {
    const held = await hold(open())
    const { engine } = converse(held, [answer('done')])
    await engine.sendMessage('go')
    engine.setDraft('composer', 'half a sen')
    engine.dispose()
    await held.release()
    const next = converse(await hold(open()), [])
    await next.engine.ready
    expect(next.engine.getState().drafts).toMatchObject([{ value: 'half a sen' }])
  })

  it('is refused in the same transaction once another one holds it', async () => {
    const held = await hold(open(), { leaseMs: 900 })
    const { engine, effects } = converse(held, [
      answer('first'),
      callTools({ toolCallId: '1', toolName: 'write', input: {} }),
      answer('done'),
    ])
    await engine.sendMessage('go')
    const before = await sqliteStorage(open()).read('conversation/c')
    standStill(900)
    await hold(open())
    // Its timer has not run yet: only the transaction knows.
    expect(held.lost.aborted).toBe(false)
    void engine.sendMessage('late')
    await untilState(engine, ({ requestState }) => requestState === 'processing')
    await vi.waitFor(() => expect(held.lost.aborted).toBe(true))
    expect(await sqliteStorage(open()).read('conversation/c')).toEqual(before)
    await untilState(engine, ({ error }) => error?.code === 'taken_over')
    // What the other one has is shown: nothing of this one's is in it.
    await untilState(engine, ({ messages }) => messages.length === 2)
    expect(effects).toEqual([])
  })

  it('is refused after it let go', async () => {
    const held = await hold(open())
    const { engine } = converse(held, [answer('first'), answer('second')])
    await engine.sendMessage('go')
    await held.release()
    const before = await sqliteStorage(open()).read('conversation/c')
    await engine.sendMessage('late')
    expect(await sqliteStorage(open()).read('conversation/c')).toEqual(before)
    expect(() => held.check()).toThrow(expect.objectContaining({ code: 'hold_lost' }))
  })

  it('is of its own conversation only', async () => {
    const held = await hold(open())
    expect(() =>
      createMessageEngine({ id: 'd', storage: held.storage, transport: scriptedTransport([]) }),
    ).toThrow(expect.objectContaining({ code: 'invalid_argument' }))
  })

  it('is that of its owner, and only for an engine of that owner', async () => {
    const database = open()
    const held = await hold(database, { conversationOwner: 'ada' })
    const make = (owner?: string) =>
      createMessageEngine({
        id: 'c',
        ...(owner !== undefined && { owner }),
        storage: held.storage,
        transport: scriptedTransport([answer('Hello, Ada.')]),
      })
    for (const owner of [undefined, 'bob']) {
      expect(() => make(owner)).toThrow(expect.objectContaining({ code: 'invalid_argument' }))
    }
    const engine = make('ada')
    await engine.sendMessage('go')
    const list = (owner: string) => storedConversations(sqliteStorage(database), { owner }).list()
    expect(await list('ada')).toMatchObject([{ id: 'c' }])
    expect(await list('bob')).toEqual([])
    // Another one of the same id is not held by that.
    expect(await holdConversation(database, 'c')).toBeDefined()
  })

  it('is listed like any other', async () => {
    const database = open()
    const { engine } = converse(await hold(database), [answer('done')])
    await engine.sendMessage('go')
    expect(await storedConversations(sqliteStorage(database)).list()).toMatchObject([{ id: 'c' }])
  })
})
