import { afterEach, describe, expect, test } from 'vitest'
import { type ServedChat, startChat } from './testing/start-chat.ts'

const close: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const stop of close.splice(0)) await stop()
})

async function start(): Promise<ServedChat> {
  const served = await startChat()
  close.push(served.close)
  return served
}

describe('a request that is wrong', () => {
  const hello = { id: 'u', role: 'user', parts: [{ type: 'text', text: 'Hello' }] }
  const schema = { type: 'object', properties: {} }
  const post = (url: string, body: string, type = 'application/json') =>
    fetch(url, { method: 'POST', body, headers: { 'content-type': type } })

  test.each<[string, unknown, string]>([
    ['a list', [], 'The body must be a JSON object with "messages".'],
    ['null', null, 'The body must be a JSON object with "messages".'],
    ['without messages', {}, 'The body must have "messages", a list.'],
    ['with messages of a wrong type', { messages: 'hi' }, 'The body must have "messages", a list.'],
    ['with no messages', { messages: [] }, 'messages: Messages array must not be empty'],
    [
      'with a wrong role',
      { messages: [{ ...hello, role: 'robot' }] },
      'messages[0].role: Invalid option: expected one of "system"|"user"|"assistant"',
    ],
    [
      'with a wrong part',
      { messages: [hello, { ...hello, parts: [{ type: 'text' }] }] },
      'messages[1].parts[0].text: Invalid input: expected string, received undefined',
    ],
    [
      'with a system message',
      { messages: [{ ...hello, role: 'system' }] },
      "messages[0]: system messages are the server's to write.",
    ],
    [
      'with tools that are no list',
      { messages: [hello], tools: {} },
      'tools: Invalid input: expected array, received object',
    ],
    [
      'with a tool of a bad name',
      { messages: [hello], tools: [{ name: 'a b', inputSchema: schema }] },
      'tools[0].name: must be 1 to 64 letters, digits, "_" or "-"',
    ],
    [
      'with a tool that inherits',
      { messages: [hello], tools: [{ name: '__proto__', inputSchema: schema }] },
      'tools[0].name: must be 1 to 64 letters, digits, "_" or "-"',
    ],
    [
      'with a tool without schema',
      { messages: [hello], tools: [{ name: 'a' }] },
      'tools[0].inputSchema: Invalid input: expected object, received undefined',
    ],
    [
      'with a schema of another type',
      { messages: [hello], tools: [{ name: 'a', inputSchema: { type: 'string' } }] },
      'tools[0].inputSchema.type: Invalid input: expected "object"',
    ],
    [
      'with a schema that is too large',
      {
        messages: [hello],
        tools: [{ name: 'a', inputSchema: { ...schema, x: 'é'.repeat(20_000) } }],
      },
      'tools[0].inputSchema: must be at most 32768 bytes of JSON',
    ],
    [
      'with too many tools',
      {
        messages: [hello],
        tools: Array.from({ length: 65 }, (_, n) => ({ name: `t${n}`, inputSchema: schema })),
      },
      'tools: Too big: expected array to have <=64 items',
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
      'tools: the name "a" is there twice',
    ],
  ])('%s is refused with 400', async (_, body, message) => {
    const { url, prompts } = await start()
    const response = await post(url, JSON.stringify(body))
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ error: { message } })
    expect(prompts).toEqual([])
  })

  test('that is no JSON, of another type, or too large is refused', async () => {
    const { url } = await start()
    expect((await post(url, '{"messages":')).status).toBe(400)
    expect((await post(url, JSON.stringify({ messages: [hello] }), 'text/plain')).status).toBe(415)
    expect((await post(url, ' '.repeat(9_000_000))).status).toBe(413)
  })

  test('takes a tool whose name objects inherit as any other', async () => {
    const { url } = await start()
    const tools = [{ name: 'constructor', inputSchema: schema }]
    const response = await post(url, JSON.stringify({ messages: [hello], tools }))
    expect(response.status).toBe(200)
    expect(await response.text()).toMatch(/understa/)
  })
})
