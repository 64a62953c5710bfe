import type { UIMessageChunk } from 'ai'
import { describe, expect, it } from 'vitest'
import { createMessageEngine } from './engine.ts'
import type { MessageEngineOptions } from './message-engine.ts'
import {
  answer,
  callTools,
  responseChunks,
  scriptedTransport,
  stepChunks,
} from './testing/index.ts'

function setUp(
  script: Parameters<typeof scriptedTransport>[0],
  options: Partial<MessageEngineOptions> = {},
) {
  const transport = scriptedTransport(script)
  const errors: unknown[] = []
  const engine = createMessageEngine({
    transport,
    onError: (error) => errors.push(error),
    ...options,
  })
  return { engine, transport, errors }
}

describe('a request', () => {
  it('carries the conversation, and what the app says for all and for this one', async () => {
    const { engine, transport } = setUp([answer('hi')], {
      id: 'chat-1',
      request: { headers: { app: '1', own: 'no' }, body: { app: 1, own: 0 }, metadata: 'app' },
    })
    await engine.sendMessage('go', { headers: { own: 'yes' }, body: { own: 1 } })
    expect(transport.requests).toMatchObject([
      {
        chatId: 'chat-1',
        trigger: 'submit-message',
        messageId: undefined,
        headers: { app: '1', own: 'yes' },
        body: { app: 1, own: 1 },
        metadata: 'app',
        messages: [{ role: 'user', parts: [{ type: 'text', text: 'go' }] }],
      },
    ])
    expect(engine.id).toBe('chat-1')
  })

  it('reads what a function says anew each time, also for later steps', async () => {
    let count = 0
    const { engine, transport } = setUp([answer('one'), answer('two')], {
      request: () => ({ headers: { token: `${++count}` } }),
      plugins: [{ onSettle: ({ turn }) => (turn?.step === 1 ? 'next' : undefined) }],
    })
    await engine.sendMessage('go', { body: { own: true } })
    expect(transport.requests.map(({ headers, body }) => [headers, body])).toEqual([
      [{ token: '1' }, { own: true }],
      [{ token: '2' }, { own: true }],
    ])
  })

  it('that cannot be put together is an error state', async () => {
    const { engine, transport } = setUp([], {
      request: () => {
        throw new Error('no token')
      },
    })
    expect(await engine.sendMessage('go')).toMatchObject({
      requestState: 'error',
      error: { name: 'EngineError', message: expect.stringContaining('no token') },
    })
    expect(transport.requests).toHaveLength(0)
  })

  it('has a list of its own: what a transport does to it changes nothing here', async () => {
    const inner = scriptedTransport([answer('hi')])
    const { engine } = setUp([], {
      transport: {
        sendMessages: (options) => {
          options.messages.length = 0
          return inner.sendMessages(options)
        },
        reconnectToStream: inner.reconnectToStream,
      },
    })
    await engine.sendMessage('go')
    expect(engine.getState().messages).toHaveLength(2)
  })
})

describe('the id of an answer', () => {
  it('is the one that the server gives', async () => {
    const { engine } = setUp([answer('hi', { messageId: 'from-server' })])
    await engine.sendMessage('go')
    expect(engine.getState().messageIds[1]).toBe('from-server')
  })

  it('is a new one when the server gives none', async () => {
    let count = 0
    const { engine } = setUp([answer('hi')], { generateId: () => `id-${++count}` })
    await engine.sendMessage('go')
    expect(new Set(engine.getState().messageIds).size).toBe(2)
    expect(engine.getState().messageIds[1]).toMatch(/^id-/)
  })

  it('is a new one when the server gives one that is taken', async () => {
    const { engine } = setUp([
      answer('one', { messageId: 'same' }),
      answer('two', { messageId: 'same' }),
    ])
    await engine.sendMessage('go')
    await engine.sendMessage('again')
    const { messageIds, messages } = engine.getState()
    expect(new Set(messageIds).size).toBe(4)
    expect(messages[1]?.parts.at(-1)).toMatchObject({ text: 'one' })
    expect(messages[3]?.parts.at(-1)).toMatchObject({ text: 'two' })
  })

  it('stays what it is when a later step of the turn names another', async () => {
    const { engine, transport } = setUp(
      [answer('one', { messageId: 'first' }), answer('two', { messageId: 'second' })],
      { plugins: [{ onSettle: ({ turn }) => (turn?.step === 1 ? 'next' : undefined) }] },
    )
    await engine.sendMessage('go')
    expect(engine.getState().messageIds).toEqual([expect.any(String), 'first'])
    expect(transport.requests[1]?.messageId).toBe('first')
    expect(engine.getState().messages[1]?.parts).toMatchObject([
      { type: 'step-start' },
      { text: 'one' },
      { type: 'step-start' },
      { text: 'two' },
    ])
  })
})

describe('data parts', () => {
  const chunks: UIMessageChunk[] = responseChunks(
    { messageId: 'answer' },
    stepChunks([
      { type: 'data-progress', id: 'p', data: 1 },
      { type: 'data-progress', id: 'p', data: 2 },
      { type: 'data-hint', data: 'soon', transient: true },
    ]),
  )

  it('are handed to onData as they arrive, the transient ones too, which no message has', async () => {
    const seen: unknown[] = []
    const { engine } = setUp([chunks], { onData: ({ type, data }) => void seen.push([type, data]) })
    expect(await engine.sendMessage('go')).toMatchObject({ requestState: 'completed' })
    expect(seen).toEqual([
      ['data-progress', 1],
      ['data-progress', 2],
      ['data-hint', 'soon'],
    ])
    expect(engine.getState().messages[1]?.parts).toEqual([
      { type: 'step-start' },
      { type: 'data-progress', id: 'p', data: 2 },
    ])
  })

  it('end no turn when onData throws, which is reported', async () => {
    const { engine, errors } = setUp([chunks], {
      onData: () => {
        throw new Error('observer')
      },
    })
    expect(await engine.sendMessage('go')).toMatchObject({ requestState: 'completed' })
    const failed = { code: 'callback_failed', cause: { message: 'observer' } }
    expect(errors).toMatchObject([failed, failed, failed])
  })

  it('that are transient alone leave no message behind when the answer fails', async () => {
    const { engine } = setUp([
      [
        { type: 'start' },
        { type: 'data-hint', data: 'soon', transient: true },
        { type: 'error', errorText: 'no' },
      ],
    ])
    await engine.sendMessage('go')
    expect(engine.getState().messages).toHaveLength(1)
  })
})

describe('a step without the tool plugin', () => {
  it('gives calls that nothing runs a result that says so', async () => {
    const { engine } = setUp([callTools({ toolCallId: '1', toolName: 'x', input: {} })])
    expect(await engine.sendMessage('go')).toMatchObject({ requestState: 'completed' })
    const part = engine.getState().messages[1]?.parts[1]
    expect(part).toMatchObject({
      state: 'output-error',
      errorText: 'Not executed: no tool of this name runs here.',
      toolMetadata: { assent: { ended: 'cancelled' } },
    })
    expect(part).not.toHaveProperty('toolMetadata.assent.mayHaveRun')
  })
})
