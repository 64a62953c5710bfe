import type { UIMessage } from 'ai'
import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { createMessageEngine } from '../../engine.ts'
import type { MessageEngineOptions } from '../../message-engine.ts'
import { isToolCallPart, type ToolCallPart } from '../../message/tool-part.ts'
import { answer, callTools, scriptedTransport, untilState } from '../../testing/index.ts'
import type { ResumeToolCallPayload } from './commands.ts'
import { toolPlugin } from './tool-plugin.ts'

const inputSchema = z.object({ path: z.string() })
const call = (toolCallId: string, toolName: string, path = `${toolCallId}.txt`) => ({
  toolCallId,
  toolName,
  input: { path },
})
const partsOf = (messages: readonly UIMessage[]): ToolCallPart[] =>
  messages.flatMap(({ parts }) => parts.filter(isToolCallPart))

/** Tools whose effects are counted outside the engine. */
function createFileTools() {
  const effects: string[] = []
  const act = (verb: string) => ({
    inputSchema,
    execute: ({ path }: { path: string }) => {
      effects.push(`${verb} ${path}`)
      return `${verb} ${path}`
    },
  })
  return { effects, tools: { read: act('read'), write: act('write'), remove: act('remove') } }
}

function setUp(
  script: Parameters<typeof scriptedTransport>[0],
  more: Partial<Parameters<typeof toolPlugin>[0]> & Partial<MessageEngineOptions> = {},
) {
  const { effects, tools } = createFileTools()
  const transport = scriptedTransport(script)
  const { gate, messages, plugins = [], shouldPauseToolCall, ...engineOptions } = more
  const engine = createMessageEngine({
    transport,
    ...(messages ? { messages } : {}),
    plugins: [
      toolPlugin({
        tools,
        defaultApproval: 'approved',
        ...(gate ? { gate } : {}),
        shouldPauseToolCall: shouldPauseToolCall ?? (({ toolName }) => toolName !== 'read'),
      }),
      ...plugins,
    ],
    onError: () => undefined,
    ...engineOptions,
  })
  const resume = (payload: ResumeToolCallPayload) =>
    engine.runPluginCommand('tool', 'resumeToolCall', payload)
  const parts = () => partsOf(engine.getState().messages)
  return { engine, transport, effects, resume, parts }
}

describe('a call that needs a yes', () => {
  it('pauses the turn and does not run', async () => {
    const { engine, transport, effects, parts } = setUp([callTools(call('1', 'write'))])
    const outcome = await engine.sendMessage('go')
    expect(outcome).toMatchObject({ requestState: 'paused', turnId: engine.getState().turn?.id })
    expect(parts()).toMatchObject([{ state: 'approval-requested', input: { path: '1.txt' } }])
    expect(engine.getState().turn?.pauseReason).toMatchObject({
      type: 'approval',
      toolCalls: [{ toolCallId: '1', step: 1 }],
    })
    expect(effects).toEqual([])
    expect(transport.requests).toHaveLength(1)
  })

  it('runs after a yes and goes on with the same turn, its context and its hooks', async () => {
    const hooks: string[] = []
    const { engine, transport, effects, resume, parts } = setUp(
      [callTools(call('1', 'write')), answer('done')],
      {
        plugins: [
          {
            onTurnStart: (context) => {
              hooks.push('start')
              context.setCustomContext({ who: 'ada' })
            },
            onTurnPause: () => void hooks.push('pause'),
            onTurnResume: ({ customContext }) =>
              void hooks.push(`resume ${String(customContext['who'])}`),
            onTurnEnd: ({ customContext }) =>
              void hooks.push(`end ${String(customContext['who'])}`),
          },
        ],
      },
    )
    const { turnId } = await engine.sendMessage('go')
    const result = await resume({ toolCallId: '1' })
    expect(result).toMatchObject({ success: true, result: { toolCallId: '1' } })
    const { turn, messages } = await untilState(engine, (s) => s.requestState === 'completed')
    expect(turn?.id).toBe(turnId)
    expect(effects).toEqual(['write 1.txt'])
    expect(hooks).toEqual(['start', 'pause', 'resume ada', 'end ada'])
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant'])
    expect(messages[1]?.parts.at(-1)).toMatchObject({ type: 'text', text: 'done', state: 'done' })
    expect(parts()).toMatchObject([
      { state: 'output-available', output: 'write 1.txt', approval: { approved: true } },
    ])
    expect(transport.requests[1]?.messages.at(-1)?.parts).toMatchObject([
      { type: 'step-start' },
      { state: 'output-available', output: 'write 1.txt' },
    ])
    expect(engine.getState().confirmations).toMatchObject([{ toolCallId: '1', outcome: 'yes' }])
  })

  it('does not run after a no, and the model is sent the reason', async () => {
    const { engine, transport, effects, resume } = setUp([
      callTools(call('1', 'write')),
      answer('fine'),
    ])
    await engine.sendMessage('go')
    await resume({ toolCallId: '1', outcome: 'no', reason: 'wrong file' })
    await untilState(engine, (s) => s.requestState === 'completed')
    expect(effects).toEqual([])
    expect(partsOf(transport.requests[1]?.messages ?? [])).toMatchObject([
      { state: 'output-denied', approval: { approved: false, reason: 'wrong file' } },
    ])
  })

  it('resumes from plain messages in a new engine', async () => {
    const first = setUp([callTools(call('1', 'write'))])
    await first.engine.sendMessage('go')
    const messages: UIMessage[] = JSON.parse(JSON.stringify(first.engine.getState().messages))

    const { engine, transport, effects, resume } = setUp([answer('done')], { messages })
    expect(engine.getState()).toMatchObject({ requestState: 'paused' })
    await resume({ toolCallId: '1' })
    await untilState(engine, (s) => s.requestState === 'completed')
    expect(effects).toEqual(['write 1.txt'])
    expect(first.effects).toEqual([])
    expect(partsOf(transport.requests[0]?.messages ?? [])).toMatchObject([
      { state: 'output-available' },
    ])
  })
})

describe('a mixed step', () => {
  const mixed = [call('1', 'read'), call('2', 'write'), call('3', 'remove')]

  it("with gate 'step' runs nothing before the last decision, then all in call order", async () => {
    const { engine, transport, effects, resume, parts } = setUp([callTools(mixed), answer('ok')])
    const states: string[] = []
    engine.subscribe(() => states.push(engine.getState().requestState))
    await engine.sendMessage('go')
    expect(effects).toEqual([])
    states.length = 0
    await resume({ toolCallId: '3' })
    expect(engine.getState().requestState).toBe('paused')
    expect(parts()[2]).toMatchObject({ state: 'approval-responded' })
    expect(effects).toEqual([])
    expect(states).not.toContain('processing')
    await resume({ toolCallId: '2' })
    await untilState(engine, (s) => s.requestState === 'completed')
    expect(effects.toSorted()).toEqual(['read 1.txt', 'remove 3.txt', 'write 2.txt'])
    expect(partsOf(transport.requests[1]?.messages ?? []).map((p) => p.toolCallId)).toEqual([
      '1',
      '2',
      '3',
    ])
  })

  it("with gate 'call' runs the free call at once and stays processing until it settles", async () => {
    const held = Promise.withResolvers<string>()
    const transport = scriptedTransport([callTools(mixed.slice(0, 2)), answer('ok')])
    const engine = createMessageEngine({
      transport,
      plugins: [
        toolPlugin({
          gate: 'call',
          tools: {
            read: { inputSchema, execute: () => held.promise },
            write: { inputSchema, execute: () => 'written' },
          },
          shouldPauseToolCall: ({ toolName }) => toolName === 'write',
        }),
      ],
    })
    const sent = engine.sendMessage('go')
    await untilState(engine, ({ messages }) => partsOf(messages)[1]?.state === 'approval-requested')
    expect(engine.getState()).toMatchObject({
      requestState: 'processing',
      processingState: 'calling-tools',
    })
    held.resolve('content')
    expect(await sent).toMatchObject({ requestState: 'paused' })
    expect(partsOf(engine.getState().messages)[0]).toMatchObject({ output: 'content' })
    await engine.runPluginCommand('tool', 'resumeToolCall', { toolCallId: '2' })
    await untilState(engine, (s) => s.requestState === 'completed')
    expect(transport.requests).toHaveLength(2)
  })

  it("with gate 'call' a first approval of two runs its call and is paused again", async () => {
    const { engine, transport, effects, resume } = setUp(
      [callTools([call('2', 'write'), call('3', 'remove')]), answer('ok')],
      { gate: 'call' },
    )
    await engine.sendMessage('go')
    await resume({ toolCallId: '2' })
    await untilState(engine, (s) => s.requestState === 'paused')
    expect(effects).toEqual(['write 2.txt'])
    expect(transport.requests).toHaveLength(1)
    await resume({ toolCallId: '3' })
    await untilState(engine, (s) => s.requestState === 'completed')
    expect(effects).toEqual(['write 2.txt', 'remove 3.txt'])
    expect(transport.requests).toHaveLength(2)
  })

  it("with gate 'step' sends denials and results together", async () => {
    const { engine, transport, effects, resume } = setUp([callTools(mixed), answer('ok')])
    await engine.sendMessage('go')
    await resume({ toolCallId: '2', outcome: 'no', reason: 'keep it' })
    await resume({ toolCallId: '3' })
    await untilState(engine, (s) => s.requestState === 'completed')
    expect(effects.toSorted()).toEqual(['read 1.txt', 'remove 3.txt'])
    expect(partsOf(transport.requests[1]?.messages ?? []).map((p) => p.state)).toEqual([
      'output-available',
      'output-denied',
      'output-available',
    ])
  })
})

describe('resumeToolCall', () => {
  it.each([
    ['no payload', undefined, 'invalid_argument'],
    ['a payload without an id', {}, 'invalid_argument'],
    ['an unknown id', { toolCallId: 'nope' }, 'unknown_tool_call'],
    ['an id such as __proto__', { toolCallId: '__proto__' }, 'unknown_tool_call'],
    ['an unknown outcome', { toolCallId: '1', outcome: 'maybe' }, 'invalid_argument'],
  ])('refuses %s', async (_name, payload, code) => {
    const { engine, effects } = setUp([callTools(call('1', 'write'))])
    await engine.sendMessage('go')
    const before = engine.getState()
    const result = await engine.runPluginCommand('tool', 'resumeToolCall', payload as never)
    expect(result).toMatchObject({ success: false, error: { code } })
    expect(engine.getState()).toBe(before)
    expect(effects).toEqual([])
  })

  it('takes the same decision again as said already, and refuses another', async () => {
    const { engine, effects, resume } = setUp([callTools(call('1', 'write')), answer('ok')])
    await engine.sendMessage('go')
    const [yes, again, no] = await Promise.all([
      resume({ toolCallId: '1' }),
      resume({ toolCallId: '1' }),
      resume({ toolCallId: '1', outcome: 'no' }),
    ])
    expect(yes).toMatchObject({ success: true })
    expect(again).toEqual(yes)
    expect(engine.getState().confirmations).toHaveLength(1)
    expect(no).toMatchObject({
      success: false,
      error: { code: 'not_awaiting_approval', message: 'Tool call is not awaiting approval: 1' },
    })
    await untilState(engine, (s) => s.requestState === 'completed')
    expect(await resume({ toolCallId: '1', outcome: 'no' })).toMatchObject({
      success: false,
      error: { code: 'not_awaiting_approval' },
    })
    expect(effects).toEqual(['write 1.txt'])
    expect(engine.getState().confirmations).toHaveLength(1)
  })

  it('lets a denial win that comes before an approval', async () => {
    const { engine, effects, resume } = setUp([callTools(call('1', 'write')), answer('ok')])
    await engine.sendMessage('go')
    const [no, yes] = await Promise.all([
      resume({ toolCallId: '1', outcome: 'no' }),
      resume({ toolCallId: '1' }),
    ])
    expect([no.success, yes.success]).toEqual([true, false])
    await untilState(engine, (s) => s.requestState === 'completed')
    expect(effects).toEqual([])
  })

  it.each(['step', 'call'] as const)(
    "runs two calls approved in the same moment once each, with gate '%s'",
    async (gate) => {
      const { engine, transport, effects, resume } = setUp(
        [callTools([call('2', 'write'), call('3', 'remove')]), answer('ok')],
        { gate },
      )
      await engine.sendMessage('go')
      const results = await Promise.all([resume({ toolCallId: '2' }), resume({ toolCallId: '3' })])
      expect(results.map(({ success }) => success)).toEqual([true, true])
      await untilState(engine, (s) => s.requestState === 'completed')
      expect(effects.toSorted()).toEqual(['remove 3.txt', 'write 2.txt'])
      expect(transport.requests).toHaveLength(2)
    },
  )

  it('is refused as busy while the model answers', async () => {
    const { engine, transport, resume } = setUp([])
    const held = transport.hold()
    const sent = engine.sendMessage('go')
    expect(await resume({ toolCallId: '1' })).toMatchObject({ error: { code: 'busy' } })
    await held.push(...answer('hi').slice(0, 3))
    expect(engine.getState().processingState).toBe('completing')
    expect(await resume({ toolCallId: '1' })).toMatchObject({ error: { code: 'busy' } })
    await held.push(...answer('hi').slice(3))
    held.end()
    await sent
  })

  it('takes a second click on the last decision as said already, although the turn goes on', async () => {
    const { engine, transport, resume } = setUp([callTools(call('1', 'write'))])
    await engine.sendMessage('go')
    const held = transport.hold()
    const no = { toolCallId: '1', outcome: 'no' } as const
    const [first, second, other] = await Promise.all([
      resume(no),
      resume(no),
      resume({ toolCallId: '1' }),
    ])
    expect(engine.getState().processingState).toBe('requesting')
    expect(first).toMatchObject({ success: true })
    expect(second).toEqual(first)
    expect(other).toMatchObject({ error: { code: 'busy' } })
    held.end()
  })

  it('decides a call in the moment in which its card shows, while the turn is still pausing', async () => {
    const pausing = Promise.withResolvers<void>()
    const pauses = vi.fn(() => pausing.promise)
    const { engine, effects, resume } = setUp([callTools(call('1', 'write')), answer('ok')], {
      plugins: [{ onTurnPause: pauses }],
    })
    const sent = engine.sendMessage('go')
    await untilState(engine, (s) => s.processingState === 'pausing')
    expect(await resume({ toolCallId: '1' })).toMatchObject({ success: true })
    pausing.resolve()
    expect(await sent).toMatchObject({ requestState: 'completed' })
    expect(effects).toEqual(['write 1.txt'])
    expect(pauses).toHaveBeenCalledTimes(1)
  })

  it('goes on when a subscriber decides in the very publication of the pause', async () => {
    const { engine, effects, resume } = setUp([callTools(call('1', 'write')), answer('ok')])
    engine.subscribe(() => {
      if (engine.getState().requestState === 'paused') void resume({ toolCallId: '1' })
    })
    await engine.sendMessage('go')
    await untilState(engine, (s) => s.requestState === 'completed')
    expect(effects).toEqual(['write 1.txt'])
  })
})
