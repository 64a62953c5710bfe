import type { UIMessage } from 'ai'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createToolEngine } from '../test/tool-engine.ts'
import { textOf } from './message/message-input.ts'
import {
  answer,
  approvalRequestChunks,
  callTools,
  responseChunks,
  stepChunks,
  textChunks,
  toolCallChunks,
  toolOutputChunks,
  type ScriptedTransportOptions,
} from './testing/index.ts'
import type { MessageEngineOptions } from './message-engine.ts'

const question: UIMessage = { id: 'q', role: 'user', parts: [{ type: 'text', text: 'go' }] }
const half: UIMessage = {
  id: 'answer',
  role: 'assistant',
  parts: [{ type: 'step-start' }, { type: 'text', text: 'The ans', state: 'streaming' }],
}

function setUp(more: Partial<MessageEngineOptions> & ScriptedTransportOptions) {
  const made = createToolEngine([], {}, more)
  const said = () => made.engine.getState().messages.map(textOf)
  return { ...made, said }
}

describe('reconnect', () => {
  it('changes nothing when the server streams nothing', async () => {
    const { engine, transport } = setUp({ messages: [question], reconnects: [null] })
    const before = engine.getState()
    expect(await engine.reconnect()).toEqual({ turnId: undefined, requestState: 'idle' })
    expect(engine.getState()).toBe(before)
    expect(transport.reconnects).toHaveLength(1)
  })

  it('asks with the options of the engine and its own', async () => {
    const { engine, transport } = setUp({
      id: 'chat-1',
      request: () => ({ headers: { app: '1', own: 'no' }, body: { app: true } }),
    })
    await engine.reconnect({ headers: { own: 'yes' }, metadata: 7 })
    expect(transport.reconnects).toMatchObject([
      { chatId: 'chat-1', headers: { app: '1', own: 'yes' }, body: { app: true }, metadata: 7 },
    ])
  })

  it('takes up an answer that has no message yet', async () => {
    const { engine, said } = setUp({
      messages: [question],
      reconnects: [answer('The answer', { messageId: 'answer' })],
    })
    const outcome = await engine.reconnect()
    expect(outcome).toMatchObject({ requestState: 'completed', turnId: engine.getState().turn?.id })
    expect(said()).toEqual(['go', 'The answer'])
    expect(engine.getState().messageIds).toEqual(['q', 'answer'])
  })

  it('replays the answer into the message that was cut off', async () => {
    const { engine, said } = setUp({
      messages: [question, half],
      reconnects: [answer('The answer', { messageId: 'answer' })],
    })
    await engine.reconnect()
    expect(said()).toEqual(['go', 'The answer'])
    expect(engine.getState().messageIds).toEqual(['q', 'answer'])
  })

  it('adds to the message when the server does not replay', async () => {
    const { engine, said } = setUp({
      messages: [question, half],
      resumeStreamIsReplay: false,
      reconnects: [answer('wer')],
    })
    await engine.reconnect()
    expect(said()).toEqual(['go', 'The ans\nwer'])
    expect(
      engine.getState().messages[1]?.parts.map((part) => 'state' in part && part.state),
    ).not.toContain('streaming')
  })

  it('takes up the turn whose stream was cut, without what that said', async () => {
    const { engine, transport, said } = setUp({
      reconnects: [answer('The answer', { messageId: 'answer' })],
    })
    const held = transport.hold()
    const sent = engine.sendMessage('go')
    await held.push(...answer('The ans', { messageId: 'answer' }).slice(0, 4))
    held.fail(new TypeError('network'))
    const { turnId } = await sent
    expect(engine.getState()).toMatchObject({
      requestState: 'error',
      error: { code: 'stream_cut' },
    })
    expect(await engine.reconnect()).toMatchObject({ requestState: 'completed', turnId })
    expect(said()).toEqual(['go', 'The answer'])
    expect(engine.getState()).toMatchObject({ error: undefined, turn: { step: 1 } })
    expect(transport.requests).toHaveLength(1)
  })

  it('does not run the calls of an earlier answer again, whichever the server sends', async () => {
    let runs = 0
    const first = callTools({ toolCallId: '1', toolName: 'write', input: {} })
    const { engine, calls } = createToolEngine(
      [first, new TypeError('network'), answer('done')],
      { tools: { write: { inputSchema: z.object({}), execute: () => ++runs } } },
      { reconnects: [first] },
    )
    expect(await engine.sendMessage('go')).toMatchObject({ requestState: 'error' })
    const outcome = await engine.reconnect()
    expect(outcome).toMatchObject({ requestState: 'error', error: { code: 'stream_invalid' } })
    expect(await engine.retry()).toMatchObject({ requestState: 'completed' })
    expect(calls()).toMatchObject([{ state: 'output-available', output: 1 }])
    expect(runs).toBe(1)
  })

  it('does not ask for an answer again that ended and whose calls run here', async () => {
    const { engine, transport } = createToolEngine(
      [callTools({ toolCallId: '1', toolName: 'write', input: {} })],
      {
        tools: { write: { inputSchema: z.object({}), execute: () => new Promise(() => {}) } },
        onToolCallStart: () => void started.resolve(),
      },
    )
    const started = Promise.withResolvers<void>()
    void engine.sendMessage('go')
    await started.promise
    await engine.abort()
    expect(await engine.reconnect()).toMatchObject({ turnId: undefined, requestState: 'aborted' })
    expect(transport.reconnects).toEqual([])
  })

  it('brings the calls of a stream that was cut once, those that have run there too', async () => {
    const calls = [
      stepChunks(
        toolCallChunks({ toolCallId: '1', toolName: 'search', input: {} }),
        toolOutputChunks('1', 'found'),
        toolCallChunks({ toolCallId: '2', toolName: 'charge', input: {} }),
        toolOutputChunks('2', 'charged'),
      ),
      stepChunks(textChunks('t', 'done')),
    ]
    const replay = responseChunks({ messageId: 'answer' }, ...calls)
    const { engine, transport, calls: shown, said } = setUp({ reconnects: [replay] })
    const held = transport.hold()
    const sent = engine.sendMessage('go')
    const cutAt = replay.findLastIndex(({ type }) => type === 'tool-output-available')
    await held.push(...replay.slice(0, cutAt))
    held.fail(new TypeError('network'))
    await sent
    expect(shown()).toMatchObject([{ output: 'found' }, { state: 'output-error' }])
    expect(await engine.reconnect()).toMatchObject({ requestState: 'completed' })
    expect(shown()).toMatchObject([{ output: 'found' }, { output: 'charged' }])
    expect(said()).toEqual(['go', 'done'])
  })

  it('pauses at a call of the stream that waits for a person', async () => {
    const call = { toolCallId: '1', toolName: 'deploy', input: {} }
    const { engine, resume, completed, transport, sentCalls } = setUp({
      messages: [question],
      reconnects: [
        responseChunks(
          { messageId: 'answer', finishReason: 'tool-calls' },
          stepChunks(toolCallChunks(call), approvalRequestChunks({ toolCallId: '1' })),
        ),
      ],
    })
    expect(await engine.reconnect()).toMatchObject({ requestState: 'paused' })
    transport.add(answer('ok', { messageId: 'answer' }))
    await resume({ toolCallId: '1' })
    await completed()
    expect(sentCalls(1)).toMatchObject([{ approval: { approved: true } }])
  })

  it('answers with a typed error when the server cannot be asked, and works later', async () => {
    const { engine, errors } = setUp({
      messages: [question],
      reconnects: [new TypeError('offline'), answer('The answer')],
    })
    expect(await engine.reconnect()).toMatchObject({
      turnId: undefined,
      requestState: 'idle',
      error: { code: 'http_network', cause: { message: 'offline' } },
    })
    expect(errors).toEqual([])
    expect(await engine.reconnect()).toMatchObject({ requestState: 'completed' })
  })

  it('is refused while a turn is open', async () => {
    const { engine, transport } = setUp({})
    transport.hold()
    void engine.sendMessage('go')
    expect(await engine.reconnect()).toMatchObject({ error: { code: 'busy' } })
    expect(transport.reconnects).toHaveLength(0)
  })

  it('gives way to a message that is sent while the server is asked', async () => {
    const asked = Promise.withResolvers<ReturnType<typeof answer>>()
    const { engine, transport, said } = setUp({ reconnects: [() => asked.promise] })
    transport.add(answer('to the message'))
    const reconnecting = engine.reconnect()
    const sent = engine.sendMessage('go')
    asked.resolve(answer('too late'))
    expect(await reconnecting).toMatchObject({ error: { code: 'busy' } })
    await sent
    expect(said()).toEqual(['go', 'to the message'])
  })

  it.each([
    ['abort', 'removed'],
    ['dispose', 'disposed'],
  ] as const)('settles at once on %s, also when the server never answers', async (how, code) => {
    const { engine } = setUp({
      messages: [question],
      ignoreAbort: true,
      reconnects: [() => new Promise<never>(() => undefined)],
    })
    const reconnecting = engine.reconnect()
    void engine[how]()
    expect(await reconnecting).toMatchObject({ turnId: undefined, error: { code } })
    expect(engine.getState().messages).toHaveLength(1)
  })
})
