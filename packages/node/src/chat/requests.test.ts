import { jsonSchema, tool, type ToolSet } from 'ai'
import { describe, expect, test } from 'vitest'
import { rawChat, readEvents, userMessage } from '../../test/raw-chat.ts'
import { scriptedModel } from '../../test/scripted-model.ts'
import { SECRET, serveChat } from '../../test/serve-chat.ts'
import type { ChatHandlerOptions } from './chat-options.ts'
import { createChatHandler } from './create-chat-handler.ts'
import { memoryLedger } from './memory-ledger.ts'
import { RequestError } from './request-error.ts'

async function start<USER = unknown>(more: Partial<ChatHandlerOptions<ToolSet, USER>> = {}) {
  const model = scriptedModel(['Hello.', 'Again.', 'And again.'])
  const served = await serveChat<ToolSet, USER>({ model, ...more })
  const send = (body: string, type = 'application/json', method = 'POST') =>
    fetch(served.api, { method, body, headers: { 'content-type': type } })
  return { ...served, model, send, chat: rawChat(served.api) }
}

describe('an address', () => {
  test('that is not its own is not found, and says where the chat is', async () => {
    const { origin } = await start()
    for (const path of ['/', '/api', '/api/chat/x', '/api/chat/x/other', '/api/chat/%ff/stream']) {
      const response = await fetch(origin + path)
      expect(response.status).toBe(404)
      expect(await response.json()).toMatchObject({
        error: { code: 'not-found', message: expect.stringContaining('The chat is at /api/chat') },
      })
    }
  })

  test('can be another one', async () => {
    const { origin } = await start({ path: '/v1/talk/' })
    const chat = rawChat(`${origin}/v1/talk`)
    expect((await chat.resume('a/b ?')).status).toBe(204)
    expect(await readEvents(await chat.post([userMessage('Hi')])).rest()).toContain('Hello.')
  })

  test('does not take every method', async () => {
    const { api } = await start()
    for (const [path, allow] of [
      ['', 'POST'],
      ['/x/stream', 'GET, DELETE'],
    ]) {
      const response = await fetch(api + path, { method: 'PUT', body: '{}' })
      expect(response.status).toBe(405)
      expect(response.headers.get('allow')).toBe(allow)
    }
  })
})

describe('who is let in', () => {
  test('is for the app to say', async () => {
    const { chat, model, errors } = await start({
      authorize: async (request) => {
        const user = request.headers.get('x-user')
        if (user === 'eve') throw new RequestError(403, 'banned', 'Not you.')
        return user === null ? undefined : { id: user }
      },
      tools: ({ user }) => ({
        [`hello_${user?.id}`]: tool({ inputSchema: jsonSchema({ type: 'object' }) }),
      }),
      instructions: ({ user }) => `You talk to ${user?.id}.`,
    })
    const messages = [userMessage('Hi')]
    const nobody = await chat.post(messages)
    expect(nobody.status).toBe(401)
    expect(await nobody.json()).toMatchObject({ error: { code: 'unauthorized' } })
    expect((await chat.resume()).status).toBe(401)
    expect((await chat.stop()).status).toBe(401)
    const banned = await chat.post(messages, { headers: { 'x-user': 'eve' } })
    expect(banned.status).toBe(403)
    expect(await banned.json()).toEqual({ error: { code: 'banned', message: 'Not you.' } })
    expect(model.doStreamCalls).toEqual([])

    await readEvents(await chat.post(messages, { headers: { 'x-user': 'ada' } })).rest()
    expect(model.doStreamCalls[0]?.prompt[0]).toMatchObject({ content: 'You talk to ada.' })
    expect(model.doStreamCalls[0]?.tools).toMatchObject([{ name: 'hello_ada' }])
    expect(errors).toEqual([])
  })

  test('must be told apart', async () => {
    const { chat, errors } = await start({ authorize: () => ({ name: 'Ada' }) })
    expect((await chat.post([userMessage('Hi')])).status).toBe(500)
    expect(errors).toMatchObject([{ code: 'invalid_argument' }])
    const told = await start({ authorize: () => ({ name: 'Ada' }), userKey: ({ name }) => name })
    expect((await told.chat.post([userMessage('Hi')])).status).toBe(200)
  })
})

describe('what tells users apart', () => {
  test.each([[1], [{ id: 1 }], [{ id: Number.NaN }], [{ id: '' }], [{ id: ['ada'] }], [true]])(
    'is a text that is not empty: %j is refused at once, and says what to give',
    async (user) => {
      const { chat, errors, model } = await start({ authorize: () => user })
      expect((await chat.post([userMessage('Hi')])).status).toBe(500)
      expect(errors).toMatchObject([
        { code: 'invalid_argument', message: expect.stringContaining('Give userKey') },
      ])
      expect(model.doStreamCalls).toEqual([])
    },
  )

  test('may be made by the app', async () => {
    const { chat } = await start({ authorize: () => ({ id: 1 }), userKey: ({ id }) => String(id) })
    expect((await chat.post([userMessage('Hi')])).status).toBe(200)
    // What JavaScript lets through.
    const wrong = await start({ authorize: () => 'ada', userKey: () => 1 as unknown as string })
    expect((await wrong.chat.post([userMessage('Hi')])).status).toBe(500)
  })
})

describe('too many requests', () => {
  test('are refused, and told when to come again', async () => {
    const { chat } = await start({
      authorize: (request) => request.headers.get('x-user'),
      rateLimit: { take: (key) => (key === 'eve' ? 1500 : 0) },
    })
    const refused = await chat.post([userMessage('Hi')], { headers: { 'x-user': 'eve' } })
    expect(refused.status).toBe(429)
    expect(refused.headers.get('retry-after')).toBe('2')
    expect(await refused.json()).toMatchObject({ error: { code: 'too-many-requests' } })
    expect((await chat.post([userMessage('Hi')], { headers: { 'x-user': 'ada' } })).status).toBe(
      200,
    )
  })

  test('are counted by the address that the app reads, and together where nobody knows it', async () => {
    const keys: string[] = []
    const rateLimit = { take: (key: string) => keys.push(key) - keys.length }
    const addressOf = ({ headers }: Request) => headers.get('x-real-ip') ?? undefined
    const { chat } = await start({ rateLimit, addressOf })
    await chat.resume('chat', { headers: { 'x-real-ip': '203.0.113.7' } })
    await chat.resume()
    expect(keys).toEqual(['203.0.113.7', 'everybody'])
  })

  test('are counted by address without users, and not at all when that is wanted', async () => {
    const keys: string[] = []
    const take = (key: string) => {
      keys.push(key)
      return 0
    }
    const { chat } = await start({ rateLimit: { take } })
    await chat.resume()
    expect(keys).toEqual(['127.0.0.1'])
    const { chat: limited } = await start()
    const statuses = await Promise.all(Array.from({ length: 70 }, () => limited.resume()))
    expect(statuses.filter(({ status }) => status === 429).length).toBeGreaterThan(5)
    const { chat: free } = await start({ rateLimit: false })
    const all = await Promise.all(Array.from({ length: 70 }, () => free.resume()))
    expect(all.every(({ status }) => status === 204)).toBe(true)
  })
})

describe('a handler', () => {
  const model = scriptedModel([])

  test('has a secret in production', () => {
    const before = process.env['NODE_ENV']
    process.env['NODE_ENV'] = 'production'
    try {
      expect(() => createChatHandler({ model })).toThrow(
        expect.objectContaining({ name: 'ChatHandlerError', code: 'secret_missing' }),
      )
      expect(createChatHandler({ model, approvalSecret: SECRET })).toBeTypeOf('function')
    } finally {
      process.env['NODE_ENV'] = before
    }
  })

  test('says where it remembers what has run, if tools run here', () => {
    const execute = () => 'sent'
    const send = tool({ inputSchema: jsonSchema({ type: 'object' }), execute })
    const make = (options: object) =>
      createChatHandler({ model, approvalSecret: SECRET, ...options })
    for (const tools of [{ send }, () => ({ send })]) {
      expect(() => make({ tools })).toThrow(
        expect.objectContaining({
          code: 'ledger_missing',
          message: expect.stringContaining("ledger: 'memory'"),
        }),
      )
      for (const ledger of ['memory', memoryLedger()]) {
        expect(make({ tools, ledger })).toBeTypeOf('function')
      }
    }
    const pageTools = { send: { ...send, execute: undefined } }
    expect(make({ tools: pageTools })).toBeTypeOf('function')
  })

  test('has one that is long enough, and numbers that make sense', () => {
    expect(() => createChatHandler({ model, approvalSecret: 'short' })).toThrow(
      expect.objectContaining({ code: 'secret_short' }),
    )
    for (const approvalSecret of [[], [SECRET, 'short']]) {
      expect(() => createChatHandler({ model, approvalSecret })).toThrow(
        expect.objectContaining({ code: 'secret_short' }),
      )
    }
    expect(() => createChatHandler({ model, approvalSecret: SECRET, maxSteps: 0 })).toThrow(
      expect.objectContaining({ code: 'invalid_argument' }),
    )
  })

  test.each<[string, () => void]>([
    [
      'at once',
      () => {
        throw new Error('no audit today')
      },
    ],
    ['later', () => Promise.reject(new Error('no audit today'))],
  ])('whose hooks throw %s answers all the same', async (_, onFinish) => {
    const { chat } = await start({ onFinish })
    expect(await readEvents(await chat.post([userMessage('Hi')])).rest()).toContain('[DONE]')
  })

  test('says so when an output cannot be sent, and goes on serving', async () => {
    const model = scriptedModel([[['1', 'count', {}]], 'Hello.'])
    const count = tool({ inputSchema: jsonSchema({ type: 'object' }), execute: () => 1n })
    const { chat, errors } = await start({ model, tools: { count } })
    const text = await readEvents(await chat.post([userMessage('Hi')])).rest()
    expect(text).toMatch(/A part of the answer cannot be sent.*\[DONE\]/s)
    // Of the ledger, too.
    expect(errors).toMatchObject([{ name: 'TypeError' }, { name: 'TypeError' }])
    expect((await chat.post([userMessage('Hi')])).status).toBe(200)
  })

  test('whose own functions fail says so without a word of theirs', async () => {
    const { chat, errors } = await start({
      tools: () => {
        throw new Error('the password of the database is swordfish')
      },
    })
    const response = await chat.post([userMessage('Hi')])
    expect(response.status).toBe(500)
    expect(await response.text()).not.toContain('swordfish')
    expect(errors).toHaveLength(1)
  })
})
