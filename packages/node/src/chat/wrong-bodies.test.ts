import { connect } from 'node:net'
import { gzipSync } from 'node:zlib'
import type { ToolSet } from 'ai'
import { describe, expect, test } from 'vitest'
import { readEvents } from '../../test/raw-chat.ts'
import { scriptedModel } from '../../test/scripted-model.ts'
import { SECRET, serveChat, serveListener } from '../../test/serve-chat.ts'
import type { ChatHandlerOptions } from './chat-options.ts'
import { createChatHandler } from './create-chat-handler.ts'
import { toNodeListener } from './node-listener.ts'

const hello = { id: 'u', role: 'user', parts: [{ type: 'text', text: 'Hello' }] }
const schema = { type: 'object', properties: {} }

async function start<USER = unknown>(more: Partial<ChatHandlerOptions<ToolSet, USER>> = {}) {
  const model = scriptedModel(['Hello.', 'Again.', 'And again.'])
  const served = await serveChat<ToolSet, USER>({ model, ...more })
  const send = (body: string, type = 'application/json', method = 'POST') =>
    fetch(served.api, { method, body, headers: { 'content-type': type } })
  return { ...served, model, send }
}

describe('a body that is wrong', () => {
  test.each<[string, unknown, string]>([
    ['a list', [], 'The body must be a JSON object with "messages".'],
    ['null', null, 'The body must be a JSON object with "messages".'],
    ['without messages', {}, 'The body must have "messages", a list.'],
    ['with messages of a wrong type', { messages: 'hi' }, 'The body must have "messages", a list.'],
    ['with no messages', { messages: [] }, 'messages must have at least 1 item.'],
    [
      'with an id that is none',
      { id: 7, messages: [hello] },
      'id must be the id of the conversation, a string of 1 to 512 characters.',
    ],
    [
      'with a wrong role',
      { messages: [{ ...hello, role: 'robot' }] },
      'messages[0].role must be "system", "user" or "assistant".',
    ],
    [
      'with a wrong part',
      { messages: [hello, { ...hello, parts: [{ type: 'text' }] }] },
      'messages[1].parts[0].text must be a string.',
    ],
    [
      'with a part of no known type',
      { messages: [{ ...hello, parts: [{ type: 'song' }] }] },
      'messages[0].parts[0].type has a value that is not known.',
    ],
    [
      'with a call without input',
      {
        messages: [
          hello,
          {
            ...hello,
            role: 'assistant',
            parts: [{ type: 'tool-a', toolCallId: '1', state: 'approval-requested', input: {} }],
          },
        ],
      },
      'messages[1].parts[0].approval must be an object.',
    ],
    [
      'with a message without parts',
      { messages: [{ ...hello, parts: [] }] },
      'messages[0].parts must have at least 1 item.',
    ],
    [
      'with a description that is too long',
      {
        messages: [hello],
        tools: [{ name: 'a', inputSchema: schema, description: 'x'.repeat(4001) }],
      },
      'tools[0].description must have at most 4000 characters.',
    ],
    [
      'with a system message',
      { messages: [{ ...hello, role: 'system' }] },
      "messages[0]: system messages are the server's to write.",
    ],
    ['with tools that are no list', { messages: [hello], tools: {} }, 'tools must be a list.'],
    [
      'with a tool of a bad name',
      { messages: [hello], tools: [{ name: 'a b', inputSchema: schema }] },
      'tools[0].name must be 1 to 64 letters, digits, "_" or "-".',
    ],
    [
      'with a tool that inherits',
      { messages: [hello], tools: [{ name: '__proto__', inputSchema: schema }] },
      'tools[0].name must be 1 to 64 letters, digits, "_" or "-".',
    ],
    [
      'with a tool without schema',
      { messages: [hello], tools: [{ name: 'a' }] },
      'tools[0].inputSchema must be an object.',
    ],
    [
      'with a schema of another type',
      { messages: [hello], tools: [{ name: 'a', inputSchema: { type: 'string' } }] },
      'tools[0].inputSchema.type must be "object".',
    ],
    [
      'with a schema that is too large',
      {
        messages: [hello],
        tools: [{ name: 'a', inputSchema: { ...schema, x: 'é'.repeat(20_000) } }],
      },
      'tools[0].inputSchema must be at most 32768 bytes of JSON.',
    ],
    [
      'with too many tools',
      {
        messages: [hello],
        tools: Array.from({ length: 65 }, (_, n) => ({ name: `t${n}`, inputSchema: schema })),
      },
      'tools must have at most 64 items.',
    ],
    [
      'with a tool twice',
      {
        messages: [hello],
        tools: [
          { name: 'a', inputSchema: schema },
          { name: 'a', inputSchema: schema },
        ],
      },
      'tools must have each name once, and has "a" twice.',
    ],
  ])('%s is refused with 400', async (_, body, message) => {
    const { send, model } = await start()
    const response = await send(JSON.stringify(body))
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ error: { message } })
    expect(model.doStreamCalls).toEqual([])
  })

  test('that is no JSON, of another type, or too large is refused', async () => {
    const { send } = await start({ maxBodyBytes: 1000 })
    const body = JSON.stringify({ messages: [hello] })
    expect((await send('{"messages":')).status).toBe(400)
    expect((await send(body, 'text/plain')).status).toBe(415)
    for (const type of [
      'application/json, text/plain',
      'application/json-patch',
      'text/plain; application/json',
    ]) {
      expect((await send(body, type)).status).toBe(415)
    }
    expect((await send(body, 'application/x-www-form-urlencoded')).status).toBe(415)
    const tooLarge = await send(' '.repeat(1001))
    expect(tooLarge.status).toBe(413)
    expect(await tooLarge.json()).toEqual({
      error: { code: 'too-large', message: 'The body must be at most 1000 bytes.' },
    })
  })

  test.each(['gzip', 'br', 'identity, gzip'])(
    'that is compressed (%s) is refused in words',
    async (encoding) => {
      const { api, model, errors } = await start()
      const response = await fetch(api, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'content-encoding': encoding },
        body: gzipSync(JSON.stringify({ messages: [hello] })),
      })
      expect(response.status).toBe(415)
      expect(response.headers.get('accept-encoding')).toBe('identity')
      expect(await response.json()).toMatchObject({
        error: {
          code: 'encoded',
          message: expect.stringContaining('Send it without "content-encoding"'),
        },
      })
      expect([model.doStreamCalls, errors]).toEqual([[], []])
    },
  )

  test('that the client drops half-way is no fault of the server', async () => {
    const refused = Promise.withResolvers<unknown>()
    const errors: unknown[] = []
    const handler = createChatHandler({
      model: scriptedModel(['Hello.']),
      approvalSecret: SECRET,
      ledger: 'memory',
      onError: (error) => void errors.push(error),
    })
    const answer = async (request: Request) => {
      const response = await handler(request)
      refused.resolve([response.status, await response.clone().json()])
      return response
    }
    const origin = await serveListener(toNodeListener(answer, (error) => void errors.push(error)))
    const socket = connect(Number(new URL(origin).port), '127.0.0.1')
    const head = 'POST /api/chat HTTP/1.1\r\nHost: localhost\r\ncontent-type: application/json'
    socket.write(`${head}\r\ncontent-length: 1000\r\n\r\n{"messages":`, () =>
      socket.resetAndDestroy(),
    )
    expect(await refused.promise).toMatchObject([
      400,
      { error: { code: 'bad-body', message: expect.stringContaining('Send it again') } },
    ])
    expect(errors).toEqual([])
  })

  test('that is too large is refused also when it does not say its length', async () => {
    const { api } = await start({ maxBodyBytes: 1000 })
    const response = await fetch(api, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: new Blob([' '.repeat(600), ' '.repeat(600)]).stream(),
      duplex: 'half',
    } as RequestInit)
    expect(response.status).toBe(413)
  })

  test('takes a tool whose name objects inherit as any other', async () => {
    const { send, model } = await start()
    const tools = [{ name: 'constructor', inputSchema: schema }]
    const response = await send(JSON.stringify({ messages: [hello], tools }))
    expect(response.status).toBe(200)
    const text = await readEvents(response).rest()
    expect(text).toContain('Hello.')
    // What the engine's continuation goes by, and what the answer took.
    expect(text).toContain('"rawFinishReason":"stop","totalUsage":{"inputTokens":')
    expect(model.doStreamCalls[0]?.tools).toMatchObject([{ name: 'constructor' }])
  })
})
