import type { ToolSet } from 'ai'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { createToolEngine } from '../../../test/tool-engine.ts'
import { toolCallStatus } from '../../message/tool-part.ts'
import {
  answer,
  approvalRequestChunks,
  callTools,
  responseChunks,
  stepChunks,
  toolCallChunks,
} from '../../testing/index.ts'
import type { ToolPluginOptions } from './options.ts'

const inputSchema = z.object({})
const call = (toolCallId: string, toolName = 'work') => ({ toolCallId, toolName, input: {} })

/** A tool that ignores its signal; its effects are counted outside. */
function heldTool() {
  const started: string[] = []
  const signals = new Map<string, AbortSignal | undefined>()
  const ends = new Map<string, PromiseWithResolvers<unknown>>()
  const tool = {
    inputSchema,
    execute: (
      _input: unknown,
      { toolCallId, abortSignal }: { toolCallId: string; abortSignal?: AbortSignal },
    ) => {
      started.push(toolCallId)
      signals.set(toolCallId, abortSignal)
      const end = Promise.withResolvers<unknown>()
      ends.set(toolCallId, end)
      return end.promise
    },
  }
  return { tool, started, signals, end: (id: string) => ends.get(id)?.resolve(`done ${id}`) }
}

function createEngine<TOOLS extends ToolSet>(
  script: Parameters<typeof createToolEngine>[0],
  options: ToolPluginOptions<TOOLS>,
) {
  const made = createToolEngine(script, options)
  // Payloads that the types refuse, too.
  const cancel = (payload: unknown) =>
    made.engine.runPluginCommand('tool', 'cancelToolCall', payload as never)
  return { ...made, cancel }
}

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('a running call that is cancelled', () => {
  it('has its result at once, which says that it may have taken effect; the turn goes on', async () => {
    const held = heldTool()
    const ended: unknown[] = []
    const { engine, calls, cancel, sentCalls } = createEngine(
      [callTools(call('1')), answer('ok')],
      {
        tools: { work: held.tool },
        onToolCallEnd: (_call, { status, error }) => void ended.push([status, error]),
      },
    )
    const sent = engine.sendMessage('go')
    await vi.advanceTimersByTimeAsync(20)
    const messageId = engine.getState().messages.at(-1)?.id
    expect(await cancel({ toolCallId: '1', messageId, reason: 'too slow' })).toEqual({
      success: true,
      result: { messageId, step: 1, toolCallId: '1' },
    })
    const cancelled = {
      state: 'output-error',
      errorText: 'Cancelled while it ran; it may have taken effect. Reason: too slow',
      toolMetadata: {
        assent: { ended: 'cancelled', mayHaveRun: true, endedAt: expect.any(Number) },
      },
    }
    expect(calls()).toMatchObject([cancelled])
    expect(calls().map(toolCallStatus)).toEqual(['cancelled'])
    expect(held.signals.get('1')).toMatchObject({ aborted: true, reason: { name: 'AbortError' } })
    expect(ended).toEqual([['cancelled', expect.objectContaining({ name: 'AbortError' })]])
    held.end('1')
    expect(await sent).toMatchObject({ requestState: 'completed' })
    await vi.advanceTimersByTimeAsync(60_000)
    // The tool came to its end before the request: the model is told of that, too.
    const told = `${cancelled.errorText}\nIt finished later, so it did take effect. Its output: done 1`
    expect(sentCalls(2)).toMatchObject([{ ...cancelled, errorText: told }])
    expect(calls()).toMatchObject([cancelled])
    expect(ended).toHaveLength(1)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('loses what it has shown so far', async () => {
    const next = Promise.withResolvers<void>()
    let closed = 0
    const { engine, calls, cancel } = createEngine([callTools(call('1')), answer('ok')], {
      tools: {
        work: {
          inputSchema,
          execute: async function* () {
            try {
              yield 'half'
              await next.promise
              yield 'late'
            } finally {
              closed++
            }
          },
        },
      },
    })
    const sent = engine.sendMessage('go')
    await vi.advanceTimersByTimeAsync(20)
    expect(calls()).toMatchObject([{ output: 'half', preliminary: true }])
    await cancel({ toolCallId: '1' })
    next.resolve()
    await sent
    expect(calls()).toMatchObject([
      { state: 'output-error', errorText: 'Cancelled while it ran; it may have taken effect.' },
    ])
    expect(closed).toBe(1)
  })

  it('leaves its siblings running', async () => {
    const held = heldTool()
    const { engine, calls, cancel } = createEngine(
      [callTools([call('1'), call('2')]), answer('ok')],
      { tools: { work: held.tool } },
    )
    const sent = engine.sendMessage('go')
    await vi.advanceTimersByTimeAsync(20)
    await cancel({ toolCallId: '1' })
    await vi.advanceTimersByTimeAsync(20)
    expect(held.signals.get('2')?.aborted).toBe(false)
    expect(engine.getState().processingState).toBe('calling-tools')
    held.end('2')
    await sent
    expect(calls().map(toolCallStatus)).toEqual(['cancelled', 'success'])
  })

  it('can be cancelled in the moment in which it is told to start: it does not', async () => {
    const held = heldTool()
    const results: unknown[] = []
    const made = createEngine([callTools(call('1')), answer('ok')], {
      tools: { work: held.tool },
      onToolCallStart: async ({ toolCallId }) => {
        results.push(await made.cancel({ toolCallId }))
      },
    })
    await made.engine.sendMessage('go')
    expect(results).toMatchObject([{ success: true }])
    expect(held.started).toEqual([])
    expect(made.calls().map(toolCallStatus)).toEqual(['cancelled'])
  })

  it('gives its place to the next one after the grace at the latest', async () => {
    const held = heldTool()
    const { engine, cancel } = createEngine([callTools([call('1'), call('2')]), answer('ok')], {
      tools: { work: held.tool },
      concurrency: 1,
      abortGraceMs: 500,
    })
    void engine.sendMessage('go')
    await vi.advanceTimersByTimeAsync(20)
    await cancel({ toolCallId: '1' })
    await vi.advanceTimersByTimeAsync(480)
    expect(held.started).toEqual(['1'])
    await vi.advanceTimersByTimeAsync(40)
    expect(held.started).toEqual(['1', '2'])
  })
})

describe('a scheduled call that is cancelled', () => {
  it('never runs, and says so', async () => {
    const held = heldTool()
    const { engine, calls, cancel, sentCalls } = createEngine(
      [callTools([call('1'), call('2')]), answer('ok')],
      { tools: { work: held.tool }, concurrency: 1 },
    )
    const sent = engine.sendMessage('go')
    await vi.advanceTimersByTimeAsync(20)
    expect(calls().map(toolCallStatus)).toEqual(['executing', 'scheduled'])
    expect(await cancel({ toolCallId: '2', reason: 'not that one' })).toMatchObject({
      success: true,
    })
    held.end('1')
    await sent
    expect(held.started).toEqual(['1'])
    expect(sentCalls(2)).toMatchObject([
      { output: 'done 1' },
      {
        state: 'output-error',
        errorText: 'Cancelled before it started; it did not run. Reason: not that one',
        toolMetadata: { assent: { ended: 'cancelled' } },
      },
    ])
  })

  it('leaves the turn paused while another call waits for its decision', async () => {
    const held = heldTool()
    const { engine, calls, cancel, resume, transport } = createEngine(
      [callTools([call('1'), call('2', 'asked')]), answer('ok')],
      {
        tools: { work: held.tool, asked: held.tool },
        toolApproval: { asked: 'user-approval' },
      },
    )
    await engine.sendMessage('go')
    expect(calls().map(toolCallStatus)).toEqual(['scheduled', 'awaiting-approval'])
    const states: string[] = []
    engine.subscribe(() => states.push(engine.getState().requestState))
    expect(await cancel({ toolCallId: '1' })).toMatchObject({ success: true })
    await vi.advanceTimersByTimeAsync(100)
    expect(new Set(states)).toEqual(new Set(['paused']))
    expect(engine.getState().turn?.pauseReason?.toolCalls).toMatchObject([{ toolCallId: '2' }])
    await resume({ toolCallId: '2', outcome: 'no' })
    await transport.requested(2)
    expect(held.started).toEqual([])
  })
})

describe('a call that cannot be cancelled', () => {
  it('has its output in this very moment: it keeps it', async () => {
    const results: unknown[] = []
    const options = { tools: { work: { inputSchema, execute: () => 'done' } } }
    const { engine, calls } = createToolEngine([callTools(call('1')), answer('ok')], options, {
      scheduleFrame: (publish) => {
        publish()
        return () => {}
      },
    })
    const unsubscribe = engine.subscribe(() => {
      if (calls()[0]?.state !== 'output-available') return
      unsubscribe()
      void engine
        .runPluginCommand('tool', 'cancelToolCall', { toolCallId: '1' })
        .then((result) => results.push(result))
    })
    await engine.sendMessage('go')
    expect(results).toMatchObject([{ error: { code: 'not_running' } }])
    expect(calls()).toMatchObject([{ output: 'done' }])
  })

  it.each([
    ['is settled', 'not_running', '1'],
    ['waits for its decision', 'not_running', '2'],
    ['is executed elsewhere', 'executed_elsewhere', '3'],
    ['does not exist', 'unknown_tool_call', '4'],
  ])('because it %s, is refused: %s', async (_why, code, toolCallId) => {
    const { engine, calls, cancel } = createEngine(
      [
        responseChunks(
          {},
          stepChunks(
            toolCallChunks(call('1', 'unknown')),
            toolCallChunks(call('2')),
            toolCallChunks(call('3', 'theirs')),
            approvalRequestChunks({ toolCallId: '3' }),
          ),
        ),
      ],
      { tools: { work: heldTool().tool }, toolApproval: { work: 'user-approval' } },
    )
    await engine.sendMessage('go')
    const before = calls()
    expect(await cancel({ toolCallId })).toMatchObject({
      success: false,
      error: { code, details: { toolCallId } },
    })
    expect(calls()).toEqual(before)
  })

  it.each([undefined, {}, { toolCallId: 7 }, { toolCallId: '1', reason: 7 }])(
    'because the payload is none: %j',
    async (payload) => {
      const { cancel } = createEngine([], {})
      expect(await cancel(payload)).toMatchObject({ error: { code: 'invalid_argument' } })
    },
  )

  it('a second time', async () => {
    const held = heldTool()
    const { engine, cancel } = createEngine([callTools(call('1')), answer('ok')], {
      tools: { work: held.tool },
    })
    const sent = engine.sendMessage('go')
    await vi.advanceTimersByTimeAsync(20)
    const both = await Promise.all([cancel({ toolCallId: '1' }), cancel({ toolCallId: '1' })])
    expect(both).toMatchObject([{ success: true }, { error: { code: 'not_running' } }])
    await sent
  })
})
