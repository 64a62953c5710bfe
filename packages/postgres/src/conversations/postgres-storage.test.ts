import { createMessageEngine, toolPlugin } from '@assent/engine'
import { clearOwner, storedConversations, type ConversationStorage } from '@assent/engine/storage'
import {
  answer,
  callTools,
  scriptedTransport,
  storageConformance,
  untilState,
} from '@assent/engine/testing'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { startNode } from '../../../node/test/node-process.ts'
import { createTestDatabase, type TestDatabase } from '../../test/test-database.ts'
import type { AssentPostgres } from '../open-postgres.ts'
import { postgresStorage } from './postgres-storage.ts'

const isDeep = process.env['ASSENT_DEEP'] === '1'

let test: TestDatabase
let one: AssentPostgres
let other: AssentPostgres

beforeAll(async () => {
  test = await createTestDatabase()
  one = await test.open()
  other = await test.open()
})

afterEach(() => test.empty())

afterAll(() => test.end())

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

describe('postgresStorage', () => {
  it.each(storageConformance())('$name', async ({ run }) => {
    const made = run(async () => ({
      storage: postgresStorage(one),
      reopen: async () => postgresStorage(other),
      beside: async () => postgresStorage(other),
    }))
    await expect(made).resolves.toBeUndefined()
  })
})

describe.runIf(isDeep)('two adapters of one open database, in turn', () => {
  it.each(storageConformance())('$name', async ({ run }) => {
    const made = run(async () => ({ storage: inTurn(postgresStorage(one), postgresStorage(one)) }))
    await expect(made).resolves.toBeUndefined()
  })
})

describe('a store in PostgreSQL', () => {
  it('can be read by plain SQL', async () => {
    const put = new Map([['title', { text: 'Hello' }]])
    await postgresStorage(one).write('conversation/a b', { put })
    const { rows } = await test.client.query(
      "select namespace, key, value ->> 'text' as text from assent.records",
    )
    expect(rows).toEqual([{ namespace: 'conversation/a b', key: 'title', text: 'Hello' }])
  })

  it('gives values back byte for byte, in their order, with what jsonb refuses', async () => {
    const value = { z: '\u0000 \ud83d', a: [1e21, -0.5, 5e-324, '\u2028'], 7: null }
    const storage = postgresStorage(one)
    await storage.write('a', { put: new Map([['x', value]]) })
    const read = (await postgresStorage(other).read('a')).get('x')
    expect(JSON.stringify(read)).toBe(JSON.stringify(value))
  })

  it('lists by a number beside which there is what SQL cannot look into', async () => {
    const storage = postgresStorage(one)
    for (const [name, at] of [
      ['a', 1],
      ['b', 3],
      ['c', 2],
    ] as const) {
      await storage.write(name, { put: new Map([['about', { title: '\u0000\ud83d', at }]]) })
    }
    const listed = await storage.list('about', { by: 'at', limit: 2 })
    expect([...listed.keys()]).toEqual(['b', 'c'])
  })

  it('refuses a name that is too long to be found again', async () => {
    const name = Array.from({ length: 4_000 }, (_, index) =>
      String.fromCodePoint(0x4e00 + ((index * 7919) % 20_000)),
    ).join('')
    const put = new Map([['x', 1]])
    const written = postgresStorage(one).write(name, { put })
    await expect(written).rejects.toMatchObject({ code: 'invalid_argument' })
  })

  it('syncs a strict write, and lets a relaxed one be', async () => {
    const levels: string[] = []
    await test.client.query(
      `create function note_level() returns trigger language plpgsql as $$ begin
         new.value := to_json(current_setting('synchronous_commit')); return new; end $$;
       create trigger note_level before insert or update on assent.records
         for each row execute function note_level()`,
    )
    const storage = postgresStorage(one)
    for (const durability of ['strict', undefined, 'relaxed', 'strict'] as const) {
      await storage.write('a', { put: new Map([['x', 1]]) }, { durability })
      levels.push(String((await storage.read('a')).get('x')))
    }
    await test.client.query('drop function note_level cascade')
    expect(levels).toEqual(['on', 'off', 'off', 'on'])
  })

  it('lets others have their turns while a long conversation is read', async () => {
    const storage = postgresStorage(await test.open())
    const many = Array.from({ length: 10_000 }, (_, index) => [`k/${index}`, { index }] as const)
    await storage.write('long', { put: new Map(many) })
    let turns = 0
    const turn = (): void => {
      turns++
      waiting = setImmediate(turn)
    }
    let waiting = setImmediate(turn)
    const found = await storage.read('long')
    clearImmediate(waiting)
    expect(new Map(found)).toEqual(new Map(many))
    expect(turns).toBeGreaterThan(15)
  })

  it('rejects everything once its database is closed', async () => {
    const database = await test.open()
    const storage = postgresStorage(database)
    await database.close()
    const put = new Map([['x', 1]])
    const closed = { code: 'database_closed' }
    await expect(storage.read('a')).rejects.toMatchObject(closed)
    await expect(storage.write('a', { put })).rejects.toMatchObject(closed)
    await expect(storage.list('a')).rejects.toMatchObject(closed)
    await expect(storage.remove('a')).rejects.toMatchObject(closed)
  })

  it('writes whole what two write at once with the same keys in another order', async () => {
    const keys = Array.from({ length: 40 }, (_, index) => `k${index}`)
    const write = (storage: ConversationStorage, names: string[], value: number) =>
      storage.write('a', { put: new Map(names.map((name) => [name, value])) })
    for (let round = 0; round < 10; round++) {
      await Promise.all([
        write(postgresStorage(one), keys, 1),
        write(postgresStorage(other), keys.toReversed(), 2),
      ])
      const values = new Set((await postgresStorage(one).read('a')).values())
      expect(values.size).toBe(1)
    }
  })

  it('takes away what belongs to an owner', async () => {
    const storage = postgresStorage(one)
    const converse = async (owner: string): Promise<void> => {
      const engine = createMessageEngine({
        id: 'c',
        owner,
        storage,
        transport: scriptedTransport([answer('Hello.')]),
      })
      await engine.sendMessage('go')
      await engine.flush()
      engine.dispose()
    }
    await converse('ada')
    await converse('bob')
    await clearOwner(postgresStorage(other), 'ada')
    const list = (owner: string) => storedConversations(storage, { owner }).list()
    expect(await list('ada')).toEqual([])
    expect(await list('bob')).toMatchObject([{ id: 'c' }])
  })

  it('is one with other processes, also when all of them make it at once', async () => {
    const bare = await createTestDatabase('template0')
    const fixture = new URL('../../test/storage-process.fixture.ts', import.meta.url).pathname
    const processes = [1, 2, 3].map(() => startNode(fixture, bare.url))
    try {
      await Promise.all(processes.map(async (each) => expect(await each.line()).toBe('open')))
      const rounds = Array.from({ length: 30 }, async (_, index) => {
        const each = processes[index % 3]!
        each.say(`write a k${index} ${index}`)
        expect(await each.line()).toBe('written')
      })
      await Promise.all(rounds)
      const expected = new Map(Array.from({ length: 30 }, (_, index) => [`k${index}`, index]))
      expect(await postgresStorage(await bare.open()).read('a')).toEqual(expected)
      for (const each of processes) {
        each.say('read a')
        expect(new Map(JSON.parse(await each.line()))).toEqual(expected)
      }
    } finally {
      for (const each of processes) each.kill()
      await Promise.all(processes.map(({ ended }) => ended))
      await bare.end()
    }
  })

  it('finds what it reads and lists by an index, however much there is', async () => {
    await test.client.query(
      `insert into assent.records (namespace, key, value)
       select 'n' || n, 'k' || k, '1' from generate_series(1, 2000) n, generate_series(1, 5) k`,
    )
    await test.client.query('analyze assent.records')
    const planOf = async (where: string): Promise<string> => {
      const { rows } = await test.client.query<{ 'QUERY PLAN': string }>(
        `explain select value from assent.records where ${where}`,
      )
      return rows.map((row) => row['QUERY PLAN']).join('\n')
    }
    expect(await planOf("namespace = 'n7' order by key limit 3")).toMatch(/Index .*records_pkey/)
    expect(
      await planOf("key = 'k1' and namespace >= 'n7' and namespace < 'n8' order by namespace"),
    ).toMatch(/Index .*records_by_key/)
  })
})

describe('what is allowed everywhere', () => {
  /** A conversation as a process has it: with connections of its own. */
  function converse(database: AssentPostgres, id: string) {
    const effects: string[] = []
    const engine = createMessageEngine({
      id,
      storage: postgresStorage(database),
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

  it('settles what waits in another process, and is heard of when it is taken back', async () => {
    const here = converse(one, 'here')
    const there = converse(other, 'there')
    await here.engine.sendMessage('go')
    await there.engine.sendMessage('go')
    await there.engine.runPluginCommand('tool', 'resumeToolCall', {
      toolCallId: '1',
      outcome: 'yes_always',
      scope: { covers: 'tool', where: 'everywhere' },
    })
    await untilState(here.engine, ({ requestState }) => requestState === 'completed')
    expect(here.effects).toEqual(['1'])

    const conversations = storedConversations(postgresStorage(other))
    const [policy] = await conversations.everywhere()
    await conversations.revokeEverywhere(policy!.id)
    await untilState(here.engine, ({ confirmations }) =>
      confirmations.some((record) => 'revokes' in record),
    )
    expect(await here.engine.sendMessage('again')).toMatchObject({ requestState: 'paused' })
    here.engine.dispose()
    there.engine.dispose()
  })
})
