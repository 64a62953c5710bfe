import type { RequestListener } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import express from 'express'
import { H3 } from 'h3'
import { createApp, fromNodeMiddleware, toNodeListener as toListener } from 'h3-v1'
import { toNodeHandler } from 'h3/node'
import { Hono } from 'hono'
import { createServer as createViteServer } from 'vite'
import { onTestFinished } from 'vitest'
import type { createChatHandler } from '../src/chat/create-chat-handler.ts'
import { toNodeListener } from '../src/chat/node-listener.ts'

/** Each way to serve a chat from a server that is made in code. The documentation shows these lines. */
export const mounts: readonly [
  name: string,
  (chat: ReturnType<typeof createChatHandler>) => RequestListener | Promise<RequestListener>,
][] = [
  [
    'node:http',
    (chat) => {
      const listener = toNodeListener(chat)
      return listener
    },
  ],
  [
    'Express',
    (chat) => {
      const app = express()
      app.use('/api/chat', toNodeListener(chat))
      return app
    },
  ],
  [
    'Express behind a parser of bodies',
    (chat) => {
      const app = express()
      app.use(express.json({ limit: '8mb' }))
      app.use('/api/chat', toNodeListener(chat))
      return app
    },
  ],
  [
    'Hono',
    (chat) => {
      const app = new Hono()
      app.all('/api/chat/*', ({ req }) => chat(req.raw))
      return getRequestListener(app.fetch)
    },
  ],
  [
    'h3',
    (chat) => {
      const app = new H3()
      app.all('/api/chat', ({ req }) => chat(req))
      app.all('/api/chat/**', ({ req }) => chat(req))
      return toNodeHandler(app)
    },
  ],
  [
    'h3 1, as in Nuxt 4',
    (chat) => {
      const app = createApp()
      app.use('/api/chat', fromNodeMiddleware(toNodeListener(chat)))
      return toListener(app)
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
      const { middlewares } = vite
      middlewares.use('/api/chat', toNodeListener(chat))
      return middlewares
    },
  ],
]
