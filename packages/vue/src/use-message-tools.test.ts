import { isToolCallPart, toolPlugin, type ToolCallPart } from '@assent/engine'
import { answer, callTools, scriptedTransport, untilState } from '@assent/engine/testing'
import { mount } from '@vue/test-utils'
import type { UIMessage } from 'ai'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { defineComponent, h, nextTick, type VNode } from 'vue'
import { z } from 'zod'
import { useMessage, type UseMessageReturn } from './use-message.ts'
import type { NewEngineOptions } from './use-message-options.ts'

const unmounts: (() => void)[] = []
afterEach(() => {
  for (const unmount of unmounts.splice(0)) unmount()
})

/** Mounts a component that shows the state of its conversation and of its tool calls. */
function mountChat(options: NewEngineOptions): { chat: UseMessageReturn; text: () => string } {
  let chat: UseMessageReturn | undefined
  const wrapper = mount(
    defineComponent(() => {
      const own = useMessage({ onError: () => {}, ...options })
      chat = own
      return (): VNode => {
        const calls = own.messageIds.value.flatMap((id) => callsOf(own.message(id).value))
        const states = calls.map((part) => `${part.toolCallId}:${part.state}`)
        return h('p', [own.requestState.value, ...states].join(' '))
      }
    }),
  )
  unmounts.push(() => wrapper.unmount())
  if (!chat) throw new Error('The component was not set up.')
  return { chat, text: () => wrapper.text() }
}

function callsOf(message: UIMessage | undefined): ToolCallPart[] {
  return message?.parts.filter(isToolCallPart) ?? []
}

/** A tool whose effects are counted outside, and which asks before it acts. */
function rename(execute?: (input: { to: string }) => unknown) {
  const effects: string[] = []
  const plugin = toolPlugin({
    tools: {
      rename: {
        inputSchema: z.object({ to: z.string() }),
        execute: (input: { to: string }) => {
          effects.push(input.to)
          return execute ? execute(input) : `renamed to ${input.to}`
        },
      },
    },
    shouldPauseToolCall: ({ input }) => JSON.stringify(input) !== '{"to":"free"}',
  })
  return { effects, plugin }
}

const call = (toolCallId: string, to: string) => ({
  toolCallId,
  toolName: 'rename',
  input: { to },
})
const asked = (toolCallId: string, to: string) => callTools(call(toolCallId, to))
const completed = (chat: UseMessageReturn) =>
  untilState(chat.engine.value, ({ requestState }) => requestState === 'completed')

describe('a call that needs a yes', () => {
  test('pauses: the refs and the page say so, nothing runs, nothing more is requested', async () => {
    const { effects, plugin } = rename()
    const transport = scriptedTransport([asked('c', 'b.txt')])
    const { chat, text } = mountChat({ transport, plugins: [plugin] })
    const { turnId, requestState } = await chat.sendMessage('Rename it')
    expect(requestState).toBe('paused')
    expect(chat.isPaused.value).toBe(true)
    expect(chat.isProcessing.value).toBe(false)
    expect(chat.processingState.value).toBeUndefined()
    expect(chat.turn.value).toMatchObject({ id: turnId, pauseReason: { type: 'approval' } })
    await nextTick()
    expect(text()).toBe('paused c:approval-requested')
    expect(effects).toEqual([])
    expect(transport.requests).toHaveLength(1)
  })

  test('runs after a yes, and the same turn goes on', async () => {
    const { effects, plugin } = rename()
    const hooks: string[] = []
    const transport = scriptedTransport([asked('c', 'b.txt'), answer('Done')])
    const { chat, text } = mountChat({
      transport,
      plugins: [
        plugin,
        {
          onTurnStart: (context) => {
            hooks.push('start')
            context.setCustomContext({ who: 'ada' })
          },
          onTurnResume: ({ customContext }) => void hooks.push(`resume ${customContext['who']}`),
        },
      ],
    })
    const { turnId } = await chat.sendMessage('Rename it')
    const over = completed(chat)
    const decided = await chat.runPluginCommand('tool', 'resumeToolCall', { toolCallId: 'c' })
    expect(decided).toMatchObject({ success: true, result: { toolCallId: 'c' } })
    await over
    expect(effects).toEqual(['b.txt'])
    expect(hooks).toEqual(['start', 'resume ada'])
    expect(chat.turn.value?.id).toBe(turnId)
    expect(chat.confirmations.value).toMatchObject([{ toolCallId: 'c', outcome: 'yes' }])
    await nextTick()
    expect(text()).toBe('completed c:output-available')
    expect(callsOf(transport.requests[1]?.messages.at(-1))).toMatchObject([
      { output: 'renamed to b.txt' },
    ])
  })

  test('does not run after a no, and the model is sent the reason', async () => {
    const { effects, plugin } = rename()
    const transport = scriptedTransport([asked('c', 'b.txt'), answer('I see')])
    const { chat, text } = mountChat({ transport, plugins: [plugin] })
    await chat.sendMessage('Rename it')
    const over = completed(chat)
    const reason = `not ${crypto.randomUUID()}`
    await chat.runPluginCommand('tool', 'resumeToolCall', {
      toolCallId: 'c',
      outcome: 'no',
      reason,
    })
    await over
    await nextTick()
    expect(text()).toBe('completed c:output-denied')
    expect(effects).toEqual([])
    expect(callsOf(transport.requests[1]?.messages.at(-1))).toMatchObject([
      { approval: { approved: false, reason } },
    ])
  })

  test('is decided once: the same again changes nothing, anything else is an error result', async () => {
    const { effects, plugin } = rename()
    const transport = scriptedTransport([asked('c', 'b.txt'), answer('Done')])
    const { chat } = mountChat({ transport, plugins: [plugin] })
    await chat.sendMessage('Rename it')
    const over = completed(chat)
    const decide = (payload: { toolCallId: string; outcome?: 'yes' | 'no' }) =>
      chat.runPluginCommand('tool', 'resumeToolCall', payload)
    const [first, second, unknown] = await Promise.all([
      decide({ toolCallId: 'c' }),
      decide({ toolCallId: 'c', outcome: 'no' }),
      decide({ toolCallId: 'nobody' }),
    ])
    await over
    expect(first.success).toBe(true)
    expect(second).toMatchObject({ success: false, error: { code: 'not_awaiting_approval' } })
    expect(unknown).toMatchObject({ success: false, error: { code: 'unknown_tool_call' } })
    expect(await decide({ toolCallId: 'c' })).toMatchObject({ result: { settled: [] } })
    expect(await decide({ toolCallId: 'c', outcome: 'no' })).toMatchObject({
      error: { code: 'not_awaiting_approval' },
    })
    expect(chat.confirmations.value).toHaveLength(1)
    expect(effects).toEqual(['b.txt'])
  })

  test('waits again in a new conversation that is handed its messages', async () => {
    const first = mountChat({
      transport: scriptedTransport([asked('c', 'b.txt')]),
      plugins: [rename().plugin],
    })
    await first.chat.sendMessage('Rename it')
    const messages: UIMessage[] = JSON.parse(JSON.stringify(first.chat.messages.value))
    const { effects, plugin } = rename()
    const { chat, text } = mountChat({
      transport: scriptedTransport([answer('Done')]),
      plugins: [plugin],
      messages,
    })
    expect(text()).toBe('paused c:approval-requested')
    const over = completed(chat)
    await chat.runPluginCommand('tool', 'resumeToolCall', { toolCallId: 'c' })
    await over
    expect(effects).toEqual(['b.txt'])
  })

  test('lets a free call of the same step run at once with gate "call"', async () => {
    const effects: string[] = []
    const plugin = toolPlugin({
      gate: 'call',
      tools: {
        rename: {
          inputSchema: z.object({ to: z.string() }),
          execute: ({ to }: { to: string }) => effects.push(to),
        },
      },
      shouldPauseToolCall: ({ toolCallId }) => toolCallId !== 'free',
    })
    const calls = [call('one', '1'), call('free', '2'), call('two', '3')]
    const transport = scriptedTransport([callTools(calls), answer('Done')])
    const { chat, text } = mountChat({ transport, plugins: [plugin] })
    await chat.sendMessage('Rename them')
    await nextTick()
    expect(text()).toBe(
      'paused one:approval-requested free:output-available two:approval-requested',
    )
    await chat.runPluginCommand('tool', 'resumeToolCall', { toolCallId: 'two' })
    await untilState(chat.engine.value, ({ requestState }) => requestState === 'paused')
    await chat.runPluginCommand('tool', 'resumeToolCall', { toolCallId: 'one' })
    await completed(chat)
    expect(effects).toEqual(['2', '3', '1'])
    expect(callsOf(transport.requests[1]?.messages.at(-1)).map((part) => part.toolCallId)).toEqual([
      'one',
      'free',
      'two',
    ])
  })
})

describe('a turn that is aborted', () => {
  test('while it is paused leaves a valid history, and the next message works', async () => {
    const { effects, plugin } = rename()
    const transport = scriptedTransport([asked('c', 'b.txt'), answer('Anything else?')])
    const { chat, text } = mountChat({ transport, plugins: [plugin] })
    await chat.sendMessage('Rename it')
    await chat.abort()
    await nextTick()
    expect(text()).toBe('aborted c:output-error')
    expect(chat.isPaused.value).toBe(false)
    await chat.sendMessage('Never mind')
    expect(chat.requestState.value).toBe('completed')
    expect(effects).toEqual([])
  })

  test('while a tool runs that ignores its signal drops what the tool returns', async () => {
    let finish = (_output: string): void => {}
    const started = Promise.withResolvers<void>()
    const { plugin } = rename(() => {
      started.resolve()
      return new Promise<string>((resolve) => {
        finish = resolve
      })
    })
    const transport = scriptedTransport([asked('c', 'free')])
    const { chat, text } = mountChat({ transport, plugins: [plugin] })
    const sent = chat.sendMessage('Rename it')
    await started.promise
    chat.engine.value.flush()
    expect(chat.processingState.value).toBe('calling-tools')
    await chat.abort()
    expect((await sent).requestState).toBe('aborted')
    finish('too late')
    await nextTick()
    expect(text()).toBe('aborted c:output-error')
    expect(transport.requests).toHaveLength(1)
  })
})

describe('a message sent while the turn is paused', () => {
  test('is queued and sent when the turn is over', async () => {
    const { plugin } = rename()
    const transport = scriptedTransport([asked('c', 'b'), answer('Done'), answer('And that')])
    const { chat } = mountChat({ transport, plugins: [plugin] })
    await chat.sendMessage('Rename it')
    const queued = chat.sendMessage('And then?')
    chat.engine.value.flush()
    expect(chat.queue.value).toMatchObject([{ held: false }])
    await chat.runPluginCommand('tool', 'resumeToolCall', { toolCallId: 'c' })
    expect((await queued).requestState).toBe('completed')
    expect(chat.queue.value).toEqual([])
    expect(transport.requests).toHaveLength(3)
  })

  test('is the reason of a denial with whenBusy "deny"', async () => {
    const { effects, plugin } = rename()
    const transport = scriptedTransport([asked('c', 'b'), answer('I see')])
    const { chat } = mountChat({ transport, plugins: [plugin], whenBusy: () => 'deny' })
    await chat.sendMessage('Rename it')
    const over = completed(chat)
    await chat.sendMessage('Another name, please')
    await over
    expect(effects).toEqual([])
    expect(callsOf(transport.requests[1]?.messages.at(-1))).toMatchObject([
      { approval: { approved: false, reason: 'Another name, please' } },
    ])
  })
})

test('a model that fails after an approval is an error state, and retry goes on', async () => {
  const { effects, plugin } = rename()
  const transport = scriptedTransport([asked('c', 'b'), new Error('overloaded'), answer('Done')])
  const { chat, text } = mountChat({ transport, plugins: [plugin] })
  await chat.sendMessage('Rename it')
  const failed = untilState(chat.engine.value, ({ requestState }) => requestState === 'error')
  await chat.runPluginCommand('tool', 'resumeToolCall', { toolCallId: 'c' })
  await failed
  await nextTick()
  expect(text()).toBe('error c:output-available')
  expect(chat.error.value?.message).toContain('overloaded')
  expect((await chat.retry()).requestState).toBe('completed')
  expect(chat.error.value).toBeUndefined()
  expect(effects).toEqual(['b'])
})

test('a callback of the app that throws is reported and changes nothing', async () => {
  const onError = vi.fn<(error: { code: string }) => void>()
  const plugin = toolPlugin({
    tools: { rename: { inputSchema: z.object({ to: z.string() }), execute: () => 'ok' } },
    defaultApproval: 'approved',
    onToolCallStart: () => {
      throw new Error('start')
    },
    onToolCallEnd: () => {
      throw new Error('end')
    },
  })
  const transport = scriptedTransport([asked('c', 'b'), answer('Done')])
  const { chat, text } = mountChat({ transport, plugins: [plugin], onError })
  expect((await chat.sendMessage('Rename it')).requestState).toBe('completed')
  await nextTick()
  expect(text()).toBe('completed c:output-available')
  expect(onError.mock.calls.map(([error]) => error.code)).toEqual([
    'callback_failed',
    'callback_failed',
  ])
})

test('two conversations that share a plugin object share no state', async () => {
  const { effects, plugin } = rename()
  const plugins = [plugin]
  const one = mountChat({
    transport: scriptedTransport([asked('c', 'one'), answer('Done one')]),
    plugins,
  })
  const two = mountChat({
    transport: scriptedTransport([asked('c', 'two'), answer('Done two')]),
    plugins,
  })
  await Promise.all([one.chat.sendMessage('Go'), two.chat.sendMessage('Go')])
  const over = completed(one.chat)
  await one.chat.runPluginCommand('tool', 'resumeToolCall', { toolCallId: 'c' })
  await over
  await nextTick()
  expect(effects).toEqual(['one'])
  expect(one.text()).toBe('completed c:output-available')
  expect(two.text()).toBe('paused c:approval-requested')
  expect(two.chat.confirmations.value).toEqual([])
  await two.chat.abort()
  expect(one.chat.requestState.value).toBe('completed')
})
