import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { streamsConformance } from '../testing/streams-conformance.ts'
import { memoryStreams } from './memory-streams.ts'
import { StreamLog } from './stream-log.ts'
import type { StreamStore, WrittenStream } from './stream-store.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

async function readAll(stream: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<string> {
  return new Response(stream).text()
}

async function open(store: StreamStore, key: string): Promise<WrittenStream> {
  const log = await store.open(key)
  if (!log) throw new Error(`${key} is open.`)
  return log
}

describe('a store of streams', () => {
  test.each(streamsConformance())('$name', async ({ run }) => {
    let now = 0
    const streams = memoryStreams({ now: () => now })
    const advance = (ms: number): void => void (now += ms)
    await expect(run(async () => ({ streams, other: streams, advance }))).resolves.toBeUndefined()
  })

  test('keeps what is open, for however long', async () => {
    let now = 0
    const store = memoryStreams({ keepMs: 100, now: () => now })
    const log = await open(store, 'a')
    now = 1_000
    expect(await store.find('a')).toBe(log)
  })

  test('forgets the one before it', async () => {
    const store = memoryStreams()
    const first = await open(store, 'a')
    first.append(bytes('one'))
    first.end()
    await open(store, 'a')
    expect(first.isDropped).toBe(true)
  })

  test('drops those that ended first when they are too much together', async () => {
    const store = memoryStreams({ maxBytes: 10 })
    for (const key of ['a', 'b', 'c']) {
      const log = await open(store, key)
      log.append(bytes('1234'))
      log.end()
    }
    expect(await store.find('a')).toMatchObject({ isDropped: true, isOpen: false })
    expect(await store.find('b')).toMatchObject({ isDropped: false })
    expect(await store.find('c')).toMatchObject({ isDropped: false })
    await open(store, 'a')
    expect(await store.find('a')).toMatchObject({ isDropped: false, isOpen: true })
  })

  test('lets those who read a stream that is dropped read it to its end', async () => {
    const store = memoryStreams({ maxBytes: 10 })
    const log = await open(store, 'a')
    log.append(bytes('the whole of it'))
    const reading = readAll(log.read())
    log.end()
    expect(log.isDropped).toBe(true)
    expect(await reading).toBe('the whole of it')
  })

  test.each(['maxStreamBytes', 'maxBytes', 'keepMs'])('refuses a %s of 0', (name) => {
    expect(() => memoryStreams({ [name]: 0 })).toThrow(RangeError)
  })
})

describe('a stream', () => {
  test('gives each reader all events in order, whenever it comes and however it reads', async () => {
    const step = fc.oneof(
      { weight: 3, arbitrary: fc.record({ append: fc.string({ minLength: 1, maxLength: 9 }) }) },
      fc.constant('reader' as const),
      fc.constant('tick' as const),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(step), async (steps) => {
        const log = new StreamLog(1_000_000)
        const readers: Promise<string>[] = []
        let whole = ''
        for (const one of steps) {
          if (one === 'reader') readers.push(readAll(log.read()))
          else if (one === 'tick') await new Promise(setImmediate)
          else {
            log.append(bytes(one.append))
            whole += one.append
          }
        }
        expect(log.readers).toBe(readers.length)
        log.end()
        log.append(bytes('too late'))
        readers.push(readAll(log.read()))
        const expected = new TextDecoder().decode(bytes(whole))
        for (const text of await Promise.all(readers)) expect(text).toBe(expected)
        expect(log.readers).toBe(0)
      }),
    )
  })

  test('keeps no more than its bytes, and says when its beginning is gone', async () => {
    const log = new StreamLog(10)
    for (let count = 0; count < 100; count++) {
      log.append(bytes('1234'))
      expect(log.bytes).toBeLessThanOrEqual(10)
    }
    expect(log.isDropped).toBe(true)
    await expect(readAll(log.read())).rejects.toThrow('too slowly')
    expect(log.readers).toBe(0)
  })

  test('takes little more of memory than the bytes of its events, however small they are', () => {
    setFlagsFromString('--expose_gc')
    const collect: () => void = runInNewContext('gc')
    const taken = () => {
      collect()
      const { heapUsed, arrayBuffers } = process.memoryUsage()
      return heapUsed + arrayBuffers
    }
    const event = bytes('data: {"type":"text-delta","id":"t","delta":"word "}\n\n')
    const before = taken()
    const logs = Array.from({ length: 20 }, () => new StreamLog(8 * 1024 * 1024))
    for (let count = 0; count < 20_000; count++) for (const log of logs) log.append(event.slice())
    const whole = event.byteLength * 20_000
    const open = (taken() - before) / logs.length
    for (const log of logs) log.end()
    const ended = (taken() - before) / logs.length
    const shown = [whole, open, ended].map((size) => `${(size / 1e6).toFixed(2)} MB`)
    process.stdout.write(
      `A stream of ${shown[0]} takes ${shown[1]}, and ${shown[2]} once it has ended.\n`,
    )
    expect(open).toBeLessThan(whole * 1.15)
    expect(ended).toBeLessThan(whole * 1.15)
    expect(logs.map((log) => log.bytes)).toEqual(logs.map(() => whole))
  })

  test('lets a reader go who leaves while it waits', async () => {
    const log = new StreamLog(10)
    const reader = log.read().getReader()
    const waiting = reader.read()
    await reader.cancel()
    expect(await waiting).toMatchObject({ done: true })
    expect(log.readers).toBe(0)
  })
})
