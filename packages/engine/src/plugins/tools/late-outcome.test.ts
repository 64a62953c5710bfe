import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { callOf } from '../../../test/guarded-tools.ts'
import { createToolEngine } from '../../../test/tool-engine.ts'
import type { MessageEngineOptions } from '../../message-engine.ts'
import { assentMetadata } from '../../message/tool-part.ts'
import { defineStorage } from '../../storage/define-storage.ts'
import { memoryStorage } from '../../storage/memory-storage.ts'
import { answer, callTools } from '../../testing/index.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A call that ignores its abort signal, and ends when it is told to. */
async function running(
  script: Parameters<typeof createToolEngine>[0] = [],
  more: Partial<MessageEngineOptions> = {},
) {
  const started = Promise.withResolvers<void>()
  const ends: PromiseWithResolvers<unknown>[] = []
  const made = createToolEngine(
    [callTools(callOf('1', 'fetch')), ...script],
    {
      tools: {
        fetch: {
          inputSchema: z.object({ path: z.string() }),
          execute: () => {
            const end = Promise.withResolvers<unknown>()
            ends.push(end)
            started.resolve()
            return end.promise
          },
        },
      },
      maxOutputLines: 2,
    },
    more,
  )
  const sent = made.engine.sendMessage('go')
  await started.promise
  const late = () => made.calls().map((part) => assentMetadata(part).late)
  const end = async (index: number, output: unknown) => {
    ends[index]?.resolve(output)
    await vi.advanceTimersByTimeAsync(1)
  }
  return { ...made, ends, sent, late, end }
}

describe('what a tool returns after its call has ended', () => {
  it('is noted after an abort, beside the result that stays, and told to the model', async () => {
    const { engine, calls, late, end, transport, sentCalls } = await running()
    await engine.abort()
    const [before] = calls()
    expect(before).toMatchObject({
      state: 'output-error',
      errorText: 'Aborted while it ran; it may have taken effect.',
    })
    await end(0, 'fetched')
    expect(late()).toEqual([{ output: 'fetched', at: expect.any(Number) }])
    expect(calls()).toMatchObject([{ state: 'output-error', errorText: before?.errorText }])
    expect(engine.getState().requestState).toBe('aborted')
    expect(transport.requests).toHaveLength(1)
    transport.add(answer('ok'))
    await engine.sendMessage('and?')
    expect(sentCalls(2)).toMatchObject([
      {
        state: 'output-error',
        errorText:
          'Aborted while it ran; it may have taken effect.\nIt finished later, so it did take effect. Its output: fetched',
      },
    ])
  })

  it('is noted after a timeout, also while the next answer streams into its message', async () => {
    const { calls, late, end, transport, sent } = await running()
    const held = transport.hold()
    await vi.advanceTimersByTimeAsync(30_001)
    await held.push(...answer('it took too long').slice(0, -2))
    await vi.advanceTimersByTimeAsync(1)
    await end(0, { rows: 3 })
    expect(late()).toEqual([undefined])
    await held.push(...answer('').slice(-2))
    held.end()
    await sent
    expect(late()).toEqual([{ output: { rows: 3 }, at: expect.any(Number) }])
    expect(calls()).toMatchObject([{ toolMetadata: { assent: { ended: 'timeout' } } }])
  })

  it('is noted after a cancellation, cut like any output', async () => {
    const { engine, late, end } = await running([answer('ok')])
    await engine.runPluginCommand('tool', 'cancelToolCall', { toolCallId: '1' })
    await end(0, 'a\nb\nc\nd')
    expect(late()).toMatchObject([{ output: expect.stringMatching(/^a\nb\n.*2 of 4 lines/s) }])
  })

  it('is there after a reload', async () => {
    const storage = defineStorage(memoryStorage())
    const { engine, end } = await running([], { id: 'chat', storage })
    await engine.abort()
    await end(0, 'fetched')
    engine.dispose()
    const later = createToolEngine([], {}, { id: 'chat', storage })
    await later.engine.ready
    expect(later.calls().map((part) => assentMetadata(part).late?.output)).toEqual(['fetched'])
  })

  it('is none where the tool heeded its signal, by an error or by returning nothing', async () => {
    const { engine, ends, late } = await running()
    await engine.abort()
    ends[0]?.reject(new DOMException('Stopped.', 'AbortError'))
    await vi.advanceTimersByTimeAsync(1)
    expect(late()).toEqual([undefined])
    const other = await running()
    await other.engine.abort()
    await other.end(0, undefined)
    expect(other.late()).toEqual([undefined])
  })

  it('is not written on another run of the call, nor once the message is gone', async () => {
    const { engine, ends, late, end, transport } = await running()
    await engine.abort()
    transport.add(callTools(callOf('1', 'fetch')), answer('ok'))
    const again = engine.regenerate()
    await vi.advanceTimersByTimeAsync(50)
    expect(ends).toHaveLength(2)
    await end(0, 'of the first run')
    expect(late()).toEqual([undefined])
    await end(1, 'of the second')
    await again
    expect(late()).toEqual([undefined])
  })
})
