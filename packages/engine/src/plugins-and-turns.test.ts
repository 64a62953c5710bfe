import type { UIMessage } from 'ai'
import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { promptOf } from '../test/model-prompt.ts'
import { createMessageEngine } from './engine.ts'
import type { MessageEngineOptions } from './message-engine.ts'
import type { CommandContext, EnginePlugin } from './plugin.ts'
import { toolPlugin } from './plugins/tools/tool-plugin.ts'
import {
  answer,
  approvalRequestChunks,
  callTools,
  responseChunks,
  scriptedTransport,
  stepChunks,
  toolCallChunks,
  untilState,
} from './testing/index.ts'

const userMessage = (id: string, text: string): UIMessage => ({
  id,
  role: 'user',
  parts: [{ type: 'text', text }],
})
const textsOf = (messages: readonly UIMessage[] = []) =>
  messages.map(({ parts }) => {
    const part = parts.at(-1)
    return part?.type === 'text' ? part.text : part?.type
  })

function setUp(
  script: Parameters<typeof scriptedTransport>[0],
  plugins: readonly EnginePlugin[],
  options: Partial<MessageEngineOptions> = {},
) {
  const transport = scriptedTransport(script)
  const engine = createMessageEngine({
    transport,
    plugins,
    onError: () => undefined,
    ...options,
  })
  const run = (command: string, payload?: unknown) =>
    engine.runPluginCommand('guard', command, payload)
  return { engine, transport, run }
}

/** A plugin that pauses in one of its hooks, once, and whose commands let the turn go on. */
function pausingIn(hook: 'onTurnStart' | 'onBeforeRequest' | 'onAfterRequest' | 'onTurnEnd') {
  let isPaused = false
  return {
    name: 'guard',
    [hook]: ({ setRequestState }: CommandContext) => {
      if (isPaused) return
      isPaused = true
      setRequestState('paused', { type: 'budget' })
    },
    commands: {
      next: (_payload, { requestNext }) => requestNext(),
      advance: (_payload, { advance }) => advance('requesting'),
    },
  } satisfies EnginePlugin
}

describe('a pause that a plugin asks for', () => {
  it.each(['onTurnStart', 'onBeforeRequest'] as const)(
    'in %s comes before the request, which a command then lets go',
    async (hook) => {
      for (const command of ['next', 'advance']) {
        const { engine, transport, run } = setUp([answer('hi')], [pausingIn(hook)])
        const { turnId, requestState } = await engine.sendMessage('go')
        expect(requestState).toBe('paused')
        expect(engine.getState().turn?.pauseReason).toEqual({ type: 'budget' })
        expect(transport.requests).toHaveLength(0)
        expect(await run(command)).toMatchObject({ success: true })
        const { turn } = await untilState(engine, (s) => s.requestState === 'completed')
        expect(turn?.id).toBe(turnId)
        expect(turn?.pauseReason).toBeUndefined()
        expect(transport.requests).toHaveLength(1)
      }
    },
  )

  it.each(['onAfterRequest', 'onTurnEnd'] as const)(
    'in %s lets the turn end when it only goes on, and asks again when a step is asked for',
    async (hook) => {
      const ended = setUp([answer('hi')], [pausingIn(hook)])
      expect(await ended.engine.sendMessage('go')).toMatchObject({ requestState: 'paused' })
      await ended.run('advance')
      await untilState(ended.engine, (s) => s.requestState === 'completed')
      expect(ended.transport.requests).toHaveLength(1)

      const asked = setUp([answer('hi'), answer('more')], [pausingIn(hook)])
      await asked.engine.sendMessage('go')
      await asked.run('next')
      await untilState(asked.engine, (s) => s.requestState === 'completed')
      expect(asked.transport.requests).toHaveLength(2)
    },
  )

  it('in onBeforeRequest of a later step keeps the results that are to be sent', async () => {
    let requests = 0
    const plugin: EnginePlugin = {
      name: 'guard',
      onBeforeRequest: ({ setRequestState }) => {
        if (++requests === 2) setRequestState('paused')
      },
      commands: { advance: (_payload, { advance }) => advance() },
    }
    const tools = { read: { inputSchema: z.object({}), execute: () => 'content' } }
    const { engine, transport, run } = setUp(
      [callTools({ toolCallId: '1', toolName: 'read', input: {} }), answer('ok')],
      [toolPlugin({ defaultApproval: 'approved', tools }), plugin],
    )
    expect(await engine.sendMessage('go')).toMatchObject({ requestState: 'paused' })
    await run('advance')
    await untilState(engine, (s) => s.requestState === 'completed')
    expect(JSON.stringify(transport.requests[1]?.messages)).toContain('content')
  })

  it('is over when its turn is told to go on while it is still pausing', async () => {
    const pausing = Promise.withResolvers<void>()
    const { engine, run } = setUp(
      [answer('hi')],
      [pausingIn('onAfterRequest'), { onTurnPause: () => pausing.promise }],
    )
    const sent = engine.sendMessage('go')
    await untilState(engine, (s) => s.processingState === 'pausing')
    expect(await run('advance')).toMatchObject({ success: true })
    pausing.resolve()
    expect(await sent).toMatchObject({ requestState: 'completed' })
  })
})

describe('a command that asks for a step', () => {
  const speaking: EnginePlugin = {
    name: 'guard',
    commands: {
      say: (payload, { appendMessage, requestNext }) => {
        appendMessage(userMessage(`said-${String(payload)}`, String(payload)))
        requestNext()
      },
      resume: (_payload, { requestNext }) => requestNext({ resume: true }),
    },
  }

  it('opens a turn when none is open, and what it appended is in its request', async () => {
    const { engine, transport, run } = setUp([answer('one'), answer('two')], [speaking])
    const { turnId } = await engine.sendMessage('go')
    await run('say', 'more')
    const { turn } = await untilState(engine, (s) => s.requestState === 'completed')
    expect(turn?.id).not.toBe(turnId)
    expect(turn?.userMessageId).toBe('said-more')
    expect(textsOf(transport.requests[1]?.messages)).toEqual(['go', 'one', 'more'])
    expect(textsOf(engine.getState().messages)).toEqual(['go', 'one', 'more', 'two'])
  })

  it('opens a turn in an engine that has not spoken yet', async () => {
    const { engine, transport, run } = setUp([answer('hi')], [speaking])
    await run('say', 'first')
    await untilState(engine, (s) => s.requestState === 'completed')
    expect(textsOf(transport.requests[0]?.messages)).toEqual(['first'])
  })

  it('is refused when it wants to go on with a turn and none is open', async () => {
    const { engine, run } = setUp([answer('one')], [speaking])
    await engine.sendMessage('go')
    expect(await run('resume')).toMatchObject({ error: { code: 'nothing_to_retry' } })
    expect(engine.getState().requestState).toBe('completed')
  })

  it('is asked during a pause: the turn goes on with it, in a message of its own', async () => {
    const { engine, transport, run } = setUp(
      [answer('one'), answer('two')],
      [speaking, { ...pausingIn('onAfterRequest'), name: 'other' }],
    )
    const { turnId } = await engine.sendMessage('go')
    await run('say', 'more')
    const { turn, messages } = await untilState(engine, (s) => s.requestState === 'completed')
    expect(turn?.id).toBe(turnId)
    expect(textsOf(transport.requests[1]?.messages)).toEqual(['go', 'one', 'more'])
    expect(textsOf(messages)).toEqual(['go', 'one', 'more', 'two'])
  })

  it('finds calls that wait for their gate, and only shows the pause again', async () => {
    const execute = vi.fn(() => 'written')
    const write = (toolCallId: string) => ({ toolCallId, toolName: 'write', input: {} })
    const { engine, transport, run } = setUp(
      [callTools([write('1'), write('2')]), answer('ok')],
      [
        toolPlugin({
          tools: { write: { inputSchema: z.object({}), execute } },
          toolApproval: { write: 'user-approval' },
        }),
        speaking,
      ],
    )
    await engine.sendMessage('go')
    await engine.runPluginCommand('tool', 'resumeToolCall', { toolCallId: '1' })
    expect(await run('resume')).toMatchObject({ success: true })
    const { error } = await untilState(engine, (s) => s.requestState !== 'processing')
    expect(error).toBeUndefined()
    expect(engine.getState().requestState).toBe('paused')
    await engine.runPluginCommand('tool', 'resumeToolCall', { toolCallId: '2' })
    await untilState(engine, (s) => s.requestState === 'completed')
    expect(execute).toHaveBeenCalledTimes(2)
    expect(transport.requests).toHaveLength(2)
  })
})

describe('a message that a plugin appends while a server asks for a decision', () => {
  it('takes the place in which the server would read the answer: the call has a result', async () => {
    const guarded = responseChunks(
      { finishReason: 'tool-calls' },
      stepChunks(
        toolCallChunks({ toolCallId: '1', toolName: 'deploy', input: {} }),
        approvalRequestChunks({ toolCallId: '1', approvalId: 'a' }),
      ),
    )
    const noting: EnginePlugin = {
      name: 'guard',
      commands: {
        note: (_payload, { appendMessage }) => appendMessage(userMessage('note', 'By the way')),
      },
    }
    const { engine, transport, run } = setUp([guarded, answer('ok')], [toolPlugin(), noting])
    await engine.sendMessage('go')
    await run('note')
    await engine.runPluginCommand('tool', 'resumeToolCall', { toolCallId: '1' })
    await untilState(engine, (s) => s.requestState === 'completed')
    const sent = transport.requests[1]?.messages ?? []
    expect(sent[1]?.parts.at(-1)).toMatchObject({
      state: 'output-error',
      errorText: 'The conversation went on before the decision was sent; it did not run.',
    })
    expect((await promptOf(sent)).errors).toEqual([])
  })
})

describe('a command that takes its time', () => {
  function slow() {
    const held = Promise.withResolvers<void>()
    const plugin: EnginePlugin = {
      name: 'guard',
      commands: {
        async slow(_payload, { appendMessage, requestNext }) {
          await held.promise
          appendMessage(userMessage('late', 'late'))
          requestNext()
          return 'done'
        },
      },
    }
    return { held, plugin }
  }

  it('opens no turn when the one that it was given for was aborted meanwhile', async () => {
    const { held, plugin } = slow()
    const { engine, transport, run } = setUp(
      [answer('one')],
      [plugin, { ...pausingIn('onAfterRequest'), name: 'other' }],
    )
    await engine.sendMessage('go')
    const command = run('slow')
    await engine.abort()
    held.resolve()
    await command
    expect(engine.getState().requestState).toBe('aborted')
    expect(textsOf(engine.getState().messages)).toEqual(['go', 'one'])
    expect(transport.requests).toHaveLength(1)
  })

  it('opens no turn in an engine that was disposed meanwhile', async () => {
    const { held, plugin } = slow()
    const { engine, transport, run } = setUp([answer('one')], [plugin])
    const command = run('slow')
    engine.dispose()
    held.resolve()
    expect(await command).toMatchObject({ error: { code: 'disposed' } })
    expect(transport.requests).toHaveLength(0)
  })

  it('finds the turn that began meanwhile, and adds a step to it', async () => {
    const { held, plugin } = slow()
    const { engine, transport, run } = setUp(
      [answer('one'), answer('two')],
      [plugin, { ...pausingIn('onAfterRequest'), name: 'other' }],
    )
    const command = run('slow')
    await engine.sendMessage('go')
    held.resolve()
    expect(await command).toMatchObject({ success: true, result: 'done' })
    await untilState(engine, (s) => s.requestState === 'completed')
    expect(transport.requests).toHaveLength(2)
  })
})

describe('a change that a plugin tells of', () => {
  it('while the turn is ending is looked at before it ends', async () => {
    const ending = Promise.withResolvers<void>()
    const isEnding = Promise.withResolvers<void>()
    let isMoreToSay = false
    let ends = 0
    const plugin: EnginePlugin = {
      name: 'guard',
      onSettle: ({ callingTools }) => {
        callingTools()
        if (!isMoreToSay) return undefined
        isMoreToSay = false
        return 'next'
      },
      onTurnEnd: async () => {
        isEnding.resolve()
        if (++ends === 1) await ending.promise
      },
      commands: {
        change: (_payload, { advance }) => {
          isMoreToSay = true
          advance()
        },
      },
    }
    const { engine, transport, run } = setUp([answer('one'), answer('two')], [plugin])
    const sent = engine.sendMessage('go')
    await isEnding.promise
    expect(await run('change')).toMatchObject({ success: true })
    ending.resolve()
    expect(await sent).toMatchObject({ requestState: 'completed' })
    expect(transport.requests).toHaveLength(2)
  })
})

describe('registered plugins', () => {
  it('are run in order', async () => {
    const ran: string[] = []
    const noting = (what: string) => ({ onTurnStart: () => void ran.push(what) })
    const { engine } = setUp(
      [answer('hi')],
      [
        { name: 'a', ...noting('a') },
        noting('unnamed'),
        { name: 'b', ...noting('b') },
        noting('c'),
      ],
    )
    await engine.sendMessage('go')
    expect(ran).toEqual(['a', 'unnamed', 'b', 'c'])
  })

  it('cannot have one name: neither would guard what it seems to guard', () => {
    const guard: EnginePlugin = { name: 'guard', commands: { ask: () => 'asked' } }
    expect(() => setUp([], [guard, {}, { name: 'guard' }])).toThrow(
      expect.objectContaining({
        code: 'invalid_argument',
        message: 'Two plugins are named "guard". Register one of them, or rename it.',
        details: { plugin: 'guard' },
      }),
    )
  })

  it('have no commands but their own', async () => {
    const { run } = setUp([], [{ name: 'guard', commands: { ask: () => 'asked' } }])
    expect(await run('ask')).toEqual({ success: true, result: 'asked' })
    expect(await run('__proto__')).toMatchObject({ error: { code: 'unknown_command' } })
  })

  it('cannot append a message of an id that is taken', async () => {
    const { engine } = setUp(
      [answer('hi')],
      [{ onTurnStart: ({ appendMessage }) => appendMessage(userMessage('taken', 'again')) }],
      { messages: [userMessage('taken', 'before')] },
    )
    const { error } = await engine.sendMessage('go')
    expect(error).toMatchObject({ code: 'hook_failed', cause: { code: 'invalid_argument' } })
    expect(textsOf(engine.getState().messages)).toEqual(['before', 'go'])
  })
})

describe('the bound of steps', () => {
  const calling = (id: string) => callTools({ toolCallId: id, toolName: 'write', input: {} })

  it.each(['user-approval', 'not-applicable'] as const)(
    'closes calls that it leaves no step for (%s), and says so',
    async (status) => {
      const execute = vi.fn(() => 'written')
      const { engine, transport } = setUp(
        [calling('1'), calling('2')],
        [
          toolPlugin({
            tools: { write: { inputSchema: z.object({}), execute } },
            toolApproval: { write: status },
          }),
        ],
        { maxSteps: 1 },
      )
      expect(await engine.sendMessage('go')).toMatchObject({ requestState: 'completed' })
      expect(engine.getState().turn).toMatchObject({ notice: 'max-steps', step: 1 })
      expect(engine.getState().messages.at(-1)?.parts.at(-1)).toMatchObject({
        state: 'output-error',
        errorText: 'Not executed: this turn has used up its 1 steps.',
      })
      expect(execute).not.toHaveBeenCalled()
      expect(transport.requests).toHaveLength(1)
    },
  )

  it('ends a turn whose plugin always wants another step', async () => {
    const { engine, transport } = setUp(
      [answer('1'), answer('2'), answer('3')],
      [{ onSettle: () => 'next' as const, onTurnEnd: () => undefined }],
      { maxSteps: 3 },
    )
    expect(await engine.sendMessage('go')).toMatchObject({ requestState: 'completed' })
    expect(transport.requests).toHaveLength(3)
    expect(engine.getState().turn?.notice).toBe('max-steps')
  })
})
