import type { KeptStream, StreamStore, WrittenStream } from '@assent/node'
import { streamsConformance } from '@assent/node/testing'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/test-database.ts'
import type { AssentPostgres } from '../open-postgres.ts'
import { postgresStreams } from './postgres-streams.ts'

let test: TestDatabase
let databases: AssentPostgres[]
let here: StreamStore
let there: StreamStore
const told: unknown[] = []

beforeAll(async () => {
  test = await createTestDatabase()
})

beforeEach(async () => {
  told.length = 0
  const onError = (error: unknown): void => void told.push(error)
  databases = [await test.open({ onError }), await test.open({ onError })]
  const [one, other] = databases
  here = postgresStreams(one!, { onError })
  there = postgresStreams(other!, { onError })
})

afterEach(async () => {
  await test.close()
  await test.setClock(undefined)
  await test.empty()
})

afterAll(() => test.end())

const bytes = (text: string) => new TextEncoder().encode(text)

const readAll = (stream: KeptStream): Promise<string> => new Response(stream.read()).text()

async function open(store: StreamStore, key = 'a', requestId?: string): Promise<WrittenStream> {
  const stream = await store.open(key, requestId)
  if (!stream) throw new Error(`${key} is open.`)
  return stream
}

async function find(store: StreamStore, key = 'a'): Promise<KeptStream> {
  const stream = await store.find(key)
  if (!stream) throw new Error(`There is no ${key}.`)
  return stream
}

/** Lets the lease of all that is written run out, as that of a process that is gone. */
const lapse = () => test.client.query('update assent.streams set until = 0')

/** Resolves when so many parts are in the database. */
const untilParts = (count: number): Promise<void> =>
  vi.waitFor(
    async () => {
      const { rows } = await test.client.query('select 1 from assent.stream_events')
      expect(rows.length).toBeGreaterThanOrEqual(count)
    },
    { timeout: 10_000 },
  )

describe('a stream of two processes', () => {
  it.each(streamsConformance())('$name', async ({ run }) => {
    const made = run(async () => {
      let at = Date.now()
      await test.setClock(at)
      const advance = (ms: number): Promise<void> => test.setClock((at += ms))
      return { streams: here, other: there, advance }
    })
    await expect(made).resolves.toBeUndefined()
    expect(told).toEqual([])
  })

  it('counts as read from its first moment on, so that nobody takes it for left', async () => {
    const stream = await open(here)
    expect((await find(there)).readers).toBe(1)
    await stream.read().cancel()
    await vi.waitFor(async () => expect((await find(there)).readers).toBe(0))
  })

  it('goes on over cut connections, and is written once', async () => {
    const stream = await open(here)
    const reading = readAll(await find(there))
    let whole = ''
    for (let cut = 1; cut <= 3; cut++) {
      for (let index = 0; index < 20; index++) {
        whole += `${cut}/${index} `
        stream.append(bytes(`${cut}/${index} `))
      }
      await test.client.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and pid <> pg_backend_pid()`,
      )
      await untilParts(cut)
    }
    stream.end()
    expect(await reading).toBe(whole)
  })

  it('refuses bounds that are none', () => {
    for (const name of ['maxStreamBytes', 'maxBytes', 'keepMs']) {
      const make = () => postgresStreams(databases[0]!, { [name]: 0 })
      expect(make).toThrow(expect.objectContaining({ code: 'invalid_argument' }))
    }
  })
})

describe('a stream whose process is gone', () => {
  it('cuts off those who read it, and makes room for the next', async () => {
    const stream = await open(here)
    stream.append(bytes('half of'))
    await untilParts(1)
    const seen = await find(there)
    const reader = seen.read().getReader()
    expect(new TextDecoder().decode((await reader.read()).value)).toBe('half of')
    await lapse()
    await expect(reader.read()).rejects.toThrow('is gone')
    expect(seen).toMatchObject({ isOpen: false, isDropped: true })
    expect(await there.find('a')).toMatchObject({ isOpen: false, isDropped: true })
    expect(await there.open('a')).toBeDefined()
    // It was only slow, and learns of it: nothing of it gets between.
    stream.append(bytes(' it'))
    await vi.waitFor(() => expect(stream.isOpen).toBe(false))
    expect(stream.stopped.reason).toBe('left')
  })

  it('is found as gone by who comes later', async () => {
    await open(here)
    await lapse()
    expect(await there.find('a')).toMatchObject({ isOpen: false, isDropped: true })
  })
})

describe('a stream whose events were lost with a crash of the database', () => {
  it('cuts off who has not read them, and nobody takes a part for the whole', async () => {
    const stream = await open(here)
    stream.append(bytes('first '))
    await untilParts(1)
    // What a crash does to a table without a log.
    await test.client.query('truncate assent.stream_events')
    const reading = readAll(await find(there))
    stream.append(bytes('second'))
    await expect(reading).rejects.toThrow('lost')
    stream.end()
    expect(await readAll(stream)).toBe('first second')
  })

  it('is noticed at its end, when all of it is gone', async () => {
    const stream = await open(here)
    stream.append(bytes('all of it'))
    await untilParts(1)
    stream.end()
    await vi.waitFor(async () => expect(await find(there)).toMatchObject({ isOpen: false }))
    await test.client.query('truncate assent.stream_events')
    await expect(readAll(await find(there))).rejects.toThrow('lost')
  })
})
