// @vitest-environment node
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { answer } from '@assent/engine/testing'
import { DefaultChatTransport, TextStreamChatTransport, type UIMessage } from 'ai'
import { afterEach, describe, expect, test } from 'vitest'
import { effectScope, type EffectScope } from 'vue'
import { useChat, type ChatInit, type UseChatReturn } from './index.ts'

let scope: EffectScope | undefined
const closes: (() => void)[] = []
afterEach(() => {
  scope?.stop()
  for (const close of closes.splice(0)) close()
})

function open(init: ChatInit): UseChatReturn {
  scope = effectScope()
  const chat = scope.run(() => useChat(init))
  if (!chat) throw new Error('The scope is not active.')
  return chat
}

const lastPart = (chat: UseChatReturn) => chat.messages.value.at(-1)?.parts.at(-1)

describe('a transport of the AI SDK', () => {
  async function serve(respond: (response: ServerResponse, body: string) => void): Promise<string> {
    const server = createServer((request, response) => {
      const pieces: Buffer[] = []
      request.on('data', (piece: Buffer) => pieces.push(piece))
      request.on('end', () => respond(response, Buffer.concat(pieces).toString()))
    }).listen(0, '127.0.0.1')
    closes.push(() => server.close())
    await once(server, 'listening')
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }

  test('streams, and prepares its own body', async () => {
    const bodies: string[] = []
    const api = await serve((response, body) => {
      bodies.push(body)
      response.setHeader('content-type', 'text/event-stream')
      for (const chunk of answer('Hello')) response.write(`data: ${JSON.stringify(chunk)}\n\n`)
      response.end('data: [DONE]\n\n')
    })
    const transport = new DefaultChatTransport<UIMessage>({
      api,
      prepareSendMessagesRequest: ({ id, messages, trigger, messageId }) => ({
        body: { id, trigger, messageId, last: messages.at(-1) },
      }),
    })
    const chat = open({ id: 'c', transport })
    await chat.sendMessage({ text: 'Hi' })
    expect(lastPart(chat)).toMatchObject({ text: 'Hello' })
    expect(JSON.parse(bodies[0] ?? '')).toMatchObject({ id: 'c', trigger: 'submit-message' })
  })

  test('may stream plain text', async () => {
    const api = await serve((response) => response.end('Plain words'))
    const chat = open({ transport: new TextStreamChatTransport({ api }) })
    await chat.sendMessage({ text: 'Hi' })
    expect(lastPart(chat)).toMatchObject({ text: 'Plain words' })
  })

  test('that the server refuses is an error', async () => {
    const api = await serve((response) => {
      response.statusCode = 404
      response.end('Not found')
    })
    const chat = open({ transport: new DefaultChatTransport({ api }), onError: () => {} })
    await chat.sendMessage({ text: 'Hi' })
    expect(chat.status.value).toBe('error')
  })
})
