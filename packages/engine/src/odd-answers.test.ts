import type { UIMessage, UIMessageChunk } from 'ai'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createMessageEngine } from './engine.ts'
import { describeThrown, type EngineError } from './errors.ts'
import type { MessageEngineOptions } from './message-engine.ts'
import { toolPlugin } from './plugins/tools/tool-plugin.ts'
import { answer, callTools, scriptedTransport, textChunks, untilState } from './testing/index.ts'
import type { MessageTransport } from './transport/transport.ts'

function setUp(
  script: Parameters<typeof scriptedTransport>[0],
  options: Partial<MessageEngineOptions> & Parameters<typeof scriptedTransport>[1] = {},
) {
  const transport = scriptedTransport(script, options)
  const errors: EngineError[] = []
  const engine = createMessageEngine({
    transport,
    onError: (error) => errors.push(error),
    ...options,
  })
  return { engine, transport, errors }
}

const withId = (messageId: string, text: string) => answer(text, { messageId })
const idsOf = ({ messages }: { messages: readonly UIMessage[] }) => messages.map(({ id }) => id)

describe('an observer of data parts that throws', () => {
  it('is reported, and the answer is complete', async () => {
    const data: UIMessageChunk = { type: 'data-note', data: 1 }
    const { engine, errors } = setUp(
      [[...answer('hi').slice(0, 2), data, ...answer('hi').slice(2)]],
      {
        onData: () => {
          throw new Error('observer')
        },
      },
    )
    expect(await engine.sendMessage('go')).toMatchObject({ requestState: 'completed' })
    expect(engine.getState().messages[1]?.parts).toMatchObject([
      { type: 'step-start' },
      { type: 'data-note', data: 1 },
      { type: 'text', text: 'hi' },
    ])
    expect(errors.map(({ code }) => code)).toEqual(['callback_failed'])
  })
})

describe('an answer', () => {
  it.each(['', '__proto__', 'constructor'])('may name itself %j', async (messageId) => {
    const { engine } = setUp([withId(messageId, 'one'), withId(messageId, 'two')])
    await engine.sendMessage('go')
    await engine.sendMessage('again')
    const ids = idsOf(engine.getState())
    expect(ids).toHaveLength(4)
    expect(new Set(ids).size).toBe(4)
    expect(ids).not.toContain('')
    expect(engine.getMessage(ids[1]!)?.parts.at(-1)).toMatchObject({ text: 'one' })
  })

  it('cannot take the id of a message that waits', async () => {
    const { engine, transport } = setUp([])
    const held = transport.hold()
    const first = engine.sendMessage('first')
    const waiting = engine.sendMessage({ id: 'waiting', parts: [{ type: 'text', text: 'x' }] })
    transport.add(answer('to the waiting'))
    await held.push(...withId('waiting', 'one'))
    held.end()
    expect(await first).toMatchObject({ requestState: 'completed' })
    expect(await waiting).toMatchObject({ requestState: 'completed' })
    expect(new Set(idsOf(engine.getState())).size).toBe(4)
  })

  it.each([
    ['no stream', undefined],
    ['something that is no stream', {}],
    ['a stream that somebody else reads', lockedStream()],
  ])('of %s is an error, and the next message works', async (_name, stream) => {
    const good = scriptedTransport([answer('hi')])
    let isFirst = true
    const transport: MessageTransport = {
      ...good,
      sendMessages: async (options) => {
        if (!isFirst) return good.sendMessages(options)
        isFirst = false
        return stream as never
      },
    }
    const { engine } = setUp([], { transport })
    expect(await engine.sendMessage('go')).toMatchObject({ error: { code: 'http_body' } })
    expect(await engine.sendMessage('again')).toMatchObject({ requestState: 'completed' })
  })

  it.each([null, undefined, 1, 'text', {}, { type: 1 }])(
    'with the chunk %j is an error, and the next message works',
    async (chunk) => {
      const { engine } = setUp([[chunk as never], answer('hi')])
      const { requestState, error } = await engine.sendMessage('go')
      expect(requestState).toBe('error')
      expect(error).toMatchObject({ name: 'EngineError' })
      expect(await engine.sendMessage('again')).toMatchObject({ requestState: 'completed' })
    },
  )

  it('may go on after its finish, and is over when its stream is', async () => {
    const { engine, transport } = setUp([])
    const held = transport.hold()
    const sent = engine.sendMessage('go')
    await held.push(...answer('hi'), { type: 'data-late', data: 1 })
    expect(engine.getState().requestState).toBe('processing')
    held.end()
    await sent
    expect(engine.getState().messages[1]?.parts.at(-1)).toMatchObject({ type: 'data-late' })
  })

  it('that never ends after its finish is ended by an abort, and stays', async () => {
    const { engine, transport } = setUp([])
    const held = transport.hold()
    const sent = engine.sendMessage('go')
    await held.push(...answer('hi'))
    await engine.abort()
    expect(await sent).toMatchObject({ requestState: 'aborted' })
    expect(engine.getState().messages[1]?.parts.at(-1)).toMatchObject({ text: 'hi', state: 'done' })
  })
})

describe('a response that resets its step before it has begun one', () => {
  it('takes nothing away of what was done before', async () => {
    const execute = () => 'written'
    const { engine } = setUp(
      [
        callTools({ toolCallId: '1', toolName: 'write', input: {} }),
        [{ type: 'start' }, { type: 'reset-step' }, ...answer('done').slice(1)],
      ],
      {
        plugins: [
          toolPlugin({
            defaultApproval: 'approved',
            tools: { write: { inputSchema: z.object({}), execute } },
          }),
        ],
      },
    )
    await engine.sendMessage('go')
    expect(engine.getState().messages[1]?.parts).toMatchObject([
      { type: 'step-start' },
      { toolCallId: '1', output: 'written' },
      { type: 'step-start' },
      { text: 'done' },
    ])
  })

  it('takes away what the step has said, once it has begun', async () => {
    const half: UIMessageChunk[] = answer('half').slice(0, 4)
    const { engine } = setUp([[...half, { type: 'reset-step' }, ...answer('whole').slice(2)]])
    await engine.sendMessage('go')
    expect(engine.getState().messages[1]?.parts).toMatchObject([
      { type: 'step-start' },
      { text: 'whole' },
    ])
  })
})

describe('a queued message that cannot be sent when its time comes', () => {
  it('has an outcome that says so, and the one after it is sent', async () => {
    const { engine, transport } = setUp([], {
      plugins: [
        {
          onTurnEnd: ({ appendMessage, getState }) => {
            if (getState().messages.length > 2) return
            appendMessage({ id: 'taken', role: 'user', parts: [{ type: 'text', text: 'mine' }] })
          },
        },
      ],
    })
    const held = transport.hold()
    const first = engine.sendMessage('first')
    const second = engine.sendMessage({ id: 'taken', parts: [{ type: 'text', text: 'x' }] })
    const third = engine.sendMessage('third')
    transport.add(answer('to the third'))
    await held.push(...answer('one'))
    held.end()
    await first
    expect(await second).toMatchObject({ turnId: undefined, error: { code: 'invalid_argument' } })
    expect(await third).toMatchObject({ requestState: 'completed' })
    expect(engine.getState().queue).toEqual([])
  })
})

describe('reconnect', () => {
  it('settles with an abort although the transport ignores it', async () => {
    const { engine, transport } = setUp([answer('hi')], {
      reconnects: [() => new Promise(() => undefined)],
      ignoreAbort: true,
    })
    const reconnected = engine.reconnect()
    await engine.abort()
    expect(await reconnected).toMatchObject({ turnId: undefined, error: { code: 'removed' } })
    expect(transport.reconnects[0]?.abortSignal?.aborted).toBe(true)
    expect(await engine.sendMessage('go')).toMatchObject({ requestState: 'completed' })
  })

  it('drops a stream that comes after another turn has begun and ended', async () => {
    const asked = Promise.withResolvers<UIMessageChunk[]>()
    const { engine } = setUp([answer('hi')], { reconnects: [() => asked.promise] })
    const reconnected = engine.reconnect()
    await engine.sendMessage('go')
    const before = engine.getState()
    asked.resolve(answer('stale'))
    expect(await reconnected).toMatchObject({ error: { code: 'busy' } })
    expect(engine.getState()).toBe(before)
  })

  it('settles although the stream that is dropped cannot be cancelled', async () => {
    const asked = Promise.withResolvers<UIMessageChunk[]>()
    const good = scriptedTransport([], { reconnects: [() => asked.promise] })
    const held = scriptedTransport([])
    held.hold()
    const transport: MessageTransport = {
      ...held,
      reconnectToStream: async (options) => {
        const stream = await good.reconnectToStream(options)
        return stream && Object.assign(stream, { cancel: () => new Promise(() => undefined) })
      },
    }
    const { engine } = setUp([], { transport })
    const reconnected = engine.reconnect()
    void engine.sendMessage('go')
    asked.resolve(answer('stale'))
    expect(await reconnected).toMatchObject({ error: { code: 'busy' } })
  })

  it('takes up the stream of an engine that starts with its messages', async () => {
    const messages: UIMessage[] = [
      { id: 'u', role: 'user', parts: [{ type: 'text', text: 'go' }] },
      { id: 'a', role: 'assistant', parts: [{ type: 'text', text: 'ha', state: 'streaming' }] },
    ]
    const { engine } = setUp([], { messages, reconnects: [withId('a', 'half and whole')] })
    expect(await engine.reconnect()).toMatchObject({ requestState: 'completed' })
    expect(engine.getState().messages[1]?.parts).toMatchObject([
      { type: 'step-start' },
      { text: 'half and whole', state: 'done' },
    ])
    expect(await engine.reconnect()).toMatchObject({ turnId: undefined })
  })
})

describe('a state', () => {
  it('is the same one as long as nothing changes', async () => {
    const { engine } = setUp([answer('hi')], {
      plugins: [
        {
          name: 'idle',
          onSettle: ({ callingTools, setCustomContext, turn }) => {
            if (turn?.step === 0) return
            callingTools()
            const before = engine.getState()
            callingTools()
            setCustomContext({})
            expect(engine.getState()).toBe(before)
          },
        },
      ],
    })
    expect(await engine.sendMessage('go')).toMatchObject({ requestState: 'completed' })
    const before = engine.getState()
    await engine.abort()
    engine.flush()
    expect(engine.getState()).toBe(before)
  })
})

describe('what was thrown', () => {
  it.each([
    ['an error', new Error('words'), 'words'],
    ['an error without words', new TypeError(''), 'TypeError'],
    ['a string', 'words', 'words'],
    ['an object', { code: 1 }, '{"code":1}'],
    ['nothing', undefined, 'undefined'],
    ['an empty string', '', '""'],
    ['a cycle', cycle(), '[object Object]'],
    ['an error that throws', throwing(), 'Error'],
    ['an error whose message is no text', Object.assign(new Error('x'), { message: 7 }), '7'],
  ])('has words: %s', (_name, thrown, words) => {
    expect(describeThrown(thrown)).toBe(words)
  })
})

function lockedStream(): unknown {
  const stream = new ReadableStream()
  stream.getReader()
  return stream
}

function cycle(): object {
  const value: { self?: object } = {}
  value.self = value
  return value
}

function throwing(): Error {
  return Object.defineProperty(new Error('x'), 'message', {
    get: () => {
      throw new Error('again')
    },
  })
}

// A text that is streamed is not touched by what another one is called.
describe('parts of hostile ids', () => {
  it('are kept apart', async () => {
    const chunks: UIMessageChunk[] = [
      { type: 'start' },
      { type: 'start-step' },
      { type: 'text-start', id: '__proto__' },
      ...textChunks('constructor', 'second'),
      { type: 'text-delta', id: '__proto__', delta: 'first' },
      { type: 'text-end', id: '__proto__' },
      { type: 'finish' },
    ]
    const { engine } = setUp([chunks])
    await engine.sendMessage('go')
    await untilState(engine, (s) => s.requestState === 'completed')
    expect(engine.getState().messages[1]?.parts).toMatchObject([
      { type: 'step-start' },
      { text: 'first', state: 'done' },
      { text: 'second', state: 'done' },
    ])
  })
})
