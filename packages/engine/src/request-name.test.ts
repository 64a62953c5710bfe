import { describe, expect, onTestFinished, test } from 'vitest'
import { createMessageEngine } from './engine.ts'
import { memoryStorage } from './storage/memory-storage.ts'
import { defineStorage } from './storage/define-storage.ts'
import { answer as whole, untilState } from './testing/index.ts'
import { httpTransport } from './transport/http-transport.ts'

interface Named {
  requestId?: string
  supersedes?: string[]
}

/** What the server answers: all of it, all but the end, a status, or nothing that comes to an end. */
type Answer = 'whole' | 'cut' | 'open' | number

/** An engine, and what the server is told of the names of its requests. */
function connect(answers: Answer[], disk = memoryStorage(), api = '/api/chat') {
  const bodies: Named[] = []
  const urls: string[] = []
  const encode = (chunks: object[]) =>
    chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('')
  const respond = (answer: Answer | undefined): Response => {
    if (typeof answer === 'number') return new Response(null, { status: answer })
    const chunks = whole('Hi.')
    const kept = answer === 'whole' ? chunks : chunks.slice(0, -2)
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(new TextEncoder().encode(encode(kept)))
        if (answer === 'cut') controller.error(new TypeError('The connection was lost.'))
        if (answer === 'whole') controller.close()
      },
    })
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
  }
  const engine = createMessageEngine({
    id: 'chat',
    storage: defineStorage(disk),
    transport: httpTransport({
      api,
      retry: { sleep: async () => undefined },
      fetch: async (url, { method, body } = {}) => {
        urls.push(`${method} ${String(url)}`)
        if (method === 'POST') bodies.push(JSON.parse(String(body)))
        return respond(answers.shift())
      },
    }),
    onError: () => undefined,
  })
  onTestFinished(() => engine.dispose())
  return { engine, bodies, urls, names: () => bodies.map(({ requestId }) => requestId) }
}

describe('the name of a request', () => {
  test('is the same when it is made again, by the transport or by a person', async () => {
    const { engine, names } = connect([503, 'cut', 'whole'])
    expect(await engine.sendMessage('a')).toMatchObject({ requestState: 'error' })
    expect(await engine.retry()).toMatchObject({ requestState: 'completed' })
    const [name, ...others] = names()
    expect(name).toMatch(/./)
    expect(others).toEqual([name, name])
  })

  test('is another one for another message, which supersedes nothing that has ended', async () => {
    const { engine, bodies, names } = connect(['whole', 'whole'])
    await engine.sendMessage('a')
    await engine.sendMessage('b')
    expect(new Set(names()).size).toBe(2)
    expect(bodies.every(({ supersedes }) => supersedes === undefined)).toBe(true)
  })

  test('is superseded by the next request when its answer was cut or aborted, until one has ended', async () => {
    const { engine, bodies, names } = connect(['cut', 'open', 'whole', 'whole'])
    await engine.sendMessage('a')
    const aborted = engine.sendMessage('b')
    await untilState(engine, ({ processingState }) => processingState === 'completing')
    await engine.abort()
    await aborted
    await engine.sendMessage('c')
    await engine.sendMessage('d')
    const [a, b] = names()
    expect(bodies.map(({ supersedes }) => supersedes)).toEqual([undefined, [a], [a, b], undefined])
  })

  test('is asked for when the answer is taken up, also after a reload, and not once it has ended', async () => {
    const disk = memoryStorage()
    const first = connect(['cut'], disk)
    await first.engine.sendMessage('a')
    first.engine.dispose()
    const second = connect(['whole', 204], disk, '/api/chat?tenant=1#top')
    await second.engine.ready
    await second.engine.reconnect()
    expect(second.engine.getState().requestState).toBe('completed')
    await second.engine.reconnect()
    const [name = ''] = first.names()
    const stream = 'GET /api/chat/chat/stream?tenant=1'
    expect(second.urls).toEqual([
      `${stream}&requestId=${encodeURIComponent(name)}#top`,
      `${stream}#top`,
    ])
  })
})
