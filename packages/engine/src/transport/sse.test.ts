import type { UIMessageChunk } from 'ai'
import * as fc from 'fast-check'
import { afterEach, expect, test, vi } from 'vitest'
import { readChunks } from './sse.ts'

afterEach(() => {
  vi.useRealTimers()
})

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)

/** A body of exactly these slices, that ends, or fails with `error`. */
function bodyOf(slices: readonly Uint8Array[], error?: unknown): ReadableStream<Uint8Array> {
  let at = 0
  return new ReadableStream(
    {
      pull: (controller) => {
        const slice = slices[at]
        at += 1
        if (slice !== undefined) controller.enqueue(slice)
        else if (error === undefined) controller.close()
        else controller.error(error)
      },
    },
    { highWaterMark: 0 },
  )
}

interface Read {
  chunks: UIMessageChunk[]
  error: unknown
}

async function read(stream: ReadableStream<UIMessageChunk>): Promise<Read> {
  const chunks: UIMessageChunk[] = []
  try {
    for await (const chunk of stream) chunks.push(chunk)
    return { chunks, error: undefined }
  } catch (error) {
    return { chunks, error }
  }
}

const readText = (text: string): Promise<Read> => read(readChunks(bodyOf([encode(text)])))

const start = { type: 'start' }
const finish = { type: 'finish', finishReason: 'stop' }
const delta = (text: string) => ({ type: 'text-delta', id: '0', delta: text })
const data = (...values: unknown[]): string =>
  values.map((value) => `data: ${JSON.stringify(value)}\n\n`).join('')
const DONE = 'data: [DONE]\n\n'

test.each([
  ['LF', `data: {"type":"a"}\n\ndata: {"type":"b"}\n\n${DONE}`],
  ['CRLF', `data: {"type":"a"}\r\n\r\ndata: {"type":"b"}\r\n\r\ndata: [DONE]\r\n\r\n`],
  ['CR', `data: {"type":"a"}\r\rdata: {"type":"b"}\r\rdata: [DONE]\r\r`],
  ['all line ends mixed', `data: {"type":"a"}\r\n\rdata: {"type":"b"}\n\r\ndata: [DONE]\r\r\n`],
  ['a byte order mark', `\ufeffdata: {"type":"a"}\n\ndata: {"type":"b"}\n\n${DONE}`],
  ['no space behind the colon', `data:{"type":"a"}\n\ndata:{"type":"b"}\n\ndata:[DONE]\n\n`],
  ['data in several lines', `data: {"type":\ndata: "a"}\n\ndata: {\ndata: "type":"b"}\n\n${DONE}`],
  ['comments', `: hello\n\n: ping\ndata: {"type":"a"}\n:\n\n:\n\ndata: {"type":"b"}\n\n${DONE}`],
  [
    'other fields',
    `event: x\nid: 1\nretry: 5\ndata: {"type":"a"}\nfoo: bar\n\ndataset: 1\n\ndata: {"type":"b"}\n\n${DONE}`,
  ],
  ['more blank lines', `\n\n\ndata: {"type":"a"}\n\n\n\n\ndata: {"type":"b"}\n\n${DONE}`],
  [
    'events behind [DONE]',
    `data: {"type":"a"}\n\ndata: {"type":"b"}\n\n${DONE}${data(delta('no'))}`,
  ],
  ['rubbish behind [DONE]', `data: {"type":"a"}\n\ndata: {"type":"b"}\n\n${DONE}data: {{{\n\n`],
])('reads a stream with %s', async (_, text) => {
  expect(await readText(text)).toEqual({
    chunks: [{ type: 'a' }, { type: 'b' }],
    error: undefined,
  })
})

const unicode = fc.string({ unit: 'grapheme' })
const chunk = fc.oneof(
  fc.record({ type: fc.constant('text-delta'), id: fc.constantFrom('0', '1'), delta: unicode }),
  fc.record({ type: fc.constant('data-x'), data: fc.jsonValue() }),
  fc.record({ type: unicode }),
)

test('reads the same however the bytes are sliced and the lines written', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.record({ chunk, pretty: fc.boolean(), before: fc.constantFrom('', ': c', 'id: 1') }),
      ),
      fc.constantFrom('\n', '\r', '\r\n'),
      fc.boolean(),
      fc.array(fc.nat({ max: 40 }), { minLength: 1, maxLength: 20 }),
      async (list, lineEnd, mark, sizes) => {
        const lines = list.flatMap(({ chunk, pretty, before }) => [
          ...(before === '' ? [] : [before]),
          ...JSON.stringify(chunk, null, pretty ? 1 : 0)
            .split('\n')
            .map((line) => `data: ${line}`),
          '',
        ])
        const bytes = encode(
          `${mark ? '\ufeff' : ''}${[...lines, 'data: [DONE]', '', ''].join(lineEnd)}`,
        )
        const slices: Uint8Array[] = []
        for (let at = 0, index = 0; at < bytes.length; index += 1) {
          const size = sizes[index % sizes.length]! || (index % sizes.length === 0 ? 1 : 0)
          slices.push(bytes.subarray(at, at + size))
          at += size
        }
        expect(await read(readChunks(bodyOf(slices)))).toEqual({
          chunks: list.map((each): unknown => JSON.parse(JSON.stringify(each.chunk))),
          error: undefined,
        })
      },
    ),
    { numRuns: 500 },
  )
})

test('delivers what came before an event that is malformed, then fails', async () => {
  const { chunks, error } = await readText(
    `${data(start, delta('a'))}data: {"type"\n\n${data(finish)}`,
  )
  expect(chunks).toEqual([start, delta('a')])
  expect(error).toMatchObject({ code: 'stream_malformed', details: { event: '{"type"' } })
})

test('an end without [DONE] and without finish is a cut, after the chunks before it', async () => {
  const { chunks, error } = await readText(data(start, delta('a')))
  expect(chunks).toEqual([start, delta('a')])
  expect(error).toMatchObject({ code: 'stream_cut', retryable: true })
})

test('a body that fails is a cut with its cause, after the chunks before it', async () => {
  const cause = new TypeError('terminated')
  const body = bodyOf([encode(data(start, delta('a')))], cause)
  const { chunks, error } = await read(readChunks(body))
  expect(chunks).toEqual([start, delta('a')])
  expect(error).toMatchObject({ code: 'stream_cut', cause })
})

test.each([
  ['ends', undefined],
  ['fails', new TypeError('terminated')],
])('a body that %s after finish, without [DONE], is complete', async (_, error) => {
  const body = bodyOf([encode(data(start, finish))], error)
  expect(await read(readChunks(body))).toEqual({ chunks: [start, finish], error: undefined })
})

test('[DONE] without finish ends cleanly', async () => {
  expect(await readText(`${data(start)}${DONE}`)).toEqual({ chunks: [start], error: undefined })
})

test('an event without its blank line does not count', async () => {
  const { chunks, error } = await readText(`${data(start)}data: ${JSON.stringify(finish)}\n`)
  expect(chunks).toEqual([start])
  expect(error).toMatchObject({ code: 'stream_cut' })
})

test('reads no more bytes than what is asked for needs', async () => {
  let pulled = 0
  const body = new ReadableStream<Uint8Array>(
    {
      pull: (controller) => {
        pulled += 1
        controller.enqueue(encode(data(delta('a'), delta('b'), delta('c'))))
      },
    },
    { highWaterMark: 0 },
  )
  const reader = readChunks(body).getReader()
  expect(pulled).toBe(0)
  for (let count = 0; count < 3; count += 1) await reader.read()
  expect(pulled).toBe(1)
  await reader.read()
  expect(pulled).toBe(2)
  await reader.cancel()
})

test('an abort fails the stream at once, chunks still queued or not, and cancels the body', async () => {
  for (const text of [data(start), data(start, delta('queued'))]) {
    let cancelled = 0
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(encode(text)),
      cancel: () => {
        cancelled += 1
      },
    })
    const controller = new AbortController()
    const reader = readChunks(body, controller.signal).getReader()
    expect(await reader.read()).toEqual({ done: false, value: start })
    const next = text === data(start) ? reader.read() : undefined
    controller.abort()
    await expect(next ?? reader.read()).rejects.toMatchObject({ name: 'AbortError' })
    expect(cancelled).toBe(1)
  }
})

test('a signal that is aborted already fails the stream before anything is read', async () => {
  const cancel = vi.fn()
  const body = new ReadableStream<Uint8Array>({ cancel })
  const reason = new Error('closed')
  const reader = readChunks(body, AbortSignal.abort(reason)).getReader()
  await expect(reader.read()).rejects.toMatchObject({ name: 'AbortError', cause: reason })
  expect(cancel).toHaveBeenCalledOnce()
})

test('a reader that cancels cancels the body', async () => {
  const cancel = vi.fn()
  const stream = readChunks(new ReadableStream<Uint8Array>({ cancel }))
  await stream.cancel('enough')
  expect(cancel).toHaveBeenCalledWith('enough')
})

test('a connection that stays open after [DONE] is let go after a second', async () => {
  vi.useFakeTimers()
  const cancel = vi.fn()
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(encode(`${data(start)}${DONE}`)),
    cancel,
  })
  expect(await read(readChunks(body))).toEqual({ chunks: [start], error: undefined })
  await vi.advanceTimersByTimeAsync(999)
  expect(cancel).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(1)
  expect(cancel).toHaveBeenCalledOnce()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(cancel).toHaveBeenCalledOnce()
})
