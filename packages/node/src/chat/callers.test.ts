import { request as httpRequest, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { userMessage } from '../../test/raw-chat.ts'
import { scriptedModel } from '../../test/scripted-model.ts'
import { serveChat } from '../../test/serve-chat.ts'
import type { ChatHandlerOptions } from './chat-options.ts'

async function start(more: Partial<ChatHandlerOptions> = {}) {
  const model = scriptedModel([])
  const { api } = await serveChat({ model, ...more })
  const { port } = new URL(api)
  /** Sends what a browser would, with headers that `fetch` keeps to itself. */
  async function call(headers: Record<string, string>, method = 'POST') {
    const body = JSON.stringify({ id: 'chat', messages: [userMessage('Hi')] })
    const sent = httpRequest(api, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
    })
    sent.end(method === 'POST' ? body : undefined)
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      sent.on('response', resolve).on('error', reject)
    })
    return {
      status: response.statusCode,
      allows: response.headers['access-control-allow-origin'],
      headers: response.headers,
      said: await text(response),
    }
  }
  return { call, port, model }
}

describe('without authorize', () => {
  test.each(['localhost', '127.0.0.1:3000', '[::1]:3000', 'app.localhost', 'LOCALHOST:80'])(
    'a chat is served by a name of its own machine: %s',
    async (host) => {
      const { call } = await start()
      expect(await call({ host })).toMatchObject({ status: 200, allows: undefined })
    },
  )

  test.each([
    'evil.example',
    'localhost.evil.example',
    'evillocalhost',
    '127.0.0.1.evil.example',
    '192.168.1.7:3000',
    '0.0.0.0',
    'localhost,evil.example',
    '127.1',
    '0x7f000001',
    '2130706433:3000',
    '127.000.0.1',
    '[0:0:0:0:0:0:0:1]',
  ])('and by no other one, so that none can be led there: %s', async (host) => {
    const { call, model } = await start()
    const { status, said } = await call({ host })
    expect(status).toBe(403)
    expect(JSON.parse(said)).toMatchObject({
      error: { code: 'foreign-host', message: expect.stringContaining('allowedHosts') },
    })
    expect(said).toContain(JSON.stringify(JSON.stringify(host)).slice(1, -1))
    expect(model.doStreamCalls).toEqual([])
  })

  test('and not without a name, as HTTP/1.0 may send it', async () => {
    const { port, model } = await start()
    const socket = connect(Number(port), '127.0.0.1')
    const body = JSON.stringify({ id: 'chat', messages: [userMessage('Hi')] })
    const head = `POST /api/chat HTTP/1.0\r\ncontent-type: application/json\r\ncontent-length: ${body.length}`
    socket.write(`${head}\r\n\r\n${body}`)
    const answer = (await socket.toArray()).map(String).join('')
    expect(answer).toMatch(/^HTTP\/1\.1 403 /)
    expect(answer).toContain('"foreign-host"')
    expect(model.doStreamCalls).toEqual([])
  })

  test.each(['localhost@evil.example', 'evil.example#localhost', 'evil.example/localhost'])(
    'what is no name is no request: %s',
    async (host) => {
      const { call, model } = await start()
      expect(await call({ host })).toMatchObject({ status: 400 })
      expect(model.doStreamCalls).toEqual([])
    },
  )

  test.each([
    'https://evil.example',
    'null',
    'http://localhost.evil.example',
    'file://',
    'x',
    'ftp://localhost',
    'http://127.1',
    'http://localhost/a',
  ])('a page of another site is refused: %s', async (origin) => {
    const { call, model } = await start()
    for (const method of ['POST', 'GET', 'DELETE', 'OPTIONS']) {
      const { status, said, allows } = await call({ origin }, method)
      expect([status, allows]).toEqual([403, undefined])
      expect(JSON.parse(said)).toMatchObject({
        error: { code: 'foreign-origin', message: expect.stringContaining('allowedOrigins') },
      })
    }
    expect(model.doStreamCalls).toEqual([])
  })

  test('a request of another site that names no origin is refused', async () => {
    const { call } = await start()
    expect(await call({ 'sec-fetch-site': 'cross-site' })).toMatchObject({ status: 403 })
    expect(await call({ 'sec-fetch-site': 'same-origin' })).toMatchObject({ status: 200 })
  })

  test('a page of the machine may call on another port, and its browser is told so', async () => {
    const { call } = await start()
    const origin = 'http://localhost:5173'
    const asked = { origin, 'access-control-request-headers': 'content-type' }
    const preflight = await call(asked, 'OPTIONS')
    expect(preflight).toMatchObject({ status: 204, allows: origin })
    expect(preflight.headers).toMatchObject({
      'access-control-allow-headers': 'content-type',
      'access-control-allow-methods': 'GET, POST, DELETE',
      vary: 'origin',
    })
    expect(await call({ origin })).toMatchObject({ status: 200, allows: origin })
    // Also what went wrong is shown to it.
    expect(await call({ origin }, 'PUT')).toMatchObject({ status: 405, allows: origin })
  })

  test('names and pages that are listed are let in', async () => {
    const app = 'https://app.example'
    const { call } = await start({
      allowedHosts: ['chat.lan', 'two.lan:81'],
      allowedOrigins: [app],
    })
    expect(await call({ host: 'chat.lan:3000' })).toMatchObject({ status: 200 })
    expect(await call({ host: 'two.lan:81', origin: 'https://two.lan:81' })).toMatchObject({
      status: 200,
    })
    expect(await call({ host: 'two.lan:82' })).toMatchObject({ status: 403 })
    expect(await call({ host: 'chat.lan', origin: app })).toMatchObject({
      status: 200,
      allows: app,
    })
    // A page of this machine is foreign to a name that others can reach.
    const local = { host: 'chat.lan', origin: 'http://localhost:5173' }
    expect(await call(local)).toMatchObject({ status: 403 })
  })
})

test('with authorize it is for the app to say who may call', async () => {
  const { call } = await start({ authorize: () => 'ada' })
  const headers = { host: 'chat.example', origin: 'https://app.example' }
  expect(await call(headers)).toMatchObject({ status: 200, allows: undefined })
})
