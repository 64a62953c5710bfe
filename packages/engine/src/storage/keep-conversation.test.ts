import type { UIMessage } from 'ai'
import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { createToolEngine } from '../../test/tool-engine.ts'
import { textOf } from '../message/message-input.ts'
import { answer, callTools, untilState } from '../testing/index.ts'
import type { ToolPluginOptions } from '../plugins/tools/options.ts'
import { defineStorage } from './define-storage.ts'
import { memoryStorage, type MemoryStorage } from './memory-storage.ts'

type Script = Parameters<typeof createToolEngine>[0]

const write = (toolCallId: string, path = 'a.txt') => ({
  toolCallId,
  toolName: 'write',
  input: { path },
})

/** Opens the conversation of a disk as a page does; effects are counted outside. */
function open(
  disk: MemoryStorage,
  script: Script,
  effects: string[] = [],
  more: Partial<ToolPluginOptions> = {},
) {
  const options: ToolPluginOptions = {
    tools: {
      write: {
        inputSchema: z.object({ path: z.string() }),
        execute: ({ path }: { path: string }) => {
          effects.push(path)
          return `wrote ${path}`
        },
      },
      ask: { inputSchema: z.object({}) },
    },
    toolApproval: { write: 'user-approval' },
    ...more,
  }
  const storage = defineStorage(disk)
  const made = createToolEngine(script, options, { id: 'chat', storage })
  return { ...made, effects }
}

/** The disk as a crash at this moment leaves it. */
const crash = (disk: MemoryStorage) => memoryStorage(disk.snapshot())
const said = ({ messages }: { messages: readonly UIMessage[] }) => messages.map(textOf)

describe('a conversation that is kept', () => {
  it('is there again, message by message', async () => {
    const disk = memoryStorage()
    const first = open(disk, [answer('one'), answer('two')])
    await first.engine.sendMessage('a')
    await first.engine.sendMessage('b')
    first.engine.dispose()
    await first.engine.ready
    const second = open(disk, [answer('three')])
    await second.engine.ready
    expect(said(second.engine.getState())).toEqual(['a', 'one', 'b', 'two'])
    expect(second.engine.getState().messages).toEqual(first.engine.getState().messages)
    await second.engine.sendMessage('c')
    expect(second.transport.requests[0]?.messages).toHaveLength(5)
  })

  it('waits again for what it waited for, and runs it once after the yes', async () => {
    const disk = memoryStorage()
    const first = open(disk, [callTools(write('1'))])
    expect(await first.engine.sendMessage('go')).toMatchObject({ requestState: 'paused' })
    const second = open(crash(disk), [answer('done')])
    await second.engine.ready
    expect(second.engine.getState()).toMatchObject({
      requestState: 'paused',
      turn: { id: first.engine.getState().turn?.id, step: 1, pauseReason: { type: 'approval' } },
    })
    await second.resume({ toolCallId: '1' })
    await second.completed()
    expect(second.effects).toEqual(['a.txt'])
    expect(first.effects).toEqual([])
    expect(said(second.engine.getState()).at(-1)).toBe('done')
  })

  it('runs what was decided and had not started, without asking again', async () => {
    const disk = memoryStorage()
    const first = open(disk, [callTools([write('1'), write('2', 'b.txt')])])
    await first.engine.sendMessage('go')
    await first.resume({ toolCallId: '1' })
    const second = open(crash(disk), [answer('done')])
    await second.engine.ready
    expect(second.engine.getState().turn?.pauseReason?.toolCalls).toMatchObject([
      { toolCallId: '2' },
    ])
    await second.resume({ toolCallId: '2', outcome: 'no' })
    await second.completed()
    expect(second.effects).toEqual(['a.txt'])
    expect(second.engine.getState().confirmations).toHaveLength(2)
  })

  it("asks again about what was decided and had not started, with onRestore: 'ask'", async () => {
    const disk = memoryStorage()
    const first = open(disk, [callTools([write('1'), write('2', 'b.txt')])])
    await first.engine.sendMessage('go')
    await first.resume({ toolCallId: '1' })
    const second = open(crash(disk), [answer('done')], [], { onRestore: 'ask' })
    await second.engine.ready
    await second.resume({ toolCallId: '2' })
    await untilState(second.engine, ({ requestState }) => requestState === 'paused')
    expect(second.engine.getState().turn?.pauseReason?.toolCalls).toMatchObject([
      { toolCallId: '1' },
    ])
    expect(second.calls()).toMatchObject([
      { approval: { requestReason: expect.stringContaining('restarted') } },
      { state: 'approval-responded' },
    ])
    expect(second.effects).toEqual([])
    await second.resume({ toolCallId: '1' })
    await second.completed()
    expect(second.effects.toSorted()).toEqual(['a.txt', 'b.txt'])
  })

  it('gives up a call that had started, says so, and asks the model again by retry only', async () => {
    const disk = memoryStorage()
    const started = Promise.withResolvers<void>()
    const first = open(disk, [callTools(write('1'))], [], {
      tools: {
        write: {
          inputSchema: z.object({ path: z.string() }),
          execute: () => {
            started.resolve()
            return new Promise(() => undefined)
          },
        },
      },
    })
    await first.engine.sendMessage('go')
    void first.resume({ toolCallId: '1' })
    await started.promise
    const second = open(crash(disk), [answer('I will look')])
    await second.engine.ready
    await untilState(second.engine, ({ requestState }) => requestState === 'error')
    expect(second.engine.getState().error).toMatchObject({ code: 'interrupted', retryable: true })
    expect(second.calls()).toMatchObject([
      {
        state: 'output-error',
        errorText: expect.stringContaining('not known'),
        toolMetadata: { assent: { ended: 'interrupted', mayHaveRun: true } },
      },
    ])
    expect(second.transport.requests).toEqual([])
    await second.engine.retry()
    expect(second.effects).toEqual([])
    expect(second.sentCalls(1)).toMatchObject([{ state: 'output-error' }])
    expect(said(second.engine.getState()).at(-1)).toBe('I will look')
  })

  it('goes on after an answer that had ended, and calls one that had not cut off', async () => {
    const disk = memoryStorage()
    const first = open(disk, [])
    const held = first.transport.hold()
    void first.engine.sendMessage('go')
    const chunks = callTools({ toolCallId: '1', toolName: 'write', input: { path: 'a.txt' } })
    await held.push(...chunks.slice(0, -1))
    const saved = (on: MemoryStorage) =>
      JSON.stringify([...on.snapshot()].map(([, records]) => [...records]))
    await vi.waitFor(() => expect(saved(disk)).toContain('a.txt'))
    const cut = open(crash(disk), [])
    await cut.engine.ready
    expect(cut.engine.getState()).toMatchObject({
      requestState: 'error',
      error: { code: 'interrupted' },
    })
    expect(cut.calls()).toMatchObject([{ state: 'output-error' }])

    // Its rules are asked when the answer has ended; the crash comes while they think.
    const next = crash(disk)
    const thinking = open(next, [callTools(write('2'))], [], {
      toolApproval: () => new Promise(() => undefined),
    })
    await thinking.engine.ready
    void thinking.engine.retry()
    await vi.waitFor(() => expect(saved(next)).toContain('"isEnded":true'))
    const ended = open(crash(next), [])
    await ended.engine.ready
    await untilState(ended.engine, ({ requestState }) => requestState === 'paused')
    expect(ended.calls().at(-1)).toMatchObject({ state: 'approval-requested' })
  })
})
