import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { LanguageModelV4Prompt, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { answerTo } from './model-answer.ts'

/** Where something can be cut off: before and after the world has changed, and while it is told of. */
export type Moment = 'asked' | 'answering' | 'before-effect' | 'after-effect' | 'after-reply'

/** A reply as it arrived. */
export interface SentReply {
  readonly taskId: string
  readonly text: string
  readonly mayBeRepeated: boolean
}

/**
 * What workers act on, in a process that outlives them, over HTTP: a model, tools that change
 * something, a channel for replies. It keeps count.
 */
export interface World {
  readonly url: string
  /** How often something was done, by key. */
  readonly effects: ReadonlyMap<string, number>
  readonly replies: readonly SentReply[]
  /**
   * Told of every moment, with the name of the worker and what that sent; what it does to the worker
   * is done when it returns. It may take its time.
   */
  onMoment: (moment: Moment, worker: string, sent: string) => void | Promise<void>
  close(): Promise<void>
}

/** @param answer what its model answers */
export async function openWorld(
  answer: (prompt: LanguageModelV4Prompt) => readonly LanguageModelV4StreamPart[] = answerTo,
): Promise<World> {
  const effects = new Map<string, number>()
  const replies: SentReply[] = []

  const routes: Readonly<
    Record<string, (body: string, worker: string, response: ServerResponse) => Promise<void>>
  > = {
    async '/model'(body, worker, response) {
      await world.onMoment('asked', worker, body)
      const lines = answer(JSON.parse(body)).map((part) => `${JSON.stringify(part)}\n`)
      const half = lines.length >> 1
      response.write(lines.slice(0, half).join(''))
      // So that the first half is on its way.
      await new Promise<void>((resolve) => void setImmediate(resolve))
      await world.onMoment('answering', worker, body)
      response.end(lines.slice(half).join(''))
    },
    async '/effect'(key, worker, response) {
      await world.onMoment('before-effect', worker, key)
      effects.set(key, (effects.get(key) ?? 0) + 1)
      await world.onMoment('after-effect', worker, key)
      response.end(`done: ${key}`)
    },
    async '/reply'(body, worker, response) {
      replies.push(JSON.parse(body))
      await world.onMoment('after-reply', worker, body)
      response.end()
    },
  }

  const server = createServer((request, response) => {
    const route = routes[request.url ?? '']
    if (!route) return void response.writeHead(404).end()
    void read(request)
      .then((body) => route(body, String(request.headers['x-worker']), response))
      // Whoever asked is gone.
      .catch(() => response.destroy())
  })
  // A connection that it closed just as somebody asks by it would fail a tool.
  server.keepAliveTimeout = 0
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('There is no port.')

  const world: World = {
    url: `http://127.0.0.1:${address.port}`,
    effects,
    replies,
    onMoment: () => undefined,
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
  return world
}

async function read(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}
