import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { createToolEngine } from '../../../test/tool-engine.ts'
import { defineStorage } from '../../storage/define-storage.ts'
import { memoryStorage } from '../../storage/memory-storage.ts'
import type { ConversationStorage } from '../../storage/storage.ts'
import { answer, callTools, untilState } from '../../testing/index.ts'

describe("a call that is durable: 'required'", () => {
  it('is asked about again when it cannot be stored that it starts, and tells of no run', async () => {
    const disk = memoryStorage()
    let isFull = false
    const storage: ConversationStorage = {
      ...disk,
      write: async (...call) => {
        if (isFull) throw new Error('The disk is full.')
        return disk.write(...call)
      },
    }
    const told: string[] = []
    const { engine, calls, resume, completed } = createToolEngine(
      [callTools({ toolCallId: '1', toolName: 'write', input: {} }), answer('done')],
      {
        tools: { write: { inputSchema: z.object({}), execute: () => told.push('runs') } },
        toolApproval: { write: 'user-approval' },
        durable: 'required',
        onToolCallStart: () => void told.push('starts'),
        onToolCallEnd: (_call, { status }) => void told.push(status),
      },
      { id: 'chat', storage: defineStorage(storage) },
    )
    await engine.sendMessage('go')
    isFull = true
    await resume({ toolCallId: '1' })
    await untilState(engine, ({ requestState }) => requestState === 'paused')
    expect(calls()).toMatchObject([
      {
        state: 'approval-requested',
        approval: { requestReason: expect.stringContaining('recorded') },
      },
    ])
    expect(told).toEqual([])
    isFull = false
    await resume({ toolCallId: '1' })
    await completed()
    expect(told).toEqual(['starts', 'runs', 'success'])
  })
})

describe('the time that a call may take', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('begins when the tool does, not while it is stored that it starts', async () => {
    const disk = memoryStorage()
    let stored = Promise.resolve()
    const storage: ConversationStorage = {
      ...disk,
      write: async (...call) => {
        await stored
        return disk.write(...call)
      },
    }
    const { engine, calls, resume, completed } = createToolEngine(
      [callTools({ toolCallId: '1', toolName: 'write', input: {} }), answer('done')],
      {
        tools: { write: { inputSchema: z.object({}), execute: () => 'written' } },
        toolApproval: { write: 'user-approval' },
        timeoutMs: 1_000,
      },
      { id: 'chat', storage: defineStorage(storage) },
    )
    const sent = engine.sendMessage('go')
    await vi.advanceTimersByTimeAsync(100)
    await sent
    const slow = Promise.withResolvers<void>()
    stored = slow.promise
    const resumed = resume({ toolCallId: '1' })
    await vi.advanceTimersByTimeAsync(5_000)
    slow.resolve()
    await vi.advanceTimersByTimeAsync(100)
    await resumed
    await completed()
    expect(calls()).toMatchObject([{ state: 'output-available', output: 'written' }])
  })
})
