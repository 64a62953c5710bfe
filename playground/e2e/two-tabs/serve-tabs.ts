import type { AddressInfo } from 'node:net'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { answer, callTools } from '@assent/engine/testing'
import { createLogger, createServer, type Plugin } from 'vite'
import { z } from 'zod'
import { SOURCE_CONDITIONS } from '../../../vite.config.ts'

/** A server of pages that are tabs of conversations, their model, and what their tools do. */
export interface TabServer {
  readonly url: string
  /** How often a tool had its effect, by the id in its input, and in which tabs. */
  readonly effects: ReadonlyMap<string, readonly string[]>
  /** How many requests the model got. */
  readonly requests: number
  /** From now on tools have their effect, and never an answer. */
  hold(): void
  close(): Promise<void>
}

const chatBody = z.looseObject({
  messages: z.array(
    z.looseObject({
      role: z.string(),
      parts: z.array(z.looseObject({ type: z.string(), text: z.string().optional() })),
    }),
  ),
})

/** Starts it on a free port of 127.0.0.1. */
export async function serveTabs(): Promise<TabServer> {
  const effects = new Map<string, string[]>()
  let requests = 0
  let isHeld = false

  async function chat(request: IncomingMessage, response: ServerResponse): Promise<void> {
    requests++
    const chunks = answerTo(chatBody.parse(JSON.parse(await bodyOf(request))))
    response.writeHead(200, {
      'content-type': 'text/event-stream',
      'x-vercel-ai-ui-message-stream': 'v1',
    })
    for (const chunk of chunks) response.write(`data: ${JSON.stringify(chunk)}\n\n`)
    response.end('data: [DONE]\n\n')
  }

  function act({ searchParams }: URL, response: ServerResponse): void {
    const id = searchParams.get('id') ?? ''
    effects.set(id, [...(effects.get(id) ?? []), searchParams.get('tab') ?? ''])
    if (!isHeld) response.end('done')
  }

  const api: Plugin = {
    name: 'tabs',
    configureServer({ middlewares }) {
      middlewares.use((request, response, next) => {
        const url = new URL(request.url ?? '', 'http://127.0.0.1')
        if (url.pathname === '/chat') void chat(request, response)
        else if (url.pathname === '/effect') act(url, response)
        else next()
      })
    },
  }
  const server = await createServer({
    configFile: false,
    root: import.meta.dirname,
    customLogger: createLogger('silent'),
    plugins: [api],
    resolve: { conditions: SOURCE_CONDITIONS },
    // All that is imported are modules already; one that is found late would reload the page.
    optimizeDeps: { noDiscovery: true },
    server: { host: '127.0.0.1', port: 0, hmr: false, watch: null },
  })
  await server.listen()
  const { port } = (server.httpServer as Server).address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    effects,
    get requests() {
      return requests
    },
    hold() {
      isHeld = true
    },
    async close() {
      ;(server.httpServer as Server).closeAllConnections()
      await server.close()
    },
  }
}

/** A message that says “call a b” has the model call a tool for each, and then answer. */
function answerTo({ messages }: z.infer<typeof chatBody>) {
  const last = messages.at(-1)
  const text = last?.parts.find(({ type }) => type === 'text')?.text ?? ''
  if (last?.role !== 'user' || !text.startsWith('call ')) return answer('Done.')
  return callTools(
    text
      .split(' ')
      .slice(1)
      .map((id) => ({ toolCallId: id, toolName: 'act', input: { id } })),
  )
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = ''
  for await (const piece of request.setEncoding('utf8')) body += String(piece)
  return body
}
