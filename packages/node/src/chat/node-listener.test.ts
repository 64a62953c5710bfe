import { once } from 'node:events'
import { IncomingMessage, request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { describe, expect, test } from 'vitest'
import { serveListener } from '../../test/serve-chat.ts'
import { toNodeListener } from './node-listener.ts'

async function start(handle: (request: Request) => Promise<Response | undefined>) {
  const errors: unknown[] = []
  const listener = toNodeListener(handle, (error) => void errors.push(error))
  return { url: await serveListener(listener), errors }
}

describe('the adapter to Node', () => {
  test('hands over method, address, headers and body, and hands back the response', async () => {
    const { url } = await start(async (request) => {
      const { method } = request
      const body = await request.text()
      const header = request.headers.get('x-test')
      const { pathname, search } = new URL(request.url)
      return Response.json(
        { method, body, header, pathname, search },
        { status: 201, headers: { 'x-answer': 'yes' } },
      )
    })
    const body = 'ü'.repeat(200_000)
    const response = await fetch(`${url}/a/b?c=d`, {
      method: 'PUT',
      body,
      headers: { 'x-test': '1' },
    })
    expect(response.status).toBe(201)
    expect(response.headers.get('x-answer')).toBe('yes')
    expect(await response.json()).toEqual({
      method: 'PUT',
      body,
      header: '1',
      pathname: '/a/b',
      search: '?c=d',
    })
  })

  test('takes a body that a middleware has read from what that kept of it, and says so when it kept none', async () => {
    const kept: unknown[] = [{ a: ['ü'] }, '{"b":1}', Buffer.from('{"c":2}'), undefined]
    const errors: unknown[] = []
    const listener = toNodeListener(
      async (request) => new Response(await request.text()),
      (error) => void errors.push(error),
    )
    const url = await serveListener((incoming, outgoing) => {
      incoming.resume().on('end', () => {
        listener(Object.assign(incoming, { body: kept.shift() }), outgoing)
      })
    })
    const post = () => fetch(url, { method: 'POST', body: 'read before' })
    const bodies = [await post(), await post(), await post()].map((response) => response.text())
    expect(await Promise.all(bodies)).toEqual(['{"a":["ü"]}', '{"b":1}', '{"c":2}'])
    expect((await post()).status).toBe(500)
    expect(errors).toMatchObject([{ message: expect.stringContaining('Mount the chat before it') }])
  })

  test('sends the first bytes while the rest is still being made', async () => {
    const rest = Promise.withResolvers<void>()
    const { url } = await start(
      async () =>
        new Response(
          new ReadableStream<Uint8Array>({
            async start(controller) {
              controller.enqueue(new TextEncoder().encode('first'))
              await rest.promise
              controller.enqueue(new TextEncoder().encode(' last'))
              controller.close()
            },
          }),
        ),
    )
    const reader = (await fetch(url)).body!.pipeThrough(new TextDecoderStream()).getReader()
    expect((await reader.read()).value).toBe('first')
    rest.resolve()
    expect((await reader.read()).value).toBe(' last')
    expect((await reader.read()).done).toBe(true)
  })

  test('reads no faster than the client takes', async () => {
    const chunk = new Uint8Array(256 * 1024)
    const total = 400
    let made = 0
    const { url } = await start(
      async () =>
        new Response(
          new ReadableStream<Uint8Array>({
            pull(controller) {
              controller.enqueue(chunk)
              if (++made === total) controller.close()
            },
          }),
        ),
    )
    const client = httpRequest(url)
    client.end()
    const [response]: unknown[] = await once(client, 'response')
    if (!(response instanceof IncomingMessage)) throw new TypeError('No response')
    // Paused: it stalls as soon as the buffers of both ends are full.
    let before = -1
    await expect
      .poll(
        () => {
          const stalled = made === before
          before = made
          return stalled
        },
        { interval: 200, timeout: 10_000 },
      )
      .toBe(true)
    expect(made).toBeLessThan(total / 2)
    let bytes = 0
    for await (const data of response) bytes += (data as Buffer).byteLength
    expect(made).toBe(total)
    expect(bytes).toBe(total * chunk.byteLength)
  })

  test('aborts the request and cancels the response when the client goes away', async () => {
    const aborted = Promise.withResolvers<unknown>()
    const cancelled = Promise.withResolvers<unknown>()
    const { url, errors } = await start(async (request) => {
      request.signal.addEventListener('abort', () => aborted.resolve(request.signal.reason))
      return new Response(new ReadableStream({ cancel: cancelled.resolve }))
    })
    const leave = new AbortController()
    const response = await fetch(url, { signal: leave.signal })
    expect(response.ok).toBe(true)
    leave.abort()
    expect(await aborted.promise).toMatchObject({ name: 'AbortError' })
    expect(await cancelled.promise).toMatchObject({ name: 'AbortError' })
    expect(errors).toEqual([])
  })

  test('aborts a handler that has not answered yet', async () => {
    const called = Promise.withResolvers<void>()
    const aborted = Promise.withResolvers<void>()
    const { url, errors } = await start(async (request) => {
      const gone = new Promise<void>((resolve) => {
        request.signal.addEventListener('abort', () => resolve())
      })
      called.resolve()
      await gone
      aborted.resolve()
      throw new Error('too late to matter')
    })
    const leave = new AbortController()
    const answer = fetch(url, { signal: leave.signal })
    await called.promise
    leave.abort()
    await expect(answer).rejects.toThrow('This operation was aborted')
    await aborted.promise
    expect(errors).toEqual([])
  })

  test('does not abort a request that was answered', async () => {
    let signal: AbortSignal | undefined
    const { url } = await start(async (request) => {
      signal = request.signal
      return new Response('done')
    })
    expect(await (await fetch(url)).text()).toBe('done')
    expect(signal?.aborted).toBe(false)
  })

  test('answers a handler that throws with status 500, and tells the error to the server only', async () => {
    const { url, errors } = await start(async () => {
      throw new Error('a secret of the server')
    })
    const response = await fetch(url)
    expect(response.status).toBe(500)
    expect(await response.json()).toEqual({
      error: { code: 'server-error', message: 'The server failed; its console says why.' },
    })
    expect(errors).toMatchObject([{ message: 'a secret of the server' }])
  })

  test('cuts the connection when a response fails after its first byte', async () => {
    const { url, errors } = await start(
      async () =>
        new Response(
          new ReadableStream<Uint8Array>({
            start: (controller) => controller.enqueue(new Uint8Array(3)),
            pull: () => {
              throw new Error('broken')
            },
          }),
        ),
    )
    const response = await fetch(url)
    expect(response.status).toBe(200)
    await expect(response.arrayBuffer()).rejects.toThrow('terminated')
    expect(errors).toMatchObject([{ message: 'broken' }])
  })

  test('leaves what is not its own to whoever comes next', async () => {
    const { url } = await start(async () => undefined)
    expect((await fetch(url)).status).toBe(404)
  })

  test('refuses an address that makes no sense', async () => {
    const { url } = await start(async () => new Response('ok'))
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    socket.write('GET / HTTP/1.1\r\nHost: a b:c\r\nConnection: close\r\n\r\n')
    const answer = (await socket.toArray()).map(String).join('')
    expect(answer).toMatch(/^HTTP\/1\.1 400 /)
  })
})
