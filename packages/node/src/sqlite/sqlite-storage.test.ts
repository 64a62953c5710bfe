import { join } from 'node:path'
import { createMessageEngine, toolPlugin } from '@assent/engine'
import { storedConversations, type ConversationStorage } from '@assent/engine/storage'
import {
  answer,
  callTools,
  scriptedTransport,
  storageConformance,
  untilState,
} from '@assent/engine/testing'
import { array, assert, constantFrom, nat, oneof, property } from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { startNode } from '../../test/node-process.ts'
import { createScratch, type Scratch } from '../../test/scratch.ts'
import { openDatabase, type AssentDatabase } from './open-database.ts'
import { decodeName, encodeName } from './names.ts'
import { sqliteStorage } from './sqlite-storage.ts'

let scratch: Scratch
const opened: AssentDatabase[] = []

beforeEach(() => {
  scratch = createScratch()
})

afterEach(() => {
  vi.useRealTimers()
  for (const database of opened.splice(0)) database.close()
  scratch.remove()
})

/** The file of a test, opened once more. */
function open(name = 'data.db'): AssentDatabase {
  const database = openDatabase(join(scratch.path, name))
  opened.push(database)
  return database
}

/** A store whose calls go to several connections in turn. */
function inTurn(...storages: ConversationStorage[]): ConversationStorage {
  let calls = 0
  const next = (): ConversationStorage => storages[calls++ % storages.length]!
  return {
    claims: 'store',
    read: (...call) => next().read(...call),
    write: (...call) => next().write(...call),
    remove: (...call) => next().remove(...call),
    removeAll: (prefix) => next().removeAll(prefix),
    list: (...call) => next().list(...call),
    fence: (namespace) => next().fence(namespace),
  }
}

describe('sqliteStorage', () => {
  it.each(storageConformance())('$name', async ({ run }) => {
    const made = run(async () => ({
      storage: sqliteStorage(open()),
      reopen: async () => sqliteStorage(open()),
      beside: async () => sqliteStorage(open()),
    }))
    await expect(made).resolves.toBeUndefined()
  })
})

describe('sqliteStorage in memory', () => {
  it.each(storageConformance())('$name', async ({ run }) => {
    const database = openDatabase(':memory:')
    opened.push(database)
    const made = run(async () => ({ storage: sqliteStorage(database) }))
    await expect(made).resolves.toBeUndefined()
  })
})

describe('sqliteStorage by three connections in turn', () => {
  it.each(storageConformance())('$name', async ({ run }) => {
    const made = run(async () => ({
      storage: inTurn(sqliteStorage(open()), sqliteStorage(open()), sqliteStorage(open())),
    }))
    await expect(made).resolves.toBeUndefined()
  })
})

describe('a store in SQLite', () => {
  it('can be read by plain SQL', async () => {
    const database = open()
    await sqliteStorage(database).write('conversation/a b', { put: new Map([['title', 'Hello']]) })
    const rows = database.sqlite.prepare('SELECT * FROM conversation_records').all()
    expect(rows).toEqual([{ namespace: 'conversation/a b', key: 'title', value: '"Hello"' }])
  })

  it('tells all names apart, and gives them back unit by unit', () => {
    const names = array(nat({ max: 0xff_ff }), { maxLength: 12 })
    const hostile = array(constantFrom(0, 0x5c, 0x75, 0x30, 0xd8_3d, 0xdc_69, 0x64, 0x38))
    assert(
      property(oneof(names, hostile), (units) => {
        const name = String.fromCharCode(...units)
        const stored = encodeName(name)
        expect(stored.isWellFormed()).toBe(true)
        expect(stored).not.toContain('\0')
        expect(decodeName(stored)).toBe(name)
      }),
      { numRuns: 2_000 },
    )
  })

  it('leaves out what somebody else has spoilt, and lists the rest', async () => {
    const database = open()
    const storage = sqliteStorage(database)
    await storage.write('a', {
      put: new Map([
        ['x', 1],
        ['y', 2],
      ]),
    })
    await storage.write('b', { put: new Map([['x', 3]]) })
    database.sqlite.exec(`UPDATE conversation_records SET value = '{"cut' WHERE value = '1'`)
    expect(await storage.read('a')).toEqual(new Map([['y', 2]]))
    expect(await storage.list('x')).toEqual(new Map([['b', 3]]))
  })

  it('refuses what is no JSON before anything of it is written', async () => {
    const storage = sqliteStorage(open())
    const put = new Map([
      ['x', 1],
      ['y', undefined as unknown as number],
    ])
    await expect(storage.write('a', { put })).rejects.toMatchObject({ code: 'invalid_argument' })
    expect(await storage.read('a')).toEqual(new Map())
  })

  /** Counts how often others have a turn until something is over. */
  async function turnsUntil(work: Promise<unknown>): Promise<number> {
    let turns = 0
    const turn = (): void => {
      turns++
      waiting = setImmediate(turn)
    }
    let waiting = setImmediate(turn)
    await work
    clearImmediate(waiting)
    return turns
  }

  it('lets others have their turns while a long conversation is read, and a long list', async () => {
    const storage = sqliteStorage(open())
    const many = Array.from({ length: 10_000 }, (_, index) => [`k/${index}`, { index }] as const)
    await storage.write('a', { put: new Map(many) }, { durability: 'relaxed' })
    const reading = storage.read('a')
    expect(await turnsUntil(reading)).toBeGreaterThan(15)
    expect(new Map(await reading)).toEqual(new Map(many))
    const long = Array.from(
      { length: 100 },
      (_, index) => [`k/${index}`, 'x'.repeat(50_000)] as const,
    )
    await storage.write('long', { put: new Map(long) })
    expect(await turnsUntil(storage.read('long'))).toBeGreaterThan(15)

    const database = open()
    await database.transaction(() => {
      const put = database.sqlite.prepare('INSERT INTO conversation_records VALUES (?, ?, ?)')
      for (let index = 0; index < 10_000; index++) put.run(`c/${index}`, 'about', `{"at":${index}}`)
    })
    expect(await turnsUntil(storage.list('about'))).toBeGreaterThan(15)
    const latest = await storage.list('about', { by: 'at', limit: 2 })
    expect([...latest.keys()]).toEqual(['c/9999', 'c/9998'])
  })

  it('lets others have their turns while many conversations are read one after the other', async () => {
    const storage = sqliteStorage(open())
    const text = 'x'.repeat(2_000)
    const put = new Map(Array.from({ length: 50 }, (_, index) => [`k/${index}`, text] as const))
    for (let index = 0; index < 20; index++) await storage.write(`${index}`, { put })
    const readAll = async () => {
      for (let round = 0; round < 1_000; round++) await storage.read(`${round % 20}`)
    }
    expect(await turnsUntil(readAll())).toBeGreaterThan(1)
  })

  it('reads what an earlier write may have left unreadable in a page, and what follows it', async () => {
    const database = open()
    const storage = sqliteStorage(database)
    for (const at of [1, 2, 3])
      await storage.write(`c/${at}`, { put: new Map([['about', { at }]]) })
    database.sqlite.exec(`UPDATE conversation_records SET value = '{"cut' WHERE namespace = 'c/3'`)
    const page = await storage.list('about', { by: 'at', limit: 2 })
    expect([...page.keys()]).toEqual(['c/2', 'c/1'])
  })

  it('syncs a strict write, and lets a relaxed one be', async () => {
    const database = open()
    const storage = sqliteStorage(database)
    const levels: unknown[] = []
    const { exec } = database.sqlite
    vi.spyOn(database.sqlite, 'exec').mockImplementation((sql) => {
      exec.call(database.sqlite, sql)
      if (sql === 'BEGIN IMMEDIATE') {
        levels.push(database.sqlite.prepare('PRAGMA synchronous').get()?.['synchronous'])
      }
    })
    const put = new Map([['x', 1]])
    await storage.write('a', { put }, { durability: 'strict' })
    await storage.write('a', { put })
    await storage.write('a', { put }, { durability: 'relaxed' })
    await storage.write('a', { put }, { durability: 'strict' })
    expect(levels).toEqual([2, 1, 1, 2])
  })

  it('rejects everything once its database is closed', async () => {
    const database = open()
    const storage = sqliteStorage(database)
    database.close()
    const put = new Map([['x', 1]])
    const closed = { code: 'database_closed' }
    await expect(storage.read('a')).rejects.toMatchObject(closed)
    await expect(storage.write('a', { put })).rejects.toMatchObject(closed)
    await expect(storage.list('a')).rejects.toMatchObject(closed)
    await expect(storage.remove('a')).rejects.toMatchObject(closed)
  })

  it(
    'is one with other processes on the file, also when all of them make it at once',
    { timeout: 60_000 },
    async () => {
      const path = join(scratch.path, 'data.db')
      const fixture = join(import.meta.dirname, '../../test/storage-process.fixture.ts')
      const processes = [1, 2, 3].map(() => startNode(fixture, path))
      try {
        await Promise.all(processes.map(async (one) => expect(await one.line()).toBe('open')))
        const rounds = Array.from({ length: 30 }, async (_, index) => {
          const one = processes[index % 3]!
          one.say(`write a k${index} ${index}`)
          expect(await one.line()).toBe('written')
        })
        await Promise.all(rounds)
        const expected = new Map(Array.from({ length: 30 }, (_, index) => [`k${index}`, index]))
        expect(await sqliteStorage(open()).read('a')).toEqual(expected)
        for (const one of processes) {
          one.say('read a')
          expect(new Map(JSON.parse(await one.line()))).toEqual(expected)
        }
      } finally {
        for (const one of processes) one.kill()
        await Promise.all(processes.map(({ ended }) => ended))
      }
    },
  )

  it('finds what it reads and lists by an index, however much there is', () => {
    const database = open()
    sqliteStorage(database)
    const planOf = (where: string) =>
      database.sqlite
        .prepare(`EXPLAIN QUERY PLAN SELECT * FROM conversation_records WHERE ${where} = ?`)
        .all('x')
        .map(({ detail }) => detail)
    expect(planOf('namespace')).toEqual([expect.stringMatching(/^SEARCH .* PRIMARY KEY/)])
    expect(planOf('key')).toEqual([expect.stringMatching(/^SEARCH .* INDEX .*_by_key/)])
  })
})

describe('what is allowed everywhere', () => {
  /** A conversation as a process has it: with a connection of its own. */
  function converse(database: AssentDatabase, id: string) {
    const effects: string[] = []
    const engine = createMessageEngine({
      id,
      storage: sqliteStorage(database),
      transport: scriptedTransport([
        callTools({ toolCallId: '1', toolName: 'write', input: {} }),
        answer('done'),
        callTools({ toolCallId: '2', toolName: 'write', input: {} }),
      ]),
      plugins: [
        toolPlugin({
          callTool: ({ toolCallId }) => effects.push(toolCallId),
          shouldPauseToolCall: () => true,
        }),
      ],
    })
    return { engine, effects }
  }

  it('settles what waits in another process, and is heard of when it is taken back there', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const here = converse(open(), 'here')
    const theirs = open()
    const there = converse(theirs, 'there')
    await here.engine.sendMessage('go')
    await there.engine.sendMessage('go')
    await there.engine.runPluginCommand('tool', 'resumeToolCall', {
      toolCallId: '1',
      outcome: 'yes_always',
      scope: { covers: 'tool', where: 'everywhere' },
    })
    expect(here.engine.getState().requestState).toBe('paused')
    vi.advanceTimersByTime(500)
    await untilState(here.engine, ({ requestState }) => requestState === 'completed')
    expect(here.effects).toEqual(['1'])

    const conversations = storedConversations(sqliteStorage(theirs))
    const [policy] = await conversations.everywhere()
    await conversations.revokeEverywhere(policy!.id)
    vi.advanceTimersByTime(500)
    await untilState(here.engine, ({ confirmations }) =>
      confirmations.some((record) => 'revokes' in record),
    )
    expect(await here.engine.sendMessage('again')).toMatchObject({ requestState: 'paused' })
    expect(vi.getTimerCount()).toBe(2)
    here.engine.dispose()
    there.engine.dispose()
    expect(vi.getTimerCount()).toBe(0)
  })

  it('is heard of at once within a process, whoever says it', async () => {
    const database = open()
    const here = converse(database, 'here')
    await here.engine.sendMessage('go')
    const there = converse(database, 'there')
    await there.engine.sendMessage('go')
    await there.engine.runPluginCommand('tool', 'resumeToolCall', {
      toolCallId: '1',
      outcome: 'yes_always',
      scope: { covers: 'tool', where: 'everywhere' },
    })
    await untilState(here.engine, ({ requestState }) => requestState === 'completed')
    expect(here.effects).toEqual(['1'])
    here.engine.dispose()
    there.engine.dispose()
  })
})
