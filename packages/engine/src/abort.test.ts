import type { UIMessage } from 'ai'
import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { createMessageEngine } from './engine.ts'
import type { MessageEngine, MessageEngineOptions } from './message-engine.ts'
import { isSettled, isToolCallPart, type ToolCallPart } from './message/tool-part.ts'
import type { ToolPluginOptions } from './plugins/tools/options.ts'
import { toolPlugin } from './plugins/tools/tool-plugin.ts'
import { answer, callTools, scriptedTransport, untilState } from './testing/index.ts'

const inputSchema = z.object({})
const write = { toolCallId: '1', toolName: 'write', input: {} }

function callsOf({ messages }: { messages: readonly UIMessage[] }): ToolCallPart[] {
  return messages.flatMap(({ parts }) => parts.filter(isToolCallPart))
}

function setUp(
  script: Parameters<typeof scriptedTransport>[0],
  tools: ToolPluginOptions = {},
  more: Partial<MessageEngineOptions> & { ignoreAbort?: boolean } = {},
) {
  const { ignoreAbort, plugins = [], ...options } = more
  const transport = scriptedTransport(script, ignoreAbort ? { ignoreAbort } : {})
  const engine = createMessageEngine({
    transport,
    plugins: [toolPlugin({ defaultApproval: 'approved', ...tools }), ...plugins],
    onError: () => undefined,
    ...options,
  })
  return { engine, transport }
}

/** Whatever was aborted, the next message must work and carry a valid history. */
async function expectNextMessageWorks(
  engine: MessageEngine,
  transport: ReturnType<typeof scriptedTransport>,
): Promise<void> {
  transport.add(answer('next answer'))
  const outcome = await engine.sendMessage('next')
  expect(outcome).toMatchObject({ requestState: 'completed' })
  const sent = transport.requests.at(-1)?.messages ?? []
  expect(callsOf({ messages: sent }).every(isSettled)).toBe(true)
  expect(engine.getState().messages.at(-1)?.parts.at(-1)).toMatchObject({ text: 'next answer' })
}

describe('abort', () => {
  it('settles at once while text streams, and drops what comes late', async () => {
    const { engine, transport } = setUp([], {}, { ignoreAbort: true })
    const held = transport.hold()
    const sent = engine.sendMessage('go')
    await held.push(...answer('hello').slice(0, 4))
    await untilState(engine, ({ messages }) => messages[1]?.parts.at(-1)?.type === 'text')
    void engine.abort()
    expect(engine.getState().requestState).toBe('aborted')
    expect(engine.getState().messages[1]?.parts[1]).toMatchObject({ text: 'hello', state: 'done' })
    expect(await sent).toMatchObject({ requestState: 'aborted' })
    void held.push({ type: 'text-delta', id: 'text-1', delta: ' late' })
    await expectNextMessageWorks(engine, transport)
    expect(JSON.stringify(engine.getState().messages)).not.toContain('late')
  })

  it('settles at once when the provider never answers the request', async () => {
    const { engine, transport } = setUp([], {}, { ignoreAbort: true })
    const held = transport.hold({ unanswered: true })
    const sent = engine.sendMessage('go')
    await transport.requested(1)
    await engine.abort()
    expect(await sent).toMatchObject({ requestState: 'aborted' })
    held.respond()
    await held.cancelled
    await expectNextMessageWorks(engine, transport)
  })

  it('closes a call whose input still streams', async () => {
    const { engine, transport } = setUp([], { tools: { write: { inputSchema } } })
    const held = transport.hold()
    void engine.sendMessage('go')
    await held.push(
      { type: 'start' },
      { type: 'start-step' },
      { type: 'tool-input-start', toolCallId: '1', toolName: 'write' },
      { type: 'tool-input-delta', toolCallId: '1', inputTextDelta: '{"path":"a' },
    )
    await engine.abort()
    expect(callsOf(engine.getState())).toMatchObject([
      {
        state: 'output-error',
        input: { path: 'a' },
        toolMetadata: { assent: { ended: 'cancelled' } },
      },
    ])
    await expectNextMessageWorks(engine, transport)
  })

  it('closes a running call whose tool ignores its signal, and leaves it closed when its result comes late', async () => {
    const late = Promise.withResolvers<string>()
    const ended = vi.fn()
    const { engine, transport } = setUp([callTools(write)], {
      tools: { write: { inputSchema, execute: () => late.promise } },
      onToolCallEnd: (_call, { status }) => ended(status),
    })
    const sent = engine.sendMessage('go')
    await untilState(engine, (s) => callsOf(s)[0]?.toolMetadata !== undefined)
    await untilState(engine, () =>
      callsOf(engine.getState()).some((p) => JSON.stringify(p).includes('startedAt')),
    )
    void engine.abort()
    const closed = callsOf(engine.getState())
    expect(closed).toMatchObject([
      { state: 'output-error', errorText: expect.stringContaining('may have taken effect') },
    ])
    expect(await sent).toMatchObject({ requestState: 'aborted' })
    late.resolve('late result')
    await expectNextMessageWorks(engine, transport)
    const { toolMetadata: _noted, ...settled } = closed[0] ?? {}
    expect(callsOf(engine.getState())).toMatchObject([settled])
    expect(ended.mock.calls).toEqual([['cancelled']])
  })

  it('closes what waits while paused, so that a late approval changes nothing', async () => {
    const execute = vi.fn()
    const { engine, transport } = setUp([callTools(write)], {
      tools: { write: { inputSchema, execute } },
      toolApproval: { write: 'user-approval' },
    })
    await engine.sendMessage('go')
    await engine.abort()
    expect(callsOf(engine.getState())).toMatchObject([
      { state: 'output-error', errorText: expect.stringContaining('it did not run') },
    ])
    const late = await engine.runPluginCommand('tool', 'resumeToolCall', { toolCallId: '1' })
    expect(late).toMatchObject({ success: false, error: { code: 'not_awaiting_approval' } })
    await expectNextMessageWorks(engine, transport)
    expect(execute).not.toHaveBeenCalled()
  })

  it('starts no tool when it comes between approval and execution', async () => {
    const execute = vi.fn()
    const resuming = Promise.withResolvers<void>()
    const { engine, transport } = setUp(
      [callTools(write)],
      { tools: { write: { inputSchema, execute } }, toolApproval: { write: 'user-approval' } },
      { plugins: [{ onTurnResume: () => resuming.promise }] },
    )
    await engine.sendMessage('go')
    await engine.runPluginCommand('tool', 'resumeToolCall', { toolCallId: '1' })
    await engine.abort()
    resuming.resolve()
    await expectNextMessageWorks(engine, transport)
    expect(execute).not.toHaveBeenCalled()
  })

  it('starts no tool when it comes while a policy is being asked', async () => {
    const execute = vi.fn()
    const policy = Promise.withResolvers<'approved'>()
    const asked = Promise.withResolvers<void>()
    const { engine, transport } = setUp([callTools(write)], {
      tools: { write: { inputSchema, execute } },
      toolApproval: {
        write: () => {
          asked.resolve()
          return policy.promise
        },
      },
    })
    void engine.sendMessage('go')
    await asked.promise
    await engine.abort()
    policy.resolve('approved')
    await expectNextMessageWorks(engine, transport)
    expect(execute).not.toHaveBeenCalled()
  })

  it('makes no request when it comes inside an async onBeforeRequest', async () => {
    const preparing = Promise.withResolvers<void>()
    let isFirst = true
    const { engine, transport } = setUp(
      [],
      {},
      {
        plugins: [
          {
            async onBeforeRequest() {
              if (isFirst) await preparing.promise
              isFirst = false
            },
          },
        ],
      },
    )
    const sent = engine.sendMessage('go')
    await engine.abort()
    expect(await sent).toMatchObject({ requestState: 'aborted' })
    preparing.resolve()
    isFirst = false
    await expectNextMessageWorks(engine, transport)
    expect(transport.requests).toHaveLength(1)
  })

  it('gives its hooks 80 ms and then settles without them', async () => {
    vi.useFakeTimers()
    try {
      const { engine, transport } = setUp(
        [],
        {},
        { plugins: [{ onTurnAbort: () => new Promise(() => undefined) }] },
      )
      transport.hold()
      const sent = engine.sendMessage('go')
      const aborted = engine.abort()
      expect(engine.getState().requestState).toBe('aborted')
      await vi.advanceTimersByTimeAsync(80)
      await aborted
      expect(await sent).toMatchObject({ requestState: 'aborted' })
    } finally {
      vi.useRealTimers()
    }
  })

  it('is not undone by a slow onTurnEnd', async () => {
    const ending = Promise.withResolvers<void>()
    const isEnding = Promise.withResolvers<void>()
    const { engine } = setUp(
      [answer('hi')],
      {},
      {
        plugins: [
          {
            onTurnEnd: () => {
              isEnding.resolve()
              return ending.promise
            },
          },
        ],
      },
    )
    const sent = engine.sendMessage('go')
    await isEnding.promise
    await engine.abort()
    ending.resolve()
    expect(await sent).toMatchObject({ requestState: 'aborted' })
    expect(engine.getState().requestState).toBe('aborted')
  })

  it('holds queued messages until they are sent by hand', async () => {
    const { engine, transport } = setUp([])
    transport.hold()
    void engine.sendMessage('first')
    const second = engine.sendMessage('second')
    await transport.requested(1)
    await engine.abort()
    expect(engine.getState().queue).toMatchObject([{ held: true }])
    await expectNextMessageWorks(engine, transport)
    expect(engine.getState().queue).toMatchObject([{ held: true }])
    transport.add(answer('to the second'))
    engine.sendQueued(engine.getState().queue[0]?.id ?? '')
    expect(await second).toMatchObject({ requestState: 'completed' })
    expect(engine.getState().queue).toEqual([])
  })

  it('does nothing when no turn is open', async () => {
    const { engine } = setUp([])
    const before = engine.getState()
    await engine.abort()
    expect(engine.getState()).toBe(before)
  })

  it('lets nothing that a hook keeps write into a later turn', async () => {
    const contexts: { append: () => void }[] = []
    const { engine, transport } = setUp(
      [],
      {},
      {
        plugins: [
          {
            onTurnStart: ({ appendMessage, setCustomContext }) => {
              contexts.push({
                append: () => {
                  setCustomContext({ late: true })
                  appendMessage({ id: 'late', role: 'user', parts: [] })
                },
              })
            },
          },
        ],
      },
    )
    transport.hold()
    void engine.sendMessage('go')
    await transport.requested(1)
    await engine.abort()
    await expectNextMessageWorks(engine, transport)
    contexts[0]?.append()
    expect(engine.getState().messages.map(({ id }) => id)).not.toContain('late')
    expect(engine.getState().turn?.customContext).toEqual({})
  })
})
