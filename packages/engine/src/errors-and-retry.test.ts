import type { UIMessage } from 'ai'
import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { createMessageEngine } from './engine.ts'
import { EngineError } from './errors.ts'
import type { MessageEngineOptions } from './message-engine.ts'
import { isSettled, isToolCallPart, type ToolCallPart } from './message/tool-part.ts'
import type { ToolPluginOptions } from './plugins/tools/options.ts'
import { toolPlugin } from './plugins/tools/tool-plugin.ts'
import {
  answer,
  approvalRequestChunks,
  callTools,
  responseChunks,
  scriptedTransport,
  stepChunks,
  textChunks,
  toolCallChunks,
  toolOutputChunks,
  untilState,
} from './testing/index.ts'

const inputSchema = z.object({})
const write = { toolCallId: '1', toolName: 'write', input: {} }

function callsOf({ messages }: { messages: readonly UIMessage[] }): ToolCallPart[] {
  return messages.flatMap(({ parts }) => parts.filter(isToolCallPart))
}

function setUp(
  script: Parameters<typeof scriptedTransport>[0],
  tools: ToolPluginOptions = {},
  { plugins = [], ...options }: Partial<MessageEngineOptions> = {},
) {
  const transport = scriptedTransport(script)
  const errors: EngineError[] = []
  const engine = createMessageEngine({
    transport,
    plugins: [toolPlugin({ defaultApproval: 'approved', ...tools }), ...plugins],
    onError: (error) => errors.push(error),
    ...options,
  })
  return { engine, transport, errors }
}

describe('a failure', () => {
  it.each([
    ['an error chunk', [{ type: 'error', errorText: 'overloaded' }], 'stream_error'],
    ['an abort chunk', [{ type: 'abort', reason: 'limit' }], 'stream_aborted'],
    ['a stream without finish', answer('half').slice(0, -1), 'stream_without_finish'],
    [
      'an interrupted provider',
      answer('half', { finishReason: 'interrupted' as never }),
      'stream_interrupted',
    ],
    [
      'a chunk for an unknown part',
      [{ type: 'text-delta', id: 'x', delta: 'y' }],
      'stream_invalid',
    ],
    ['a request that throws', new TypeError('fetch failed'), 'http_network'],
  ] as const)('of %s is an error state with a typed error', async (_name, script, code) => {
    const { engine, errors } = setUp([script as never])
    const outcome = await engine.sendMessage('go')
    expect(outcome).toMatchObject({ requestState: 'error', error: { name: 'EngineError', code } })
    expect(engine.getState()).toMatchObject({ requestState: 'error', error: { code } })
    expect(errors.map((error) => error.code)).toEqual([code])
  })

  it('leaves no empty message behind when nothing was said', async () => {
    const { engine } = setUp([[{ type: 'start' }, { type: 'error', errorText: 'no' }]])
    await engine.sendMessage('go')
    expect(engine.getState().messages.map(({ role }) => role)).toEqual(['user'])
  })

  it('accepts a stream without finish when told so', async () => {
    const { engine } = setUp([answer('all').slice(0, -1)], {}, { requireFinish: false })
    expect(await engine.sendMessage('go')).toMatchObject({ requestState: 'completed' })
  })

  it('of the model after an approval is an error state, and retry sends the result again', async () => {
    const execute = vi.fn(() => 'written')
    const { engine, transport } = setUp([callTools(write), new Error('model down'), answer('ok')], {
      tools: { write: { inputSchema, execute } },
      toolApproval: { write: 'user-approval' },
    })
    const { turnId } = await engine.sendMessage('go')
    await engine.runPluginCommand('tool', 'resumeToolCall', { toolCallId: '1' })
    await untilState(engine, (s) => s.requestState === 'error')
    expect(await engine.retry()).toMatchObject({ requestState: 'completed', turnId })
    expect(execute).toHaveBeenCalledTimes(1)
    expect(transport.requests[2]?.messages).toEqual(transport.requests[1]?.messages)
  })

  it('of a step is retried without what the failed step said', async () => {
    const half = answer('half an ans').slice(0, 4)
    const { engine, transport } = setUp([
      [...half, { type: 'error', errorText: 'x' }],
      answer('whole'),
    ])
    await engine.sendMessage('go')
    expect(engine.getState().messages[1]?.parts[1]).toMatchObject({ state: 'done' })
    await engine.retry()
    expect(transport.requests[1]?.messages).toHaveLength(1)
    expect(engine.getState().messages.map(({ parts }) => parts.at(-1))).toMatchObject([
      { text: 'go' },
      { text: 'whole' },
    ])
  })

  it('keeps a call that the server ran in the failed step, so that it does not run again', async () => {
    const { engine, transport } = setUp([
      [
        { type: 'start' },
        { type: 'start-step' },
        ...toolCallChunks(write),
        ...toolOutputChunks('1', 'server result'),
        ...textChunks('t', 'and the'),
        { type: 'error', errorText: 'cut' },
      ],
      answer('ok'),
    ])
    await engine.sendMessage('go')
    await engine.retry()
    expect(transport.requests[1]?.messages[1]?.parts).toMatchObject([
      { type: 'step-start' },
      { state: 'output-available', output: 'server result' },
    ])
  })

  it('closes calls of the failed step, and the next message carries a valid history', async () => {
    const { engine, transport } = setUp([
      [...callTools(write).slice(0, -1), { type: 'error', errorText: 'cut' }],
      answer('ok'),
    ])
    await engine.sendMessage('go')
    expect(callsOf(engine.getState())).toMatchObject([
      { state: 'output-error', toolMetadata: { assent: { ended: 'interrupted' } } },
    ])
    await engine.sendMessage('next')
    expect(callsOf({ messages: transport.requests[1]?.messages ?? [] }).every(isSettled)).toBe(true)
  })

  it('of a refused request keeps an approval for a tool elsewhere, and retry sends it', async () => {
    const guarded = responseChunks(
      { finishReason: 'tool-calls' },
      stepChunks(
        toolCallChunks(write),
        approvalRequestChunks({ approvalId: 'a', toolCallId: '1' }),
      ),
    )
    const refused = new EngineError('http_status', 'HTTP 503', { retryable: true })
    const { engine, transport } = setUp([guarded, refused, answer('sent')])
    await engine.sendMessage('go')
    await engine.runPluginCommand('tool', 'resumeToolCall', { toolCallId: '1' })
    await untilState(engine, (s) => s.requestState === 'error')
    expect(callsOf(engine.getState())).toMatchObject([{ state: 'approval-responded' }])
    await engine.retry()
    expect(callsOf({ messages: transport.requests[2]?.messages ?? [] })).toMatchObject([
      { state: 'approval-responded', approval: { id: 'a', approved: true } },
    ])
  })

  it('is nothing to retry when the turn has its answer', async () => {
    const { engine } = setUp([answer('hi')])
    await engine.sendMessage('go')
    expect(await engine.retry()).toMatchObject({ error: { code: 'nothing_to_retry' } })
  })
})

describe('what throws', () => {
  it.each(['onToolCallStart', 'onToolCallEnd'] as const)(
    'in %s is reported and changes no result',
    async (callback) => {
      const { engine, errors } = setUp([callTools(write), answer('ok')], {
        tools: { write: { inputSchema, execute: () => 'written' } },
        [callback]: () => {
          throw new Error('observer')
        },
      })
      expect(await engine.sendMessage('go')).toMatchObject({ requestState: 'completed' })
      expect(callsOf(engine.getState())).toMatchObject([{ output: 'written' }])
      expect(errors.map(({ code }) => code)).toEqual(['callback_failed'])
    },
  )

  it.each(['onToolCallStart', 'onToolCallEnd'] as const)(
    'in an async %s is reported and changes no result',
    async (callback) => {
      const reported = Promise.withResolvers<EngineError>()
      const { engine } = setUp(
        [callTools(write), answer('ok')],
        {
          tools: { write: { inputSchema, execute: () => 'written' } },
          [callback]: () => Promise.reject(new Error('observer')),
        },
        { onError: reported.resolve },
      )
      expect(await engine.sendMessage('go')).toMatchObject({ requestState: 'completed' })
      expect(await reported.promise).toMatchObject({ code: 'callback_failed' })
    },
  )

  it('in a subscriber does not wedge the engine', async () => {
    const { engine, errors } = setUp([answer('hi')])
    const seen = vi.fn()
    engine.subscribe(() => {
      throw new Error('subscriber')
    })
    engine.subscribe(seen)
    expect(await engine.sendMessage('go')).toMatchObject({ requestState: 'completed' })
    expect(seen).toHaveBeenCalled()
    expect(new Set(errors.map(({ code }) => code))).toEqual(new Set(['callback_failed']))
  })

  it.each([
    ['toolApproval', { toolApproval: () => Promise.reject(new Error('policy down')) }],
    [
      'shouldPauseToolCall',
      {
        shouldPauseToolCall: () => {
          throw new Error('policy down')
        },
      },
    ],
  ] as const)('in %s asks the person and says why', async (_name, policy) => {
    const execute = vi.fn(() => 'written')
    const { engine } = setUp([callTools(write), answer('ok')], {
      tools: { write: { inputSchema, execute } },
      ...policy,
    })
    expect(await engine.sendMessage('go')).toMatchObject({ requestState: 'paused' })
    expect(callsOf(engine.getState())).toMatchObject([
      {
        state: 'approval-requested',
        approval: { requestReason: expect.stringContaining('policy down') },
      },
    ])
    expect(execute).not.toHaveBeenCalled()
  })

  it('in a tool is an error result that the model reads', async () => {
    const { engine, transport } = setUp([callTools(write), answer('sorry')], {
      tools: {
        write: {
          inputSchema,
          execute: () => {
            throw new Error('disk full')
          },
        },
      },
    })
    await engine.sendMessage('go')
    expect(callsOf({ messages: transport.requests[1]?.messages ?? [] })).toMatchObject([
      { state: 'output-error', errorText: 'disk full' },
    ])
  })

  it('in a hook is an error state that names plugin and hook', async () => {
    const { engine } = setUp(
      [],
      {},
      {
        plugins: [
          {
            name: 'logger',
            onTurnStart: () => {
              throw new Error('no disk')
            },
          },
        ],
      },
    )
    expect(await engine.sendMessage('go')).toMatchObject({
      error: { code: 'hook_failed', details: { plugin: 'logger', hook: 'onTurnStart' } },
    })
  })

  it('in onError observers never replaces the error, and onFinally always runs', async () => {
    const finished = vi.fn()
    const { engine } = setUp(
      [new Error('model down')],
      {},
      {
        plugins: [
          {
            onError: () => {
              throw new Error('observer')
            },
          },
          { onFinally: finished },
        ],
      },
    )
    expect(await engine.sendMessage('go')).toMatchObject({ error: { code: 'http_network' } })
    expect(finished).toHaveBeenCalledTimes(1)
  })

  it('leaves an engine alone that shares the plugin object of another', async () => {
    const shared = toolPlugin({
      tools: { write: { inputSchema, execute: () => 'written' } },
      toolApproval: { write: 'user-approval' },
    })
    const make = () => {
      const transport = scriptedTransport([callTools(write), answer('ok')])
      return createMessageEngine({ transport, plugins: [shared] })
    }
    const [one, other] = [make(), make()]
    await Promise.all([one.sendMessage('go'), other.sendMessage('go')])
    await one.runPluginCommand('tool', 'resumeToolCall', { toolCallId: '1' })
    await untilState(one, (s) => s.requestState === 'completed')
    expect(other.getState().requestState).toBe('paused')
    expect(callsOf(other.getState())).toMatchObject([{ state: 'approval-requested' }])
  })
})
