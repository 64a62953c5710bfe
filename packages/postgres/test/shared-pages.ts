import { once } from 'node:events'
import { createServer } from 'node:http'
import { toolPlugin, type EnginePlugin } from '@assent/engine'
import { connectConversations } from '@assent/engine/remote'
import { createSharedEngine, type ChannelLike } from '@assent/engine/shared'
import { defineStorage, type SharedConversations } from '@assent/engine/storage'
import {
  answer,
  callTools,
  scriptedTransport,
  untilState,
  type ScriptedAnswer,
} from '@assent/engine/testing'
import { createConversationServer, type ConversationServerOptions } from '@assent/node'
import { tool } from 'ai'
import { onTestFinished } from 'vitest'
import { WebSocketServer } from 'ws'
import { z } from 'zod'

/** A server of conversations, of one or several with the same database. A page says by `?user=` whose it is. */
export async function serve(
  conversations: SharedConversations,
  options: Omit<ConversationServerOptions, 'conversations' | 'onError'>,
) {
  const errors: unknown[] = []
  const serving = createConversationServer({
    conversations,
    checkTimeoutMs: 200,
    ...options,
    onError: (error) => void errors.push(error),
  })
  const server = createServer()
  const sockets = new WebSocketServer({ server })
  sockets.on('connection', (opened, { url }) => {
    const user = new URL(url ?? '', 'http://here').searchParams.get('user') ?? ''
    const page = serving.connect({ user, send: (text) => opened.send(text) })
    opened.on('message', (data: Buffer) => page.receive(data.toString('utf8')))
    opened.on('close', () => page.close())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (typeof address !== 'object' || !address) throw new Error('It has no port.')
  onTestFinished(async () => {
    for (const opened of sockets.clients) opened.terminate()
    sockets.close()
    await serving.close()
    server.close()
    await once(server, 'close')
  })
  return { url: `ws://127.0.0.1:${address.port}/`, errors }
}

const TWO_CALLS = [
  callTools([
    { toolCallId: '1', toolName: 'write', input: { title: 'a' } },
    { toolCallId: '2', toolName: 'write', input: { title: 'b' } },
  ]),
  answer('Done.'),
]

/** The conversation `c`, as a page of a user has it open. */
export async function openPage(
  { url }: { readonly url: string },
  user: string,
  {
    script = TWO_CALLS,
    plugins = [],
  }: { script?: readonly ScriptedAnswer[]; plugins?: readonly EnginePlugin[] } = {},
) {
  const wrote: string[] = []
  const write = tool({
    inputSchema: z.object({ title: z.string() }),
    needsApproval: true,
    execute: ({ title }) => void wrote.push(title),
  })
  const client = connectConversations({ url: `${url}?user=${user}` })
  const engine = createSharedEngine({
    id: 'c',
    ...client,
    storage: defineStorage(client.storage),
    transport: scriptedTransport(script),
    plugins: [toolPlugin({ tools: { write } }), ...plugins],
    // The end of a test cuts connections.
    onError: () => undefined,
  })
  onTestFinished(() => {
    engine.dispose()
    client.close()
  })
  await engine.ready
  // Of no known name, so that a test may send what is none.
  const command = (name: string, payload: unknown, plugin: string = 'tool') =>
    engine.runPluginCommand(plugin, name, payload)
  const decide = (toolCallId: string, more: object = {}) =>
    command('resumeToolCall', { toolCallId, ...more })
  const states = () =>
    engine
      .getState()
      .messages.flatMap(({ parts }) =>
        parts.flatMap((part) => ('toolCallId' in part ? [part.state] : [])),
      )
  return { client, engine, wrote, command, decide, states }
}

export type Page = Awaited<ReturnType<typeof openPage>>

/** Ada asks; the pages of others show it. */
export async function ask(ada: Page, ...others: Page[]): Promise<void> {
  void ada.engine.sendMessage('write')
  for (const { engine } of [ada, ...others]) {
    await untilState(engine, ({ requestState }) => requestState === 'paused')
  }
}

/** Says something on a channel, of any form. */
export function speak({ postMessage }: ChannelLike, message: object): void {
  postMessage(message)
}

/** What a page is told that may not decide. */
export const refused = {
  success: false,
  error: { code: 'may_not_decide' },
}
