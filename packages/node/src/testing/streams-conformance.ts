import assert from 'node:assert/strict'
import { setTimeout } from 'node:timers/promises'
import type { KeptStream, StreamStore, WrittenStream } from '../chat/stream-store.ts'

/** A store to be tested: nothing is in it, and what has ended is kept for 60,000 milliseconds. */
export interface TestedStreams {
  readonly streams: StreamStore
  /** The same as another process has it; may be the same when there is but one. */
  readonly other: StreamStore
  /** Moves the time of the store on. */
  advance(ms: number): void | Promise<void>
}

/** One test of the conformance suite. */
export interface StreamsTest {
  /** What the store does, as a sentence. */
  readonly name: string
  /**
   * Resolves when the store does it; rejects with an error that says what it did instead.
   *
   * @param make a store that nobody else uses; called once
   */
  run(make: () => Promise<TestedStreams>): Promise<void>
}

/**
 * What every `StreamStore` must do, as tests for any test runner. Each rejects with an `AssertionError` that says what
 * is wrong:
 *
 * ```ts
 * for (const { name, run } of streamsConformance()) it(name, () => run(makeStreams))
 * ```
 */
export function streamsConformance(): readonly StreamsTest[] {
  return tests
}

const streamsTest = (
  name: string,
  test: (tested: TestedStreams) => Promise<void>,
): StreamsTest => ({
  name,
  run: async (make) => test(await make()),
})

const tests: readonly StreamsTest[] = [
  streamsTest(
    'has one stream for each conversation, which one of those begins who ask at once',
    async (tested) => {
      const { streams, other } = tested
      for (const key of ['a', 'b', 'c']) {
        const asking = Array.from({ length: 10 }, (_, index) =>
          (index % 2 ? streams : other).open(key),
        )
        const opened = await Promise.all(asking)
        assert.equal(opened.filter((stream) => stream !== undefined).length, 1)
      }
      assert.equal(await other.find('d'), undefined)
    },
  ),
  streamsTest(
    'is read from its beginning, whenever and wherever somebody comes',
    async (tested) => {
      const { streams, other } = tested
      const stream = await open(streams, 'a', 'request \0 \ud83d')
      const early = await find(other)
      const { isOpen, isDropped, requestId } = early
      assert.deepEqual([isOpen, isDropped, requestId], [true, false, 'request \0 \ud83d'])
      const reading = [textOf(early)]
      let whole = ''
      for (let index = 0; index < 200; index++) {
        const text = `${index} 字 \u0000 ${'x'.repeat(index * 10)}\n`
        whole += text
        stream.append(bytes(text))
        if (index % 50 === 0) reading.push(textOf(await find(other)), textOf(stream))
      }
      stream.end()
      stream.append(bytes('too late'))
      reading.push(textOf(await find(other)), textOf(await find(streams)))
      for (const text of await Promise.all(reading)) assert.equal(text, whole)
      await eventually(async () => !(await find(other)).isOpen)
      // Long after its end, too.
      assert.equal(await textOf(await find(other)), whole)
      assert.equal((await find(other)).isDropped, false)
    },
  ),
  streamsTest(
    'is the same object for who wrote it, and makes room for the next',
    async (tested) => {
      const { streams, other } = tested
      const stream = await open(streams)
      assert.equal(await streams.find('a'), stream)
      assert.equal(await other.open('a'), undefined)
      stream.end()
      assert.equal(await streams.find('a'), stream)
      const next = await open(streams)
      assert.equal(await streams.find('a'), next)
      next.end()
      await eventually(async () => (await other.open('a')) !== undefined)
      assert.notEqual(await streams.find('a'), next)
    },
  ),
  streamsTest('is stopped from anywhere, and told why', async ({ streams, other }) => {
    for (const cause of ['asked', 'left'] as const) {
      const stream = await open(streams, cause)
      stream.stopped.addEventListener('abort', () => stream.end())
      const seen = await find(other, cause)
      const over = Promise.withResolvers<void>()
      const unwatch = seen.onChange(() => void (seen.isOpen || over.resolve()))
      await seen.stop(cause)
      await over.promise
      unwatch()
      assert.equal(stream.stopped.reason, cause)
      assert.ok(await other.open(cause))
    }
  }),
  streamsTest('knows how many read it, wherever they do', async ({ streams, other }) => {
    const stream = await open(streams)
    let changes = 0
    stream.onChange(() => changes++)
    const [one, two] = [(await find(other)).read(), stream.read()]
    await eventually(() => stream.readers === 2)
    await eventually(async () => (await find(other)).readers === 2)
    await two.cancel()
    assert.equal(stream.readers, 1)
    await one.cancel()
    await eventually(() => stream.readers === 0)
    assert.ok(changes > 0, 'Nobody was told of readers.')
  }),
  streamsTest(
    'is forgotten when it has been over for its time, without a trace',
    async (tested) => {
      const { streams, other, advance } = tested
      const stream = await open(streams)
      stream.append(bytes('x'))
      stream.end()
      await eventually(async () => !(await find(other)).isOpen)
      await advance(59_999)
      assert.equal(await textOf(await find(other)), 'x')
      await advance(1)
      assert.equal(await other.find('a'), undefined)
    },
  ),
]

const bytes = (text: string) => new TextEncoder().encode(text)

const textOf = (stream: KeptStream): Promise<string> => new Response(stream.read()).text()

async function open(store: StreamStore, key = 'a', requestId?: string): Promise<WrittenStream> {
  const stream = await store.open(key, requestId)
  assert.ok(stream, `${key} is open.`)
  return stream
}

async function find(store: StreamStore, key = 'a'): Promise<KeptStream> {
  const stream = await store.find(key)
  assert.ok(stream, `There is no ${key}.`)
  return stream
}

/** What one process does another one hears of, a moment later. */
async function eventually(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  const until = performance.now() + 10_000
  while (!(await isTrue())) {
    assert.ok(performance.now() < until, 'It did not come to that within 10 seconds.')
    await setTimeout(5)
  }
}
