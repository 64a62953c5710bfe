import type { UIMessage, UIMessageChunk } from 'ai'
import { afterEach, expect, test, vi } from 'vitest'
import { events, startEvents, startServer } from '../../test/loopback-server.ts'
import type { LoopbackServer } from '../../test/loopback-server.ts'
import type { EngineError } from '../errors.ts'
import { httpTransport } from './http-transport.ts'
import type { HttpTransportOptions } from './http-transport.ts'
import type { MessageTransport } from './transport.ts'

afterEach(() => {
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

const question: UIMessage = { id: 'u1', role: 'user', parts: [{ type: 'text', text: 'Hi' }] }
const ANSWER = [{ type: 'start' }, { type: 'finish' }]

type SendOptions = Parameters<MessageTransport['sendMessages']>[0]

function send(
  options: HttpTransportOptions,
  sent: Partial<SendOptions> = {},
): Promise<ReadableStream<UIMessageChunk>> {
  return httpTransport(options).sendMessages({
    trigger: 'submit-message',
    chatId: 'chat',
    messageId: undefined,
    messages: [question],
    abortSignal: undefined,
    ...sent,
  })
}

async function read(stream: ReadableStream<UIMessageChunk> | null): Promise<UIMessageChunk[]> {
  const chunks: UIMessageChunk[] = []
  if (stream === null) return chunks
  for await (const chunk of stream) chunks.push(chunk)
  return chunks
}

/** Answers with the given statuses in turn, then with {@link ANSWER}. */
function statuses(
  ...list: readonly [status: number, headers?: Record<string, string>, body?: string][]
): Promise<LoopbackServer> {
  return startServer((response, _, count) => {
    const [status, headers = {}, body = ''] = list[count - 1] ?? []
    if (status === undefined) startEvents(response).end(events(...ANSWER, '[DONE]'))
    else response.writeHead(status, headers).end(body)
  })
}

/** Retries without waiting, and notes the waits, each of the longest that chance allows. */
function noteWaits(): { waits: number[]; retry: HttpTransportOptions['retry'] & object } {
  const waits: number[] = []
  vi.spyOn(Math, 'random').mockReturnValue(1)
  return {
    waits,
    retry: {
      sleep: async (ms) => {
        waits.push(ms)
      },
    },
  }
}

test('posts the conversation as JSON and streams the chunks of the answer', async () => {
  await using server = await statuses()
  const stream = await send(
    {
      api: new URL('/chat', server.origin),
      headers: { Authorization: 'a', 'X-Both': 'of all' },
      body: async () => ({ session: 1, id: 'not this', both: 'of all' }),
    },
    {
      trigger: 'regenerate-message',
      messageId: 'm1',
      headers: new Headers({ 'x-both': 'of this one' }),
      body: { both: 'of this one' },
    },
  )
  expect(await read(stream)).toEqual(ANSWER)
  const [request] = server.received
  expect(request).toMatchObject({
    method: 'POST',
    url: '/chat',
    headers: { 'content-type': 'application/json', authorization: 'a', 'x-both': 'of this one' },
  })
  expect(JSON.parse(request!.body)).toEqual({
    session: 1,
    both: 'of this one',
    id: 'chat',
    messages: [question],
    trigger: 'regenerate-message',
    messageId: 'm1',
  })
})

test('asks getters anew for each request, once for all its tries', async () => {
  await using server = await statuses([503])
  let count = 0
  const api = vi.fn(() => `${server.origin}/${(count += 1)}`)
  const headers = vi.fn(async () => new Headers({ 'x-count': String(count) }))
  const options = { api, headers, retry: noteWaits().retry }
  await read(await send(options))
  await read(await send(options))
  expect(server.received.map(({ url }) => url)).toEqual(['/1', '/1', '/2'])
  expect(headers).toHaveBeenCalledTimes(2)
})

test('prepareSendMessagesRequest makes the request; what it leaves out stays', async () => {
  await using server = await statuses()
  const prepare = vi.fn(async () => ({ body: { own: true }, api: `${server.origin}/own` }))
  const options: HttpTransportOptions = {
    api: 'http://127.0.0.1:1/unused',
    headers: { a: '1' },
    body: { b: 2 },
    credentials: () => 'include' as const,
    prepareSendMessagesRequest: prepare,
  }
  await read(await send(options, { metadata: { m: 1 }, headers: { c: '3' } }))
  expect(prepare).toHaveBeenCalledWith({
    id: 'chat',
    messages: [question],
    trigger: 'submit-message',
    messageId: undefined,
    requestMetadata: { m: 1 },
    api: 'http://127.0.0.1:1/unused',
    headers: { a: '1', c: '3' },
    body: { b: 2 },
    credentials: 'include',
  })
  expect(server.received[0]).toMatchObject({
    url: '/own',
    body: '{"own":true}',
    headers: { a: '1' },
  })
})

test('a custom fetch gets method, plain headers, body, credentials and a signal', async () => {
  const fetch = vi.fn<typeof globalThis.fetch>(
    async () =>
      new Response(events('[DONE]'), { headers: { 'content-type': 'text/event-stream' } }),
  )
  await read(await send({ fetch, credentials: 'include', headers: { a: '1' } }))
  expect(fetch).toHaveBeenCalledWith('/api/chat', {
    method: 'POST',
    headers: { 'content-type': 'application/json', a: '1' },
    body: expect.stringContaining('"id":"chat"'),
    credentials: 'include',
    signal: expect.any(AbortSignal),
  })
})

test('reconnects to <api>/<chat>/stream and replays by default', async () => {
  await using server = await statuses()
  const transport = httpTransport({ api: `${server.origin}/chat/?k=1#x` })
  expect(transport.resumeStreamIsReplay).toBe(true)
  expect(httpTransport({ resumeStreamIsReplay: false }).resumeStreamIsReplay).toBe(false)
  const stream = await transport.reconnectToStream({ chatId: 'a/b c', headers: { h: '1' } })
  expect(await read(stream)).toEqual(ANSWER)
  expect(server.received[0]).toMatchObject({
    method: 'GET',
    url: '/chat/a%2Fb%20c/stream?k=1',
    headers: { h: '1' },
    body: '',
  })
})

test('there is no stream to take up when the server answers 204', async () => {
  await using server = await statuses([204])
  const transport = httpTransport({ api: server.origin })
  expect(await transport.reconnectToStream({ chatId: 'chat' })).toBeNull()
})

test('prepareReconnectToStreamRequest makes the request', async () => {
  await using server = await statuses()
  const transport = httpTransport({
    headers: { a: '1' },
    prepareReconnectToStreamRequest: ({ id, headers }) => ({
      api: `${server.origin}/resume?chat=${id}`,
      headers: { ...(headers as Record<string, string>), b: '2' },
    }),
  })
  await read(await transport.reconnectToStream({ chatId: '..' }))
  expect(server.received[0]).toMatchObject({ url: '/resume?chat=..', headers: { a: '1', b: '2' } })
})

test('refuses ids that a URL takes for steps in its path', async () => {
  const fetch = vi.fn()
  for (const chatId of ['.', '..']) {
    await expect(httpTransport({ fetch }).reconnectToStream({ chatId })).rejects.toMatchObject({
      code: 'invalid_argument',
    })
  }
  expect(fetch).not.toHaveBeenCalled()
})

test.each([408, 425, 429, 500, 502, 503, 504])(
  'tries again after %d, with doubled waits, three times in all',
  async (status) => {
    await using server = await statuses([status], [status], [status, {}, 'still not'])
    const { waits, retry } = noteWaits()
    await expect(send({ api: server.origin, retry })).rejects.toMatchObject({
      code: 'http_status',
      retryable: true,
      details: { status, body: 'still not', attempts: 3, method: 'POST' },
    })
    expect(waits).toEqual([500, 1_000])
    expect(server.received).toHaveLength(3)
    expect(new Set(server.received.map(({ body }) => body)).size).toBe(1)
  },
)

test('a try that succeeds answers', async () => {
  await using server = await statuses([503], [429])
  expect(await read(await send({ api: server.origin, retry: noteWaits().retry }))).toEqual(ANSWER)
  expect(server.received).toHaveLength(3)
})

test('waits are a random share of a longest wait that is bounded', async () => {
  await using server = await statuses([503], [503], [503], [503])
  const { waits, retry } = noteWaits()
  vi.mocked(Math.random).mockReturnValueOnce(0).mockReturnValueOnce(0.5)
  const bounds = { attempts: 5, baseMs: 100, maxMs: 300 }
  await read(await send({ api: server.origin, retry: { ...retry, ...bounds } }))
  expect(waits).toEqual([0, 100, 300, 300])
})

test.each([
  [400, /details\.body/],
  [401, /credentials/],
  [404, /"api"/],
  [413, /too long/],
])('does not repeat %d, and says what to do', async (status, advice) => {
  await using server = await statuses([status, {}, '{"error":"no"}'])
  const { waits, retry } = noteWaits()
  const error: unknown = await send({ api: `${server.origin}/chat?key=secret`, retry }).catch(
    (thrown: unknown) => thrown,
  )
  expect(error).toMatchObject({
    code: 'http_status',
    retryable: false,
    message: expect.stringMatching(advice),
    details: { status, body: '{"error":"no"}', attempts: 1, url: `${server.origin}/chat` },
  })
  expect(waits).toEqual([])
})

test('says that it is about files where the server refuses those', async () => {
  const said = '{"error":{"code":"files-refused","message":"No audio."}}'
  await using server = await statuses([415, {}, said])
  await expect(send({ api: server.origin })).rejects.toMatchObject({ details: { kind: 'files' } })
})

test('says what the server says of an error, where it says it', async () => {
  const said = '{"error":{"code":"approval-used","message":"This approval was answered already."}}'
  await using server = await statuses([409, {}, said])
  await expect(send({ api: server.origin })).rejects.toMatchObject({
    code: 'http_status',
    message: expect.stringMatching(/answered with 409\. This approval was answered already\.$/),
  })
})

test.each([
  ['is repeated where the server says that it has read nothing', 'draining', 2],
  ['is not repeated after 503 else', 'busy', 1],
])('an approval %s', async (_, code, requests) => {
  await using server = await statuses([503, { 'retry-after': '1' }, `{"error":{"code":"${code}"}}`])
  const approval = { id: 'a', approved: true as const }
  const parts: UIMessage['parts'] = [
    { type: 'step-start' },
    { type: 'tool-send', toolCallId: '1', state: 'approval-responded', input: {}, approval },
  ]
  const messages = [question, { id: 'a1', role: 'assistant' as const, parts }]
  const { waits, retry } = noteWaits()
  const end = await send({ api: server.origin, retry }, { messages }).then(
    () => 'answered',
    (error: EngineError) => error.code,
  )
  expect(server.received).toHaveLength(requests)
  expect(waits).toEqual(requests === 2 ? [1_000] : [])
  expect(end).toBe(requests === 2 ? 'answered' : 'http_status')
})

test('keeps 2,048 bytes of the body of an error, whole characters only', async () => {
  await using server = await statuses([400, {}, `a${'é'.repeat(5_000)}`])
  await expect(send({ api: server.origin })).rejects.toMatchObject({
    details: { body: `a${'é'.repeat(1_023)}` },
  })
})

test('waits at least as long as Retry-After says, in seconds or until a date', async () => {
  const now = Date.UTC(2026, 10, 30, 12)
  await using server = await statuses(
    [429, { 'retry-after': '7' }],
    [503, { 'retry-after': 'Mon, 30 Nov 2026 12:00:03 GMT' }],
    [503, { 'retry-after': '0' }],
    [503, { 'retry-after': 'nonsense' }],
  )
  const { waits, retry } = noteWaits()
  vi.spyOn(Date, 'now').mockReturnValue(now)
  const options = { api: server.origin, retry: { ...retry, attempts: 5 } }
  expect(await read(await send(options))).toEqual(ANSWER)
  expect(waits).toEqual([7_000, 3_000, 2_000, 4_000])
})

test('a Retry-After beyond the bound fails at once and tells its value', async () => {
  await using server = await statuses([429, { 'retry-after': '61' }])
  const { waits, retry } = noteWaits()
  await expect(send({ api: server.origin, retry })).rejects.toMatchObject({
    code: 'http_status',
    retryable: true,
    message: expect.stringContaining('Try again in 61 s.'),
    details: { status: 429, retryAfterMs: 61_000, attempts: 1 },
  })
  expect(waits).toEqual([])
  await using patient = await statuses([429, { 'retry-after': '61' }])
  const bound = { ...retry, maxMs: 61_000 }
  expect(await read(await send({ api: patient.origin, retry: bound }))).toEqual(ANSWER)
  expect(waits).toEqual([61_000])
})

test('retry: false tries once', async () => {
  await using server = await statuses([503])
  await expect(send({ api: server.origin, retry: false })).rejects.toMatchObject({
    details: { attempts: 1 },
  })
})

test('shouldRetry decides in place of the rules', async () => {
  await using server = await statuses([503], [418], [503])
  const { retry } = noteWaits()
  const shouldRetry = vi.fn(({ details }: { details: Readonly<Record<string, unknown>> }) => {
    return details['status'] === 418
  })
  const options = { api: server.origin, retry: { ...retry, shouldRetry } }
  await expect(send(options)).rejects.toMatchObject({ details: { status: 503, attempts: 1 } })
  await expect(send(options)).rejects.toMatchObject({ details: { status: 503, attempts: 2 } })
  expect(shouldRetry).toHaveBeenLastCalledWith(expect.objectContaining({ code: 'http_status' }), {
    attempt: 2,
    carriesApproval: false,
    method: 'POST',
  })
})

test('a POST that cannot have reached a server is tried again', async () => {
  const gone = await statuses()
  await gone[Symbol.asyncDispose]()
  const { waits, retry } = noteWaits()
  await expect(send({ api: gone.origin, retry })).rejects.toMatchObject({
    code: 'http_network',
    retryable: true,
    message: expect.stringContaining('ECONNREFUSED'),
    details: { unsent: true, code: 'ECONNREFUSED', attempts: 3 },
  })
  expect(waits).toHaveLength(2)
})

test('a device that is offline tries again, and says that it is offline', async () => {
  vi.stubGlobal('navigator', { onLine: false })
  const { waits, retry } = noteWaits()
  const fetch = vi.fn<typeof globalThis.fetch>(async () => {
    throw new TypeError('Failed to fetch')
  })
  await expect(send({ api: 'http://127.0.0.1/', fetch, retry })).rejects.toMatchObject({
    code: 'http_network',
    message: expect.stringContaining('offline'),
    details: { unsent: true, attempts: 3 },
  })
  expect(waits).toHaveLength(2)
})

/** Takes requests whole and breaks the connection instead of answering. */
function breaking(): Promise<LoopbackServer> {
  return startServer((response) => response.socket?.resetAndDestroy())
}

test('a POST that may have reached the server is not repeated', async () => {
  await using server = await breaking()
  await expect(send({ api: server.origin, retry: noteWaits().retry })).rejects.toMatchObject({
    code: 'http_network',
    retryable: true,
    details: { unsent: false, attempts: 1 },
  })
  expect(server.received).toHaveLength(1)
})

test('shouldRetry can have it repeated, or nothing at all', async () => {
  await using server = await breaking()
  const { retry } = noteWaits()
  const always = { ...retry, shouldRetry: ({ retryable }: EngineError) => retryable }
  await expect(send({ api: server.origin, retry: always })).rejects.toMatchObject({
    details: { attempts: 3 },
  })
  expect(server.received).toHaveLength(3)
  const never = { ...retry, shouldRetry: () => false }
  await server[Symbol.asyncDispose]()
  await expect(send({ api: server.origin, retry: never })).rejects.toMatchObject({
    details: { unsent: true, attempts: 1 },
  })
})

test('a reconnect only reads, so it is repeated', async () => {
  await using server = await breaking()
  const transport = httpTransport({ api: server.origin, retry: noteWaits().retry })
  await expect(transport.reconnectToStream({ chatId: 'chat' })).rejects.toMatchObject({
    code: 'http_network',
    details: { method: 'GET', attempts: 3 },
  })
})

test('an answer that is a page says so and shows its start', async () => {
  await using server = await statuses([
    200,
    { 'content-type': 'Text/HTML; charset=utf-8' },
    '<title>Sign in</title>',
  ])
  await expect(send({ api: server.origin, retry: noteWaits().retry })).rejects.toMatchObject({
    code: 'http_body',
    retryable: false,
    message: expect.stringMatching(/Text\/HTML.*sign in/),
    details: {
      status: 200,
      contentType: 'Text/HTML; charset=utf-8',
      redirected: false,
      body: '<title>Sign in</title>',
    },
  })
  expect(server.received).toHaveLength(1)
})

test.each([
  ['application/json', { 'content-type': 'application/json' }, 200, '{}'],
  ['no content type', {}, 200, '{}'],
  ['answered with 204', {}, 204, ''],
])('an answer (%s) is no event stream', async (what, headers, status, body) => {
  await using server = await statuses([status, headers, body])
  await expect(send({ api: server.origin })).rejects.toMatchObject({
    code: 'http_body',
    message: expect.stringContaining(what),
    details: { body },
  })
})

test('what an option throws is told apart from what the server does', async () => {
  const cause = new Error('no token')
  const headers = (): Promise<Headers> => Promise.reject(cause)
  await expect(send({ headers })).rejects.toMatchObject({
    code: 'invalid_argument',
    message: 'The options make no request, nothing was sent: no token',
    cause,
  })
  await expect(send({ headers: { 'x-name': 'naïve\n' } })).rejects.toMatchObject({
    code: 'invalid_argument',
  })
  await expect(send({}, { body: { count: 1n } })).rejects.toMatchObject({
    code: 'invalid_argument',
    message: expect.stringContaining('BigInt'),
  })
})

test('outside of a page a relative api says that it must be absolute', async () => {
  await expect(send({ retry: noteWaits().retry })).rejects.toMatchObject({
    code: 'invalid_argument',
    message: expect.stringMatching(/"\/api\/chat".*absolute/),
  })
})

test('a connection that served one answer serves the next', async () => {
  await using server = await statuses()
  for (let count = 0; count < 3; count += 1) {
    expect(await read(await send({ api: server.origin }))).toEqual(ANSWER)
    // The connection is free again in the turn of the event loop after the last chunk.
    await new Promise((resolve) => setImmediate(resolve))
  }
  expect(server.connections).toBe(1)
})
