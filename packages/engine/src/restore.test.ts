import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createToolEngine } from '../test/tool-engine.ts'
import { textOf } from './message/message-input.ts'
import type { EnginePlugin } from './plugin.ts'
import type { ToolPluginOptions } from './plugins/tools/options.ts'
import { defineStorage } from './storage/define-storage.ts'
import { memoryStorage, type MemoryStorage } from './storage/memory-storage.ts'
import { answer, callTools } from './testing/index.ts'

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
})
