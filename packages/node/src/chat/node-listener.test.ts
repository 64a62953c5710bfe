import { once } from 'node:events'
import { IncomingMessage, request as httpRequest } from 'node:http'
import { connect as connectHttp2, createServer as createHttp2Server } from 'node:http2'
import { connect, type AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { describe, expect, onTestFinished, test } from 'vitest'
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

  test('says nothing of the compression of a body that a middleware has unpacked', async () => {
    const listener = toNodeListener(async ({ headers }) =>
      Response.json(['content-encoding', 'content-length'].map((name) => headers.get(name))),
    )
    const url = await serveListener((incoming, outgoing) => {
      incoming.resume().on('end', () => {
        listener(Object.assign(incoming, { body: { unpacked: true } }), outgoing)
      })
    })
    const headers = { 'content-encoding': 'gzip' }
    const response = await fetch(url, { method: 'POST', headers, body: gzipSync('{}') })
    expect(await response.json()).toEqual([null, null])
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

  describe('takes the address of a request from one place', () => {
    /** Sends a request as it is written, and reads all that comes back. */
    async function answerTo(head: string): Promise<string> {
      const { url } = await start(async (request) => new Response(request.url))
      const socket = connect(Number(new URL(url).port), '127.0.0.1')
      socket.write(`${head}\r\nConnection: close\r\n\r\n`)
      return (await socket.toArray()).map(String).join('')
    }

    test.each([
      ['a host that is none', 'GET / HTTP/1.1\r\nHost: a b:c'],
      ['an empty host', 'GET / HTTP/1.1\r\nHost:'],
      ['a target of another host', 'GET http://evil.example/ HTTP/1.1\r\nHost: localhost'],
      ['another port', 'GET http://localhost:81/ HTTP/1.1\r\nHost: localhost'],
      ['a path that names another host', 'GET //evil.example/x HTTP/1.1\r\nHost: localhost'],
      ['the like with backslashes', 'GET \\\\evil.example/x HTTP/1.1\r\nHost: localhost'],
      [
        'a target with a name and a password',
        'GET http://a:b@localhost/ HTTP/1.1\r\nHost: localhost',
      ],
      ['a target of another kind', 'GET file:///etc/hosts HTTP/1.1\r\nHost: localhost'],
      ['two hosts', 'GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil.example'],
      ['the same host twice', 'GET / HTTP/1.1\r\nHost: localhost\r\nHost: localhost'],
      ['a target of a host and no Host', 'GET http://localhost/ HTTP/1.0\r\nX: y'],
      ['a method that no page can send', 'TRACE / HTTP/1.1\r\nHost: localhost'],
    ])('and refuses %s', async (_, head) => {
      const answer = await answerTo(head)
      expect(answer).toMatch(/^HTTP\/1\.1 400 /)
      expect(answer).not.toContain('evil.example')
    })

    test.each([
      ['a path', 'GET /a?b HTTP/1.1\r\nHost: localhost:81', 'http://localhost:81/a?b'],
      ['the whole', 'GET http://LOCALHOST:80/a HTTP/1.1\r\nHost: localhost', 'http://localhost/a'],
      ['no host at all', 'GET /a HTTP/1.0\r\nX: y', 'http://host.invalid/a'],
    ])('and takes %s', async (_, head, url) => {
      expect(`${await answerTo(head)}\r\n`).toContain(`\r\n${url}\r\n`)
    })

    test('and that of HTTP/2 from its own header', async () => {
      const listener = toNodeListener(async (request) => new Response(request.url))
      const server = createHttp2Server((incoming, outgoing) =>
        listener(incoming as never, outgoing as never),
      )
      server.listen(0, '127.0.0.1')
      await once(server, 'listening')
      const { port } = server.address() as AddressInfo
      const session = connectHttp2(`http://127.0.0.1:${port}`)
      onTestFinished(() => {
        session.close()
        server.close()
      })
      const get = async (headers: Record<string, string>) => {
        const stream = session.request({ ':path': '/a', ...headers })
        const [answered]: { ':status'?: number }[] = await once(stream, 'response')
        return [answered?.[':status'], (await stream.toArray()).map(String).join('')]
      }
      expect(await get({ ':authority': 'app.example' })).toEqual([200, 'http://app.example/a'])
      const two = await get({ ':authority': 'app.example', host: 'localhost' })
      expect(two[0]).toBe(400)
    })
  })
})
