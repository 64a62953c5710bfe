import type { UIMessageChunk } from 'ai'
import { expect, test } from 'vitest'
import { startProxy } from '../../test/loopback-proxy.ts'
import type { Downstream } from '../../test/loopback-proxy.ts'
import { events, startEvents, startServer } from '../../test/loopback-server.ts'
import { httpTransport } from './http-transport.ts'

const delta = (text: string) => ({ type: 'text-delta', id: '0', delta: text })
const CHUNKS = [{ type: 'start' }, delta('grüß 👋 dich'), delta('“zwei”'), { type: 'finish' }]

interface Faulty extends AsyncDisposable {
  stream(): Promise<ReadableStream<UIMessageChunk>>
  requests(): number
}

/** A server that answers {@link CHUNKS}, behind a proxy that mishandles the answer. */
async function behind(downstream: Downstream): Promise<Faulty> {
  const server = await startServer((response) => {
    startEvents(response).end(events(...CHUNKS, '[DONE]'))
  })
  const proxy = await startProxy(server.port, downstream)
  const transport = httpTransport({ api: `${proxy.origin}/chat` })
  return {
    stream: () =>
      transport.sendMessages({
        trigger: 'submit-message',
        chatId: 'chat',
        messageId: undefined,
        messages: [],
        abortSignal: undefined,
      }),
    requests: () => server.received.length,
    [Symbol.asyncDispose]: async () => {
      await proxy[Symbol.asyncDispose]()
      await server[Symbol.asyncDispose]()
    },
  }
}

/** Everything that the server answers. */
async function whole(bytes: AsyncIterable<Buffer>): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of bytes) {
    parts.push(part)
    if (part.includes('[DONE]')) break
  }
  return Buffer.concat(parts)
}

/** Where the n-th occurrence of a text ends. */
function behindText(bytes: Buffer, text: string, count = 1): number {
  let at = -1
  for (let found = 0; found < count; found += 1) at = bytes.indexOf(text, at + 1)
  if (at === -1) throw new Error(`"${text}" is not in the answer`)
  return at + Buffer.byteLength(text)
}

test('reads an answer that comes byte by byte', async () => {
  await using faulty = await behind(async (bytes, client) => {
    for (const byte of await whole(bytes)) await client.send(Uint8Array.of(byte))
    client.end()
  })
  const chunks: UIMessageChunk[] = []
  for await (const chunk of await faulty.stream()) chunks.push(chunk)
  expect(chunks).toEqual(CHUNKS)
})

test.each([
  ['in the middle of a character', '👋', -2],
  ['in the middle of an event', '"text-delta"', -5],
  ['in the middle of a line end', 'dich"}\n', 0],
])('hands out what came before a split %s, and the rest when it comes', async (_, text, offset) => {
  const gate = Promise.withResolvers<void>()
  await using faulty = await behind(async (bytes, client) => {
    const all = await whole(bytes)
    const at = behindText(all, text) + offset
    await client.send(all.subarray(0, at))
    await gate.promise
    await client.send(all.subarray(at))
    client.end()
  })
  const reader = (await faulty.stream()).getReader()
  expect(await reader.read()).toEqual({ done: false, value: CHUNKS[0] })
  const rest = [reader.read(), reader.read(), reader.read(), reader.read()]
  gate.resolve()
  expect((await Promise.all(rest)).map(({ value }) => value)).toEqual([
    ...CHUNKS.slice(1),
    undefined,
  ])
})

/** Sends the answer up to the middle of its second delta, and breaks off when told to. */
function cutInside(how: 'end' | 'reset', cut: Promise<void>): Downstream {
  return async (bytes, client) => {
    const all = await whole(bytes)
    await client.send(all.subarray(0, behindText(all, '“zw')))
    await cut
    client[how]()
  }
}

test.each(['end', 'reset'] as const)(
  'a connection that breaks off in the middle of an event (%s) is a cut, after the chunks before it',
  async (how) => {
    const cut = Promise.withResolvers<void>()
    await using faulty = await behind(cutInside(how, cut.promise))
    const reader = (await faulty.stream()).getReader()
    expect((await reader.read()).value).toEqual(CHUNKS[0])
    expect((await reader.read()).value).toEqual(CHUNKS[1])
    const next = reader.read()
    cut.resolve()
    await expect(next).rejects.toMatchObject({ code: 'stream_cut', retryable: true })
    // Chunks were shown already: only a person or the engine may ask again.
    expect(faulty.requests()).toBe(1)
  },
)

test('a connection that breaks off behind finish is no failure', async () => {
  const cut = Promise.withResolvers<void>()
  await using faulty = await behind(async (bytes, client) => {
    const all = await whole(bytes)
    await client.send(all.subarray(0, behindText(all, '{"type":"finish"}\n\n')))
    await cut.promise
    client.reset()
  })
  const reader = (await faulty.stream()).getReader()
  for (const chunk of CHUNKS) expect((await reader.read()).value).toEqual(chunk)
  const end = reader.read()
  cut.resolve()
  expect(await end).toEqual({ done: true, value: undefined })
})

test('a connection that breaks off behind the headers is a cut and not repeated', async () => {
  await using faulty = await behind(async (bytes, client) => {
    const all = await whole(bytes)
    await client.send(all.subarray(0, behindText(all, '\r\n\r\n')))
    client.end()
  })
  const reader = (await faulty.stream()).getReader()
  await expect(reader.read()).rejects.toMatchObject({ code: 'stream_cut' })
  expect(faulty.requests()).toBe(1)
})

test('a connection that breaks off inside the headers is a network error and not repeated', async () => {
  await using faulty = await behind(async (bytes, client) => {
    const all = await whole(bytes)
    await client.send(all.subarray(0, behindText(all, 'HTTP/1.1 200')))
    client.reset()
  })
  await expect(faulty.stream()).rejects.toMatchObject({
    code: 'http_network',
    details: { unsent: false, attempts: 1 },
  })
  expect(faulty.requests()).toBe(1)
})
