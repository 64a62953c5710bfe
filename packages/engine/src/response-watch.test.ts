import type { UIMessageChunk } from 'ai'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createMessageEngine } from './engine.ts'
import type { MessageEngineOptions } from './message-engine.ts'
import { answer, scriptedTransport } from './testing/index.ts'
import { httpTransport } from './transport/http-transport.ts'
import type { MessageTransport } from './transport/transport.ts'

beforeEach(() => void vi.useFakeTimers({ now: 1_000_000 }))
afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

const forget = () => new Promise<never>(() => {})
const [start, step, begin, ...rest] = answer(['Half', ' whole'])
const half = [start, step, begin, rest[0]] as UIMessageChunk[]

function setUp(transport: MessageTransport, options: Partial<MessageEngineOptions> = {}) {
  const engine = createMessageEngine({ id: 'c', transport, ...options })
  const waitingFor = () => engine.getState().turn?.waitingFor
  return { engine, waitingFor, requestState: () => engine.getState().requestState }
}

/** A transport that answers by hand, and never notices an abort. */
function byHand() {
  const transport = scriptedTransport([], { ignoreAbort: true })
  return { transport, held: transport.hold({ unanswered: true }) }
}

/** A server whose bytes a test sends by hand. */
function server() {
  const encoder = new TextEncoder()
  const bodies: ReadableStreamDefaultController<Uint8Array>[] = []
  const fetch = vi.fn(async () => {
    const body = new ReadableStream<Uint8Array>({ start: (body) => void bodies.push(body) })
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
  })
  const send = async (text: string) => {
    bodies.at(-1)?.enqueue(encoder.encode(text))
    await vi.advanceTimersByTimeAsync(0)
  }
  const sendChunks = (...chunks: UIMessageChunk[]) =>
    send(chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join(''))
  return { fetch, send, sendChunks }
}

describe('a response that does not begin', () => {
  it('is shown after a second, and fails the turn after its deadline', async () => {
    const { transport } = byHand()
    const { engine, waitingFor, requestState } = setUp(transport)
    const sent = engine.sendMessage('go')
    await vi.advanceTimersByTimeAsync(999)
    expect(waitingFor()).toBeUndefined()
    await vi.advanceTimersByTimeAsync(1)
    expect(waitingFor()).toEqual({ type: 'response', since: 1_000_000 })
    await vi.advanceTimersByTimeAsync(58_999)
    expect(requestState()).toBe('processing')
    await vi.advanceTimersByTimeAsync(1)
    expect(await sent).toMatchObject({
      requestState: 'error',
      error: {
        code: 'response_timeout',
        retryable: true,
        details: { timeoutMs: 60_000 },
      },
    })
    expect(engine.getState().turn).not.toHaveProperty('waitingFor')
  })

  it('is asked for again by retry, and nothing that comes late is written', async () => {
    const { transport, held } = byHand()
    transport.add(answer('whole'))
    const { engine } = setUp(transport, { responseTimeoutMs: 500 })
    const sent = engine.sendMessage('go')
    await vi.advanceTimersByTimeAsync(500)
    expect((await sent).error?.code).toBe('response_timeout')
    await engine.retry()
    void held.push(...half)
    await held.cancelled
    expect(engine.getState().messages.at(-1)?.parts).toMatchObject([{}, { text: 'whole' }])
    expect(vi.getTimerCount()).toBe(0)
  })

  it('is given its time anew by every try, and while the server asks to wait', async () => {
    const { fetch, send } = server()
    const busy = () => new Response('', { status: 503, headers: { 'retry-after': '60' } })
    fetch.mockImplementationOnce(async () => busy())
    fetch.mockImplementationOnce(forget)
    const { engine, requestState } = setUp(
      httpTransport({ fetch, retry: { sleep: (ms) => new Promise((go) => setTimeout(go, ms)) } }),
      { responseTimeoutMs: 30_000 },
    )
    const sent = engine.sendMessage('go')
    await vi.advanceTimersByTimeAsync(60_000 + 29_999)
    expect(fetch).toHaveBeenCalledTimes(2)
    expect(requestState()).toBe('processing')
    await vi.advanceTimersByTimeAsync(1)
    expect((await sent).error?.code).toBe('response_timeout')
    await send('')
    // Whether the server is at work on it, nobody knows: it is for a person to try again.
    expect(fetch).toHaveBeenCalledTimes(2)
  })

  it('ends the request of it', async () => {
    const { fetch } = server()
    let signal: AbortSignal | null | undefined
    const { engine } = setUp(
      httpTransport({
        fetch: (_url, init) => {
          signal = init?.signal
          return fetch.mockImplementationOnce(forget)()
        },
      }),
    )
    void engine.sendMessage('go')
    await vi.advanceTimersByTimeAsync(60_000)
    expect(signal?.aborted).toBe(true)
  })

  it('may take as long as it takes', async () => {
    const { transport, held } = byHand()
    const { engine, requestState } = setUp(transport, { responseTimeoutMs: Infinity })
    const sent = engine.sendMessage('go')
    await vi.advanceTimersByTimeAsync(86_400_000)
    expect(requestState()).toBe('processing')
    void held.push(...answer('at last'))
    held.end()
    await vi.advanceTimersByTimeAsync(0)
    expect(await sent).toMatchObject({ requestState: 'completed' })
    expect(vi.getTimerCount()).toBe(0)
  })

  it('does not keep a reconnect waiting for ever', async () => {
    const reconnectToStream = forget
    const { engine, requestState } = setUp({ ...scriptedTransport(), reconnectToStream })
    const asked = engine.reconnect()
    await vi.advanceTimersByTimeAsync(60_000)
    expect(await asked).toMatchObject({ turnId: undefined, error: { code: 'response_timeout' } })
    expect(requestState()).toBe('idle')
  })
})

describe('a stream that falls silent', () => {
  it('is shown as soon as it has been silent for a second, until its next chunk', async () => {
    const transport = scriptedTransport()
    const held = transport.hold()
    const { engine, waitingFor } = setUp(transport)
    void engine.sendMessage('go')
    await vi.advanceTimersByTimeAsync(0)
    await held.push(...half)
    await vi.advanceTimersByTimeAsync(900)
    expect(waitingFor()).toBeUndefined()
    await vi.advanceTimersByTimeAsync(1_200)
    const { type, since = 0 } = waitingFor() ?? {}
    expect(type).toBe('stream')
    expect(since).toBeGreaterThanOrEqual(1_000_000)
    expect(since).toBeLessThanOrEqual(1_001_000)
    await held.push(rest[1]!)
    expect(waitingFor()).toBeUndefined()
  })

  it('is never shown while chunks come, and costs no publication', async () => {
    const transport = scriptedTransport()
    const held = transport.hold()
    const { engine, waitingFor } = setUp(transport)
    void engine.sendMessage('go')
    await held.push(...half)
    const turn = engine.getState().turn
    for (let count = 0; count < 30; count += 1) {
      await vi.advanceTimersByTimeAsync(300)
      await held.push(rest[1]!)
      expect(waitingFor()).toBeUndefined()
    }
    expect(engine.getState().turn).toBe(turn)
  })

  it('is shown as a response that has not begun, as long as no chunk has come', async () => {
    const transport = scriptedTransport()
    transport.hold()
    const { engine, waitingFor } = setUp(transport)
    void engine.sendMessage('go')
    await vi.advanceTimersByTimeAsync(12_000)
    expect(waitingFor()).toEqual({ type: 'response', since: 1_000_000 })
  })

  it('fails the turn after its deadline, keeps what was said, and is asked for again', async () => {
    const { transport, held } = byHand()
    transport.add(answer('whole'))
    const { engine } = setUp(transport)
    const sent = engine.sendMessage('go')
    await held.push(...half)
    await vi.advanceTimersByTimeAsync(301_000)
    expect(await sent).toMatchObject({
      requestState: 'error',
      error: { code: 'stream_timeout', retryable: true, details: { timeoutMs: 300_000 } },
    })
    await held.cancelled
    expect(engine.getState().messages.at(-1)?.parts).toMatchObject([
      {},
      { text: 'Half', state: 'done' },
    ])
    await engine.retry()
    expect(engine.getState().messages.at(-1)?.parts).toMatchObject([{}, { text: 'whole' }])
    expect(vi.getTimerCount()).toBe(0)
  })

  it('does not fail while the server keeps its connection open with comments', async () => {
    const { fetch, send, sendChunks } = server()
    const { engine, waitingFor, requestState } = setUp(httpTransport({ fetch }), {
      silenceTimeoutMs: 20_000,
    })
    const sent = engine.sendMessage('go')
    await vi.advanceTimersByTimeAsync(0)
    await sendChunks(...half)
    for (let minute = 0; minute < 10; minute += 1) {
      await vi.advanceTimersByTimeAsync(15_000)
      await send(': still here\n\n')
    }
    expect(requestState()).toBe('processing')
    // Whoever reads sees nothing new all the same.
    expect(waitingFor()).toMatchObject({ type: 'stream' })
    expect(waitingFor()?.since).toBeLessThan(1_002_000)
    await vi.advanceTimersByTimeAsync(21_000)
    expect((await sent).error?.code).toBe('stream_timeout')
  })

  it('is found by the clock in a page whose timers are slowed down', async () => {
    const setFast = globalThis.setInterval
    vi.spyOn(globalThis, 'setInterval').mockImplementation(
      // Once a minute, as browsers do it in the background.
      (tick) => setFast(tick as () => void, 60_000),
    )
    const transport = scriptedTransport()
    const held = transport.hold()
    const { engine, requestState } = setUp(transport)
    const sent = engine.sendMessage('go')
    await held.push(...half)
    await vi.advanceTimersByTimeAsync(359_000)
    expect(requestState()).toBe('processing')
    await vi.advanceTimersByTimeAsync(1_000)
    expect((await sent).error?.code).toBe('stream_timeout')
  })

  it('is given a moment to show life after a sleep of the machine', async () => {
    const transport = scriptedTransport()
    const held = transport.hold()
    const { engine, requestState } = setUp(transport)
    const sent = engine.sendMessage('go')
    await held.push(...half)
    await vi.advanceTimersByTimeAsync(2_000)
    vi.setSystemTime(Date.now() + 3_600_000)
    await vi.advanceTimersByTimeAsync(1_000)
    expect(requestState()).toBe('processing')
    await held.push(...(rest.slice(1) as UIMessageChunk[]))
    held.end()
    await vi.advanceTimersByTimeAsync(0)
    expect(await sent).toMatchObject({ requestState: 'completed' })
  })

  it('is complete when it has said its finish, though its connection stays open', async () => {
    const transport = scriptedTransport()
    const held = transport.hold()
    const { engine } = setUp(transport, { silenceTimeoutMs: 5_000 })
    const sent = engine.sendMessage('go')
    await held.push(...answer('whole'))
    await vi.advanceTimersByTimeAsync(6_000)
    expect(await sent).toMatchObject({ requestState: 'completed', finishReason: 'stop' })
  })

  it('fails also when it was taken up', async () => {
    const fresh = scriptedTransport()
    const held = fresh.hold()
    // The same, as what answers a reconnect.
    const { engine } = setUp({
      ...fresh,
      reconnectToStream: (asked) =>
        fresh.sendMessages({
          abortSignal: undefined,
          ...asked,
          trigger: 'submit-message',
          messageId: '',
          messages: [],
        }),
    })
    const asked = engine.reconnect()
    await held.push(...half)
    await vi.advanceTimersByTimeAsync(301_000)
    expect((await asked).error?.code).toBe('stream_timeout')
  })

  it('is forgotten when the turn is aborted', async () => {
    const { transport, held } = byHand()
    transport.add(answer('whole'))
    const { engine, waitingFor } = setUp(transport)
    void engine.sendMessage('go')
    await held.push(...half)
    await vi.advanceTimersByTimeAsync(5_000)
    expect(waitingFor()).toBeDefined()
    await engine.abort()
    expect(waitingFor()).toBeUndefined()
    expect(vi.getTimerCount()).toBe(0)
  })
})

it.each([0, -1, Number.NaN])('a deadline of %d is refused', (ms) => {
  const transport = scriptedTransport()
  for (const name of ['responseTimeoutMs', 'silenceTimeoutMs']) {
    expect(() => createMessageEngine({ transport, [name]: ms })).toThrow(
      expect.objectContaining({ code: 'invalid_argument' }),
    )
  }
})
