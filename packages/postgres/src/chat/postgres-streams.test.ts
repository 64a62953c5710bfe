import type { KeptStream, StreamStore, WrittenStream } from '@assent/node'
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
  it('is one for each conversation, which one of those who ask at once begins', async () => {
    for (const key of ['a', 'b', 'c']) {
      const stores = Array.from({ length: 10 }, (_, index) => (index % 2 ? here : there))
      const opened = await Promise.all(stores.map((store) => store.open(key)))
      expect(opened.filter((stream) => stream !== undefined)).toHaveLength(1)
    }
    expect(await here.find('d')).toBeUndefined()
  })

  it('is read from its beginning by the other one, whenever that comes', async () => {
    const stream = await open(here, 'a', 'request \0 \ud83d')
    const early = await find(there)
    expect(early).toMatchObject({ isOpen: true, isDropped: false, requestId: 'request \0 \ud83d' })
    const reading = [readAll(early)]
    let whole = ''
    for (let index = 0; index < 200; index++) {
      const text = `${index} 字 \u0000 ${'x'.repeat(index * 10)}\n`
      whole += text
      stream.append(bytes(text))
      if (index % 50 === 0) reading.push(readAll(await find(there)), readAll(stream))
    }
    stream.end()
    stream.append(bytes('too late'))
    const late = await find(there)
    reading.push(readAll(late), readAll(await find(here)))
    for (const text of await Promise.all(reading)) expect(text).toBe(whole)
    await vi.waitFor(async () => {
      expect(await find(there)).toMatchObject({ isOpen: false, isDropped: false })
    })
    // Long after its end, too.
    expect(await readAll(await find(there))).toBe(whole)
    expect(told).toEqual([])
  })

  it('is the same object for who wrote it, as long as it is kept', async () => {
    const stream = await open(here)
    expect(await here.find('a')).toBe(stream)
    stream.end()
    expect(await here.find('a')).toBe(stream)
    const next = await open(here)
    expect(await here.find('a')).toBe(next)
    next.end()
    const theirs = await vi.waitFor(() => open(there))
    expect(await here.find('a')).not.toBe(next)
    theirs.end()
  })

  it('is stopped by the other one, which says why', async () => {
    for (const cause of ['asked', 'left'] as const) {
      const stream = await open(here, cause)
      stream.stopped.addEventListener('abort', () => stream.end())
      const seen = await find(there, cause)
      const over = new Promise<void>((resolve) => {
        const unwatch = seen.onChange(() => {
          if (seen.isOpen) return
          unwatch()
          resolve()
        })
      })
      await seen.stop(cause)
      await over
      expect(stream.stopped.reason).toBe(cause)
      expect(await open(there, cause)).toBeDefined()
    }
  })

  it('knows of its readers in both', async () => {
    const stream = await open(here)
    const changes = vi.fn<() => void>()
    stream.onChange(changes)
    const [one, other] = [(await find(there)).read(), stream.read()]
    await vi.waitFor(() => expect(stream.readers).toBe(2))
    await vi.waitFor(async () => expect((await find(there)).readers).toBe(2))
    await other.cancel()
    expect(stream.readers).toBe(1)
    await one.cancel()
    await vi.waitFor(() => expect(stream.readers).toBe(0))
    expect(changes).toHaveBeenCalled()
  })

  it('counts as read from its first moment on, so that nobody takes it for left', async () => {
    const stream = await open(here)
    expect((await find(there)).readers).toBe(1)
    await stream.read().cancel()
    await vi.waitFor(async () => expect((await find(there)).readers).toBe(0))
  })

  it('is forgotten when it has been over for its time', async () => {
    const at = Date.now()
    await test.setClock(at)
    const stream = await open(here)
    stream.append(bytes('x'))
    stream.end()
    await vi.waitFor(async () => expect(await find(there)).toMatchObject({ isOpen: false }))
    await test.setClock(at + 59_999)
    expect(await readAll(await find(there))).toBe('x')
    await test.setClock(at + 60_000)
    expect(await there.find('a')).toBeUndefined()
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
