import type { RequestListener } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { H3 } from 'h3'
import { toNodeHandler } from 'h3/node'
import { Hono } from 'hono'
import { jsonSchema, tool } from 'ai'
import { createServer as createViteServer } from 'vite'
import { describe, expect, onTestFinished, test } from 'vitest'
import { connectEngine } from '../../test/chat-client.ts'
import { rawChat, readEvents, userMessage } from '../../test/raw-chat.ts'
import { scriptedModel } from '../../test/scripted-model.ts'
import { SECRET, serveListener } from '../../test/serve-chat.ts'
import { talkingModel } from '../../test/talking-model.ts'
import { createChatHandler } from './create-chat-handler.ts'
import { toNodeListener } from './node-listener.ts'

type Handler = ReturnType<typeof createChatHandler>

/** Each way to serve a chat that the documentation shows. */
const frameworks: [string, (chat: Handler) => RequestListener | Promise<RequestListener>][] = [
  ['node:http', (chat) => toNodeListener(chat)],
  [
    'Hono',
    (chat) => {
      const app = new Hono()
      app.all('/api/chat/*', ({ req }) => chat(req.raw))
      return getRequestListener(app.fetch)
    },
  ],
  [
    'h3, and with it Nitro',
    (chat) => {
      const app = new H3()
      app.all('/api/chat', ({ req }) => chat(req))
      app.all('/api/chat/**', ({ req }) => chat(req))
      return toNodeHandler(app)
    },
  ],
  [
    'a middleware of Vite',
    async (chat) => {
      const vite = await createViteServer({
        configFile: false,
        logLevel: 'silent',
        appType: 'custom',
        server: { middlewareMode: true, ws: false, watch: null },
        optimizeDeps: { noDiscovery: true },
      })
      onTestFinished(() => vite.close())
      vite.middlewares.use('/api/chat', toNodeListener(chat))
      return vite.middlewares
    },
  ],
]

describe.each(frameworks)('a chat served by %s', (_, listen) => {
  test('asks, runs and answers over several requests', async () => {
    const sent: string[] = []
    const send = tool({
      inputSchema: jsonSchema<{ to: string }>({ type: 'object' }),
      execute: ({ to }) => {
        sent.push(to)
        return 'sent'
      },
    })
    const model = scriptedModel([[['1', 'send', { to: 'ada' }]], 'Sent.'])
    const approvals = { toolApproval: { send: 'user-approval' as const }, approvalSecret: SECRET }
    const chat = createChatHandler({ model, tools: { send }, ledger: 'memory', ...approvals })
    const origin = await serveListener(await listen(chat))
    const page = connectEngine(`${origin}/api/chat`)
    expect(await page.engine.sendMessage('go')).toMatchObject({ requestState: 'paused' })
    await page.resume({ toolCallId: '1' })
    await page.completed()
    expect(sent).toEqual(['ada'])
    expect(page.text()).toBe('Sent.')
  })

  test('streams as the model speaks, and is taken up again', async () => {
    const { model, answer } = talkingModel()
    const origin = await serveListener(
      await listen(createChatHandler({ model, approvalSecret: SECRET })),
    )
    const chat = rawChat(`${origin}/api/chat`)
    const first = readEvents(await chat.post([userMessage('Hi')], { id: 'a/b' }))
    const spoken = await answer(1)
    spoken.say('One ')
    await first.until('One ')
    await first.leave()
    const second = readEvents(await chat.resume('a/b'))
    await second.until('One ')
    spoken.say('two.')
    spoken.finish()
    expect(await second.rest()).toMatch(/two\..*\[DONE\]/s)
  })

  test('notices that its page has gone', async () => {
    const { model, answer } = talkingModel()
    const handler = createChatHandler({ model, approvalSecret: SECRET, onDisconnect: 'abort' })
    const origin = await serveListener(await listen(handler))
    const leave = new AbortController()
    const response = await rawChat(`${origin}/api/chat`).post([userMessage('Hi')], {
      signal: leave.signal,
    })
    const spoken = await answer(1)
    leave.abort()
    await spoken.aborted
    await expect(response.text()).rejects.toThrow('abort')
  })

  test('refuses what is wrong', async () => {
    const handler = createChatHandler({ model: scriptedModel([]), approvalSecret: SECRET })
    const origin = await serveListener(await listen(handler))
    const response = await fetch(`${origin}/api/chat`, { method: 'POST', body: '{' })
    expect(response.status).toBe(415)
    expect(await response.json()).toMatchObject({ error: { code: 'not-json' } })
    expect((await rawChat(`${origin}/api/chat`).resume()).status).toBe(204)
  })
})
