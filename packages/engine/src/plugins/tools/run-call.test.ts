import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { createToolEngine } from '../../../test/tool-engine.ts'
import { assentMetadata } from '../../message/tool-part.ts'
import { answer, callTools, untilState } from '../../testing/index.ts'

const inputSchema = z.object({})
const call = (toolCallId: string, toolName = 'work') => ({ toolCallId, toolName, input: {} })

/** A tool whose calls are ended by hand, and which ignores its signal. */
function heldTool() {
  const started: string[] = []
  const ends = new Map<string, PromiseWithResolvers<unknown>>()
  const endOf = (toolCallId: string) => {
    const known = ends.get(toolCallId) ?? Promise.withResolvers<unknown>()
    ends.set(toolCallId, known)
    return known
  }
  const signals = new Map<string, AbortSignal | undefined>()
  return {
    started,
    signals,
    end: (toolCallId: string, output: unknown = `done ${toolCallId}`) =>
      endOf(toolCallId).resolve(output),
    tool: {
      inputSchema,
      execute: (
        _input: unknown,
        { toolCallId, abortSignal }: { toolCallId: string; abortSignal?: AbortSignal },
      ) => {
        started.push(toolCallId)
        signals.set(toolCallId, abortSignal)
        return endOf(toolCallId).promise
      },
    },
  }
}

describe('calls of one step', () => {
  it('run at the same time, and their results are sent in call order', async () => {
    const held = heldTool()
    const { engine, completed, sentCalls, calls } = createToolEngine(
      [callTools([call('1'), call('2'), call('3')]), answer('ok')],
      { tools: { work: held.tool }, repeatLimits: false },
    )
    void engine.sendMessage('go')
    await vi.waitUntil(() => held.started.length === 3)
    held.end('3')
    await untilState(engine, () => calls()[2]?.state === 'output-available')
    held.end('1')
    held.end('2')
    await completed()
    expect(sentCalls(2)).toMatchObject([
      { toolCallId: '1', output: 'done 1' },
      { toolCallId: '2', output: 'done 2' },
      { toolCallId: '3', output: 'done 3' },
    ])
  })

  it.each([1, 2])('start in call order, at most %d at the same time', async (concurrency) => {
    const held = heldTool()
    const { engine, calls, completed } = createToolEngine(
      [callTools(['1', '2', '3', '4'].map((id) => call(id))), answer('ok')],
      { tools: { work: held.tool }, concurrency },
    )
    void engine.sendMessage('go')
    const seen: string[][] = []
    for (const id of ['1', '2', '3', '4']) {
      await vi.waitUntil(() => held.started.includes(id))
      seen.push([...held.started])
      expect(calls()[3]?.state).toBe('input-available')
      held.end(id)
      await untilState(engine, () => calls()[Number(id) - 1]?.state === 'output-available')
    }
    await completed()
    const all = ['1', '2', '3', '4']
    expect(seen).toEqual(all.map((_, index) => all.slice(0, Math.min(4, index + concurrency))))
  })
})

describe('a call whose time is up', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('has an error result at once, and what its tool returns later is dropped', async () => {
    const held = heldTool()
    const ended: unknown[] = []
    const { engine, calls, sentCalls, transport } = createToolEngine(
      [callTools(call('1')), answer('ok')],
      {
        tools: { work: held.tool },
        onToolCallEnd: (_call, { status, error }) => void ended.push([status, error]),
      },
    )
    void engine.sendMessage('go')
    await vi.advanceTimersByTimeAsync(29_999)
    expect(calls()).toMatchObject([{ state: 'input-available' }])
    expect(held.signals.get('1')?.aborted).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    const timedOut = {
      state: 'output-error',
      errorText: expect.stringMatching(/did not end within 30 s.*may have taken effect/),
      toolMetadata: { assent: { ended: 'timeout' } },
    }
    expect(sentCalls(2)).toMatchObject([timedOut])
    expect(held.signals.get('1')?.aborted).toBe(true)
    held.end('1', 'late')
    await vi.advanceTimersByTimeAsync(10_000)
    expect(calls()).toMatchObject([timedOut])
    expect(transport.requests).toHaveLength(2)
    expect(ended).toEqual([['timeout', expect.objectContaining({ code: 'tool_timeout' })]])
  })

  it('has the time of its own tool, else that of the plugin', async () => {
    const held = heldTool()
    const { engine, calls } = createToolEngine(
      [callTools([call('1', 'quick'), call('2', 'slow')])],
      {
        tools: { quick: held.tool, slow: held.tool },
        timeoutMs: 5_000,
        toolOptions: { quick: { timeoutMs: 1_000 } },
      },
    )
    void engine.sendMessage('go')
    await vi.advanceTimersByTimeAsync(1_000)
    expect(calls().map(({ state }) => state)).toEqual(['output-error', 'input-available'])
    await vi.advanceTimersByTimeAsync(4_000)
    expect(calls().map(({ state }) => state)).toEqual(['output-error', 'output-error'])
  })

  it.each([Infinity, 2 ** 40])('never comes with a timeout of %d ms', async (timeoutMs) => {
    const held = heldTool()
    const { engine, calls } = createToolEngine([callTools(call('1')), answer('ok')], {
      tools: { work: held.tool },
      timeoutMs,
    })
    const sent = engine.sendMessage('go')
    await vi.advanceTimersByTimeAsync(1_000_000)
    held.end('1')
    expect(await sent).toMatchObject({ requestState: 'completed' })
    expect(calls()).toMatchObject([{ output: 'done 1' }])
  })

  it('has not been running while a person was asked', async () => {
    const held = heldTool()
    const { engine, calls, resume } = createToolEngine([callTools(call('1')), answer('ok')], {
      tools: { work: held.tool },
      toolApproval: { work: 'user-approval' },
    })
    await engine.sendMessage('go')
    await vi.advanceTimersByTimeAsync(3_600_000)
    await resume({ toolCallId: '1' })
    await vi.advanceTimersByTimeAsync(29_999)
    expect(calls()).toMatchObject([{ state: 'approval-responded' }])
    held.end('1')
    await vi.advanceTimersByTimeAsync(0)
    expect(calls()).toMatchObject([{ output: 'done 1' }])
  })

  it('holds its place for the grace when its tool ignores the signal', async () => {
    const held = heldTool()
    const { engine, calls } = createToolEngine([callTools([call('1'), call('2')]), answer('ok')], {
      tools: { work: held.tool },
      concurrency: 1,
      timeoutMs: 1_000,
      abortGraceMs: 500,
    })
    void engine.sendMessage('go')
    await vi.advanceTimersByTimeAsync(1_499)
    expect(calls().map(({ state }) => state)).toEqual(['output-error', 'input-available'])
    expect(held.started).toEqual(['1'])
    await vi.advanceTimersByTimeAsync(1)
    expect(held.started).toEqual(['1', '2'])
    held.end('1', 'late')
    await vi.advanceTimersByTimeAsync(0)
    held.end('2')
    await vi.advanceTimersByTimeAsync(0)
    expect(calls()).toMatchObject([{ state: 'output-error' }, { output: 'done 2' }])
  })

  it('gives its place back at once when its tool heeds the signal', async () => {
    const held = heldTool()
    const { engine } = createToolEngine([callTools([call('1'), call('2')]), answer('ok')], {
      tools: { work: held.tool },
      concurrency: 1,
      timeoutMs: 1_000,
      abortGraceMs: 60_000,
    })
    void engine.sendMessage('go')
    await vi.advanceTimersByTimeAsync(0)
    held.signals.get('1')?.addEventListener('abort', () => held.end('1'))
    await vi.advanceTimersByTimeAsync(1_000)
    expect(held.started).toEqual(['1', '2'])
  })

  it('holds its place beyond an abort of the turn, but never longer than the grace', async () => {
    const held = heldTool()
    const { engine } = createToolEngine(
      [callTools(call('1')), callTools(call('2')), answer('ok')],
      {
        tools: { work: held.tool },
        concurrency: 1,
        abortGraceMs: 500,
      },
    )
    void engine.sendMessage('go')
    await vi.advanceTimersByTimeAsync(0)
    await engine.abort()
    const next = engine.sendMessage('next')
    await vi.advanceTimersByTimeAsync(499)
    expect(held.started).toEqual(['1'])
    await vi.advanceTimersByTimeAsync(1)
    expect(held.started).toEqual(['1', '2'])
    held.end('2')
    expect(await next).toMatchObject({ requestState: 'completed' })
  })

  it('leaves no timer behind once its tool has ended, also when the turn is aborted later', async () => {
    const held = heldTool()
    const { engine } = createToolEngine([callTools(call('1')), callTools(call('2', 'asked'))], {
      tools: { work: held.tool, asked: held.tool },
      toolApproval: { asked: 'user-approval' },
    })
    held.end('1')
    expect(await engine.sendMessage('go')).toMatchObject({ requestState: 'paused' })
    expect(vi.getTimerCount()).toBe(0)
    await engine.abort()
    expect(vi.getTimerCount()).toBe(0)
  })
})

it('notes why an output is no success, of the whole of it and not of what comes before', async () => {
  const outputs: unknown[] = []
  const failure = (output: unknown) => {
    outputs.push(output)
    return output === 'exit 1' ? 'Exit code 1' : undefined
  }
  const run = {
    inputSchema,
    async *execute() {
      yield 'ls'
      yield 'exit 1'
    },
  }
  const { engine, completed, calls } = createToolEngine(
    [callTools([call('1', 'run'), call('2')]), answer('ok')],
    {
      tools: { run, work: { inputSchema, execute: () => 'fine' } },
      toolOptions: { run: { failure }, work: { failure } },
    },
  )
  void engine.sendMessage('go')
  await completed()
  expect(calls().map((part) => assentMetadata(part).failure)).toEqual(['Exit code 1', undefined])
  expect(outputs).toEqual(expect.arrayContaining(['exit 1', 'fine']))
  expect(outputs).toHaveLength(2)
})
