import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { createToolEngine } from '../test/tool-engine.ts'
import { textOf } from './message/message-input.ts'
import type { EnginePlugin } from './plugin.ts'
import type { ToolPluginOptions } from './plugins/tools/options.ts'
import { defineStorage } from './storage/define-storage.ts'
import { memoryStorage, type MemoryStorage } from './storage/memory-storage.ts'
import { answer, callTools, textChunks, untilState } from './testing/index.ts'

type Script = Parameters<typeof createToolEngine>[0]

/** Opens the conversation of a disk as a page does. */
function open(
  disk: MemoryStorage,
  script: Script,
  plugins: EnginePlugin[] = [],
  tools: ToolPluginOptions = {},
) {
  return createToolEngine(script, tools, { id: 'chat', storage: defineStorage(disk), plugins })
}

/** The disk as a crash at this moment leaves it. */
const crash = (disk: MemoryStorage) => memoryStorage(disk.snapshot())

describe('a conversation that is opened again', () => {
  it('sends what was queued behind a turn that had just ended', async () => {
    const disk = memoryStorage()
    const isEnding = Promise.withResolvers<void>()
    const held = { onFinally: () => isEnding.resolve() ?? new Promise<void>(() => undefined) }
    const first = open(disk, [answer('one')], [held])
    void first.engine.sendMessage('a')
    void first.engine.sendMessage('b')
    await isEnding.promise
    await new Promise((resolve) => void setTimeout(resolve))
    const second = open(crash(disk), [answer('two')])
    await second.completed()
    const { messages, queue } = second.engine.getState()
    expect(messages.map(textOf)).toEqual(['a', 'one', 'b', 'two'])
    expect(queue).toEqual([])
  })

  it('does not run what an abort has ended', async () => {
    const disk = memoryStorage()
    const started = Promise.withResolvers<void>()
    const ran: string[] = []
    const tools = (isEndless: boolean): ToolPluginOptions => ({
      concurrency: 1,
      callTool: ({ toolCallId }) => {
        ran.push(toolCallId)
        started.resolve()
        return isEndless ? new Promise(() => undefined) : 'done'
      },
      tools: { look: { inputSchema: z.object({}) } },
    })
    const calls = ['1', '2'].map((toolCallId) => ({ toolCallId, toolName: 'look', input: {} }))
    const first = open(disk, [callTools(calls)], [], tools(true))
    void first.engine.sendMessage('go')
    await started.promise
    await first.engine.abort()
    const second = open(crash(disk), [], [], tools(false))
    await second.engine.ready
    expect(second.engine.getState().requestState).not.toBe('processing')
    expect(second.calls().map(({ state }) => state)).toEqual(['output-error', 'output-error'])
    expect(ran).toEqual(['1'])
  })

  it('goes on with what was decided in the moment of the pause', async () => {
    const disk = memoryStorage()
    const tools: ToolPluginOptions = {
      tools: { look: { inputSchema: z.object({}), execute: () => 'seen' } },
      toolApproval: { look: 'user-approval' },
    }
    const isResuming = Promise.withResolvers<void>()
    const decides: EnginePlugin = {
      onTurnPause: () => void first.resume({ toolCallId: '1' }),
      onTurnResume: () => isResuming.resolve() ?? new Promise<void>(() => undefined),
    }
    const call = { toolCallId: '1', toolName: 'look', input: {} }
    const first = open(disk, [callTools(call)], [decides], tools)
    void first.engine.sendMessage('go')
    await isResuming.promise
    await new Promise((resolve) => void setTimeout(resolve))
    const second = open(crash(disk), [answer('done')], [], tools)
    await second.completed()
    expect(second.calls()).toMatchObject([{ state: 'output-available', output: 'seen' }])
  })

  it('asks the model again when it was left twice before that, and never ends without an answer', async () => {
    const disk = memoryStorage()
    const tools: ToolPluginOptions = {
      tools: { look: { inputSchema: z.object({}), execute: () => 'seen' } },
      toolApproval: { look: 'approved' },
    }
    const call = { toolCallId: '1', toolName: 'look', input: {} }
    const first = open(disk, [callTools(call)], [], tools)
    await first.engine.ready
    void first.engine.sendMessage('go')
    first.transport.hold()
    await first.transport.requested(2)
    const left = crash(disk)
    const isAsking = Promise.withResolvers<void>()
    const asking: EnginePlugin = {
      onBeforeRequest: () => isAsking.resolve() ?? new Promise<void>(() => undefined),
    }
    const second = open(left, [], [asking], tools)
    await second.engine.ready
    expect(second.engine.getState()).toMatchObject({ error: { code: 'interrupted' } })
    void second.engine.retry()
    await isAsking.promise
    await new Promise((resolve) => void setTimeout(resolve, 5))
    const third = open(crash(left), [answer('done')], [], tools)
    await third.completed()
    expect(third.transport.requests).toHaveLength(1)
    expect(third.engine.getState().messages.map(textOf).at(-1)).toBe('done')
  })

  it('goes on with a step that a hook has asked for', async () => {
    const disk = memoryStorage()
    const isAsked = Promise.withResolvers<void>()
    const more: EnginePlugin = {
      onAfterRequest(context) {
        context.requestNext()
        isAsked.resolve()
        return new Promise<void>(() => undefined)
      },
    }
    const first = open(disk, [answer('one')], [more])
    void first.engine.sendMessage('go')
    await isAsked.promise
    await new Promise((resolve) => void setTimeout(resolve, 5))
    const second = open(crash(disk), [answer('two')])
    await second.completed()
    expect(second.engine.getState().messages.map(textOf)).toEqual([
      'go',
      expect.stringContaining('two'),
    ])
  })

  it('can be gone on with after an abort', async () => {
    const disk = memoryStorage()
    const first = open(disk, [])
    const { push } = first.transport.hold()
    void first.engine.sendMessage('a')
    await push(...answer('half').slice(0, 4))
    await first.engine.abort()
    const second = open(crash(disk), [answer('one')])
    await second.engine.ready
    expect(second.engine.getState()).toMatchObject({ requestState: 'aborted' })
    expect(await second.engine.retry()).toMatchObject({ requestState: 'completed' })
  })

  it('requests what is left of a turn with the body and metadata that it was sent with', async () => {
    const disk = memoryStorage()
    const tools = { callTool: () => 'done', tools: {}, shouldPauseToolCall: () => true }
    const call = callTools([{ toolCallId: '1', toolName: 'x', input: {} }])
    const first = open(disk, [call], [], tools)
    const request = {
      headers: { authorization: 'secret' },
      body: { model: 'small' },
      metadata: { from: 'a' },
    }
    await first.engine.sendMessage('a', request)
    void first.engine.sendMessage('b', { ...request, body: { model: 'large' } })
    await new Promise((resolve) => void setTimeout(resolve))
    expect(JSON.stringify([...disk.snapshot()].map(([, records]) => [...records]))).not.toContain(
      'secret',
    )
    const second = open(crash(disk), [answer('one'), answer('two')], [], tools)
    await second.engine.ready
    await second.resume({ toolCallId: '1' })
    await untilState(second.engine, ({ messages }) => messages.length === 4)
    await second.completed()
    expect(second.transport.requests).toMatchObject([
      { body: { model: 'small' }, metadata: { from: 'a' } },
      { body: { model: 'large' }, metadata: { from: 'a' } },
    ])
  })

  it('has the queue in its order, with what was edited and what is held', async () => {
    const disk = memoryStorage()
    const first = open(disk, [])
    await first.engine.ready
    first.transport.hold()
    void first.engine.sendMessage('a')
    await first.transport.requested(1)
    for (const text of ['b', 'c', 'd']) void first.engine.sendMessage(text)
    const [b, c, d] = first.engine.getState().queue.map(({ id }) => id)
    first.engine.moveQueued(d!, 0)
    first.engine.editQueued(c!, 'c, but better')
    first.engine.holdQueued(b!, true)
    first.engine.dispose()
    const second = open(disk, [])
    await second.engine.ready
    const { queue } = second.engine.getState()
    expect(queue.map(({ message }) => textOf(message))).toEqual(['d', 'b', 'c, but better'])
    // The turn was cut off, so that nothing follows it by itself.
    expect(queue.every(({ held }) => held)).toBe(true)
  })

  it.each(['failed', 'aborted'])('takes up a turn that was %s by retry alone', async (how) => {
    const disk = memoryStorage()
    const first = open(disk, [new Error('gone')])
    await first.engine.ready
    if (how === 'aborted') first.transport.hold()
    const sent = first.engine.sendMessage('a', { body: { model: 'small' } })
    if (how === 'aborted') {
      await first.transport.requested(1)
      await first.engine.abort()
    }
    await sent
    first.engine.dispose()
    const second = open(disk, [answer('one')])
    await second.engine.ready
    expect(second.engine.getState().requestState).toBe(how === 'failed' ? 'error' : 'aborted')
    expect(await second.engine.retry()).toMatchObject({ requestState: 'completed' })
    expect(second.engine.getState().messages.map(textOf)).toEqual(['a', 'one'])
    expect(second.transport.requests).toMatchObject([{ body: { model: 'small' } }])
  })

  it('tells nobody again of a failure that was told before it was closed', async () => {
    const disk = memoryStorage()
    const seen: string[] = []
    const watch = (name: string): EnginePlugin => ({
      onError: () => void seen.push(`${name}: error`),
      onFinally: () => void seen.push(`${name}: finally`),
    })
    const first = open(disk, [new Error('gone')], [watch('first')])
    await first.engine.sendMessage('a')
    first.engine.dispose()
    const second = open(disk, [answer('one')], [watch('second')])
    await second.engine.ready
    expect(second.engine.getState()).toMatchObject({
      requestState: 'error',
      error: { message: first.engine.getState().error?.message },
    })
    await new Promise((resolve) => void setTimeout(resolve))
    expect(seen).toEqual(['first: error', 'first: finally'])
    expect(second.errors).toEqual([])
    await second.engine.retry()
    expect(seen.at(-1)).toBe('second: finally')
  })

  it('shows what it is given beside what is allowed everywhere', async () => {
    const disk = memoryStorage()
    const tools = { callTool: () => 'done', tools: {}, shouldPauseToolCall: () => true }
    const call = callTools([{ toolCallId: '1', toolName: 'x', input: {} }])
    const other = createToolEngine([call, answer('one')], tools, {
      id: 'other',
      storage: defineStorage(disk),
    })
    await other.engine.sendMessage('a')
    await other.resume({
      toolCallId: '1',
      outcome: 'yes_always',
      scope: { covers: 'tool', where: 'everywhere' },
    })
    await other.completed()
    const messages = other.engine.getState().messages
    const second = createToolEngine([], tools, {
      id: 'chat',
      storage: defineStorage(disk),
      messages,
    })
    await second.engine.ready
    expect(second.engine.getState().messages).toEqual(messages)
    expect(second.engine.getState().confirmations).toHaveLength(1)
  })

  it('offers to go on with a stream that was cut: by reconnecting, or by a retry', async () => {
    const cut = async (): Promise<MemoryStorage> => {
      const disk = memoryStorage()
      const first = open(disk, [])
      await first.engine.ready
      const stream = first.transport.hold()
      void first.engine.sendMessage('a', { body: { model: 'small' } })
      await stream.push(
        { type: 'start', messageId: 'answer' },
        ...textChunks('t', 'Half').slice(0, 2),
      )
      first.engine.dispose()
      const stored = () => JSON.stringify([...disk.snapshot()].map(([, records]) => [...records]))
      await vi.waitFor(() => expect(stored()).toContain('Half'))
      return crash(disk)
    }
    const interrupted = { requestState: 'error', error: { code: 'interrupted', retryable: true } }
    const whole = answer('Half and half', { messageId: 'answer' })

    const reconnected = createToolEngine(
      [],
      {},
      {
        id: 'chat',
        storage: defineStorage(await cut()),
        reconnects: [whole],
      },
    )
    await reconnected.engine.ready
    expect(reconnected.engine.getState()).toMatchObject(interrupted)
    expect(reconnected.engine.getState().messages.map(textOf)).toEqual(['a', 'Half'])
    expect(await reconnected.engine.reconnect()).toMatchObject({ requestState: 'completed' })
    expect(reconnected.engine.getState().messages.map(textOf)).toEqual(['a', 'Half and half'])
    expect(reconnected.transport.reconnects).toMatchObject([{ body: {} }])

    const retried = open(await cut(), [whole])
    await retried.engine.ready
    expect(retried.engine.getState()).toMatchObject(interrupted)
    expect(await retried.engine.retry()).toMatchObject({ requestState: 'completed' })
    expect(retried.engine.getState().messages.map(textOf)).toEqual(['a', 'Half and half'])
    expect(retried.transport.requests).toMatchObject([{ body: { model: 'small' } }])
    expect(retried.transport.requests[0]?.messages).toHaveLength(1)
  })

  it('runs what was decided in the moment of a pause, while another call waits', async () => {
    const disk = memoryStorage()
    const ran: string[] = []
    const tools: ToolPluginOptions = {
      gate: 'call',
      tools: {},
      shouldPauseToolCall: () => true,
      callTool: ({ toolCallId }) => ran.push(toolCallId),
    }
    const calls = ['1', '2'].map((toolCallId) => ({ toolCallId, toolName: 'write', input: {} }))
    const endless = { onTurnPause: () => new Promise<void>(() => undefined) }
    const first = open(disk, [callTools(calls)], [endless], tools)
    void first.engine.sendMessage('go')
    await untilState(first.engine, ({ processingState }) => processingState === 'pausing')
    await first.resume({ toolCallId: '1' })
    first.engine.dispose()

    const second = open(disk, [], [], tools)
    await untilState(second.engine, ({ requestState }) => requestState === 'paused')
    await vi.waitFor(() => expect(ran).toEqual(['1']))
    await untilState(second.engine, ({ requestState }) => requestState === 'paused')
    expect(second.calls()).toMatchObject([
      { state: 'output-available' },
      { state: 'approval-requested' },
    ])
  })
})
