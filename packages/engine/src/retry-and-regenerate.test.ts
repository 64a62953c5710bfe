import type { UIMessage } from 'ai'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createMessageEngine } from './engine.ts'
import { EngineError } from './errors.ts'
import type { MessageEngineOptions } from './message-engine.ts'
import type { EnginePlugin, PluginContext } from './plugin.ts'
import { toolPlugin } from './plugins/tools/tool-plugin.ts'
import { answer, callTools, scriptedTransport } from './testing/index.ts'

const textsOf = (messages: readonly UIMessage[] = []) =>
  messages.map(({ parts }) =>
    parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('|'),
  )
const message = (id: string, role: UIMessage['role'], text: string): UIMessage => ({
  id,
  role,
  parts: [{ type: 'text', text }],
})

function setUp(
  script: Parameters<typeof scriptedTransport>[0],
  plugins: readonly EnginePlugin[] = [],
  options: Partial<MessageEngineOptions> = {},
) {
  const transport = scriptedTransport(script)
  const engine = createMessageEngine({
    transport,
    plugins,
    onError: () => undefined,
    ...options,
  })
  return { engine, transport }
}

/** A plugin that asks for one more step, after a message of its own or not. */
function oneMoreStep(appended?: UIMessage): EnginePlugin {
  let isAsked = false
  return {
    onAfterRequest: ({ requestNext, appendMessage }) => {
      if (isAsked) return
      isAsked = true
      if (appended) appendMessage(appended)
      requestNext()
    },
  }
}

describe('retry', () => {
  it('keeps what earlier steps said and plugins appended when a later request fails', async () => {
    const { engine, transport } = setUp(
      [answer('one'), new Error('down'), answer('two')],
      [oneMoreStep(message('reminder', 'user', 'go on'))],
    )
    expect(await engine.sendMessage('go')).toMatchObject({ requestState: 'error' })
    expect(textsOf(engine.getState().messages)).toEqual(['go', 'one', 'go on'])
    expect(await engine.retry()).toMatchObject({ requestState: 'completed' })
    expect(transport.requests[2]?.messages).toEqual(transport.requests[1]?.messages)
    expect(textsOf(engine.getState().messages)).toEqual(['go', 'one', 'go on', 'two'])
  })

  it('keeps a call that the server may have run when the stream was cut, and says that', async () => {
    const { engine, transport } = setUp(
      [
        callTools({ toolCallId: '1', toolName: 'charge', input: { cents: 5 } }).slice(0, -2),
        answer('I will look whether it went through.'),
      ],
      [
        toolPlugin({
          defaultApproval: 'approved',
          tools: { read: { inputSchema: z.object({}), execute: () => 'read' } },
        }),
      ],
    )
    expect(await engine.sendMessage('pay')).toMatchObject({ requestState: 'error' })
    expect(await engine.retry()).toMatchObject({ requestState: 'completed' })
    expect(transport.requests[1]?.messages[1]?.parts).toMatchObject([
      { type: 'step-start' },
      {
        toolCallId: '1',
        state: 'output-error',
        errorText: 'Failed before its result came; whether it ran is not known.',
        toolMetadata: { assent: { ended: 'interrupted', mayHaveRun: true } },
      },
    ])
  })

  it('drops a call that was to run here and had not started when the stream was cut', async () => {
    const { engine, transport } = setUp(
      [callTools({ toolCallId: '1', toolName: 'read', input: {} }).slice(0, -2), answer('hello')],
      [
        toolPlugin({
          defaultApproval: 'approved',
          tools: { read: { inputSchema: z.object({}), execute: () => 'read' } },
        }),
      ],
    )
    expect(await engine.sendMessage('go')).toMatchObject({ requestState: 'error' })
    expect(await engine.retry()).toMatchObject({ requestState: 'completed' })
    expect(transport.requests[1]?.messages).toHaveLength(1)
  })

  it('drops only the message that the failed step began', async () => {
    const { engine } = setUp(
      [
        answer('one'),
        [...answer('half').slice(0, 4), { type: 'error', errorText: 'x' }],
        answer('two'),
      ],
      [oneMoreStep(message('reminder', 'user', 'go on'))],
    )
    await engine.sendMessage('go')
    expect(textsOf(engine.getState().messages)).toEqual(['go', 'one', 'go on', 'half'])
    await engine.retry()
    expect(textsOf(engine.getState().messages)).toEqual(['go', 'one', 'go on', 'two'])
  })

  it('keeps the step before the one whose request could not be prepared', async () => {
    let prepared = 0
    const { engine, transport } = setUp(
      [answer('one'), answer('two')],
      [
        oneMoreStep(),
        {
          onBeforeRequest: () => {
            if (++prepared === 2) throw new Error('no token')
          },
        },
      ],
    )
    expect(await engine.sendMessage('go')).toMatchObject({ error: { code: 'hook_failed' } })
    expect(engine.getState().turn?.step).toBe(1)
    expect(await engine.retry()).toMatchObject({ requestState: 'completed' })
    expect(engine.getState().turn?.step).toBe(2)
    expect(textsOf(transport.requests[1]?.messages)).toEqual(['go', 'one'])
    expect(textsOf(engine.getState().messages)).toEqual(['go', 'one|two'])
  })

  it('of a first request that could not be prepared makes it as it was meant', async () => {
    let isFailing = true
    const { engine, transport } = setUp(
      [answer('one'), answer('again')],
      [
        {
          onBeforeRequest: () => {
            if (transport.requests.length === 1 && isFailing) throw new Error('no token')
          },
        },
      ],
    )
    await engine.sendMessage('go')
    const { id } = engine.getState().messages[1]!
    expect(await engine.regenerate()).toMatchObject({ requestState: 'error' })
    isFailing = false
    expect(await engine.retry()).toMatchObject({ requestState: 'completed' })
    expect(transport.requests[1]).toMatchObject({ trigger: 'regenerate-message', messageId: id })
  })

  it('makes the failed request again with its own trigger, headers and body', async () => {
    const { engine, transport } = setUp([answer('one'), new Error('down'), answer('two')], [], {
      request: { headers: { a: 'engine', b: 'engine' } },
    })
    await engine.sendMessage('go')
    const { id } = engine.getState().messages[1]!
    await engine.regenerate({ headers: { b: 'turn' }, body: { model: 'x' }, metadata: 'm' })
    await engine.retry({ body: { attempt: 2 } })
    expect(transport.requests[2]).toMatchObject({
      trigger: 'regenerate-message',
      messageId: id,
      headers: { a: 'engine', b: 'turn' },
      body: { model: 'x', attempt: 2 },
      metadata: 'm',
    })
  })

  it('answers a user message that was never answered', async () => {
    const { engine, transport } = setUp([answer('hi')], [], {
      messages: [message('u', 'user', 'go')],
    })
    expect(await engine.retry()).toMatchObject({ requestState: 'completed' })
    expect(textsOf(transport.requests[0]?.messages)).toEqual(['go'])
  })

  it('asks again from the results that are there when the turn was aborted in a later step', async () => {
    let runs = 0
    const call = { toolCallId: '1', toolName: 'write', input: {} }
    const { engine, transport } = setUp(
      [callTools(call)],
      [
        toolPlugin({
          defaultApproval: 'approved',
          tools: { write: { inputSchema: z.object({}), execute: () => `run ${++runs}` } },
        }),
      ],
    )
    const held = transport.hold()
    void engine.sendMessage('go')
    await held.push(...answer('half').slice(0, 4))
    await engine.abort()
    transport.add(answer('whole'))
    expect(await engine.retry()).toMatchObject({ requestState: 'completed' })
    expect(runs).toBe(1)
    expect(transport.requests[2]?.messages).toEqual(transport.requests[1]?.messages)
    expect(textsOf(engine.getState().messages)).toEqual(['go', 'whole'])
  })
})

describe('regenerate', () => {
  it('names trigger and message in its first request only', async () => {
    const call = { toolCallId: '1', toolName: 'read', input: {} }
    const { engine, transport } = setUp(
      [answer('one'), callTools(call), answer('two')],
      [
        toolPlugin({
          defaultApproval: 'approved',
          tools: { read: { inputSchema: z.object({}), execute: () => 'content' } },
        }),
      ],
    )
    await engine.sendMessage('go')
    const { id } = engine.getState().messages[1]!
    await engine.regenerate()
    const [, first, second] = transport.requests
    expect(first).toMatchObject({ trigger: 'regenerate-message', messageId: id })
    expect(textsOf(first?.messages)).toEqual(['go'])
    expect(second).toMatchObject({ trigger: 'submit-message' })
    expect(second?.messageId).toBe(engine.getState().messages[1]?.id)
  })

  it('answers the last user message when that has no answer, and drops nothing', async () => {
    const { engine, transport } = setUp([answer('one'), new Error('down'), answer('two')])
    await engine.sendMessage('first')
    await engine.sendMessage('second')
    expect(await engine.regenerate()).toMatchObject({ requestState: 'completed' })
    expect(textsOf(transport.requests[2]?.messages)).toEqual(['first', 'one', 'second'])
  })

  it('of an earlier answer drops that and all after it; of a user message all after it', async () => {
    const messages = [
      message('u1', 'user', 'one?'),
      message('a1', 'assistant', 'one'),
      message('u2', 'user', 'two?'),
      message('a2', 'assistant', 'two'),
    ]
    for (const messageId of ['a1', 'u1']) {
      const { engine, transport } = setUp([answer('new')], [], { messages })
      await engine.regenerate({ messageId })
      expect(transport.requests[0]).toMatchObject({ messageId })
      expect(textsOf(engine.getState().messages)).toEqual(['one?', 'new'])
    }
  })

  it.each(['nope', '__proto__', ''])('refuses the unknown message %j', async (messageId) => {
    const { engine } = setUp([], [], { messages: [message('u', 'user', 'go')] })
    const before = engine.getState()
    expect(await engine.regenerate({ messageId })).toMatchObject({
      error: { code: 'unknown_message' },
    })
    expect(engine.getState()).toBe(before)
  })

  it('has nothing to regenerate in an empty conversation', async () => {
    const { engine } = setUp([])
    expect(await engine.regenerate()).toMatchObject({ error: { code: 'unknown_message' } })
  })
})

describe('what opens a turn', () => {
  it('changes nothing when no id can be made for it', async () => {
    let ids = 0
    let isBroken = false
    const messages = [message('u1', 'user', 'one?'), message('a1', 'assistant', 'one')]
    const { engine } = setUp([], [], {
      messages,
      generateId: () => {
        if (isBroken) throw new Error('no entropy')
        return `id-${++ids}`
      },
    })
    isBroken = true
    const before = engine.getState()
    const results = [
      await engine.sendMessage({ id: 'u2', parts: [{ type: 'text', text: 'go' }] }),
      await engine.regenerate(),
      await engine.editMessage('u1', 'changed'),
    ]
    for (const { error } of results) expect(error).toBeInstanceOf(EngineError)
    expect(engine.getState()).toBe(before)
  })

  it('is an error when the transport itself throws', async () => {
    const { engine } = setUp([], [], {
      transport: {
        sendMessages: () => {
          throw new TypeError('not connected')
        },
        reconnectToStream: () => {
          throw new TypeError('not connected')
        },
      },
    })
    expect(await engine.sendMessage('go')).toMatchObject({ error: { code: 'http_network' } })
    expect(await engine.reconnect()).toMatchObject({ error: { code: 'http_network' } })
  })

  it.each([undefined, null, {}, { id: '', parts: [{ type: 'text', text: 'x' }] }, '', '  '])(
    'refuses the message %j',
    async (input) => {
      const { engine } = setUp([])
      const before = engine.getState()
      const { error } = await engine.sendMessage(input as never)
      expect(error).toMatchObject({ code: 'invalid_argument' })
      expect(engine.getState()).toBe(before)
    },
  )
})

describe('a message that is changed while the next step is being asked for', () => {
  it('keeps the change', async () => {
    const contexts: PluginContext[] = []
    const { engine, transport } = setUp(
      [answer('one')],
      [oneMoreStep(), { onBeforeRequest: (context) => void contexts.push(context) }],
    )
    const held = transport.hold({ unanswered: true })
    const sent = engine.sendMessage('go')
    await transport.requested(2)
    const { id } = engine.getState().messages[1]!
    contexts[1]?.updateMessage(id, (changed) => ({ ...changed, metadata: { note: 'kept' } }))
    await held.push(...answer('two'))
    held.end()
    await sent
    expect(engine.getState().messages[1]).toMatchObject({ id, metadata: { note: 'kept' } })
    expect(textsOf(engine.getState().messages)).toEqual(['go', 'one|two'])
  })
})
