import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { createToolEngine } from '../../../test/tool-engine.ts'
import { answer, callTools, untilState } from '../../testing/index.ts'
import { toolCallStatus } from '../../message/tool-part.ts'

const inputSchema = z.object({})
const run = { toolCallId: '1', toolName: 'run', input: {} }

/** A tool whose yields a test makes by hand, and which says when it was closed. */
function heldGenerator() {
  const channel = new TransformStream<unknown>()
  const writer = channel.writable.getWriter()
  const reader = channel.readable.getReader()
  const closed = Promise.withResolvers<void>()
  return {
    push: (output: unknown) => void writer.write(output),
    end: () => void writer.close(),
    fail: (error: unknown) => void writer.abort(error),
    closed: closed.promise,
    tool: {
      inputSchema,
      execute: async function* () {
        try {
          for (;;) {
            const { done, value } = await reader.read()
            if (done) return
            yield value
          }
        } finally {
          closed.resolve()
        }
      },
    },
  }
}

describe('what a tool yields', () => {
  it('is shown as it comes, and the last of it is the result', async () => {
    const held = heldGenerator()
    const { engine, calls, sentCalls } = createToolEngine([callTools(run), answer('ok')], {
      tools: { run: held.tool },
    })
    const sent = engine.sendMessage('go')
    for (const output of ['a', 'ab']) {
      held.push(output)
      const seen = () => calls()[0]?.output === output
      await untilState(engine, seen)
      expect(calls()).toMatchObject([{ state: 'output-available', output, preliminary: true }])
      expect(calls().map(toolCallStatus)).toEqual(['executing'])
      expect(engine.getState().processingState).toBe('calling-tools')
    }
    held.end()
    await sent
    expect(sentCalls(2)).toMatchObject([{ state: 'output-available', output: 'ab' }])
    expect(sentCalls(2)[0]).not.toHaveProperty('preliminary')
    await held.closed
  })

  it('is an empty result when it is nothing', async () => {
    const { engine, sentCalls } = createToolEngine([callTools(run), answer('ok')], {
      tools: { run: { inputSchema, execute: async function* () {} } },
    })
    await engine.sendMessage('go')
    expect(sentCalls(2)).toMatchObject([{ state: 'output-available', output: null }])
  })

  it('is cut each time by itself', async () => {
    const held = heldGenerator()
    const { engine, calls, sentCalls } = createToolEngine([callTools(run), answer('ok')], {
      tools: { run: held.tool },
      maxOutputLines: 1,
    })
    const sent = engine.sendMessage('go')
    held.push('a\nb')
    await untilState(engine, () => calls()[0]?.state === 'output-available')
    expect(calls()).toMatchObject([{ toolMetadata: { assent: { cut: { totalLines: 2 } } } }])
    held.push('short')
    held.end()
    await sent
    expect(sentCalls(2)).toMatchObject([{ output: 'short' }])
    expect(sentCalls(2)[0]?.toolMetadata?.['assent']).not.toHaveProperty('cut')
  })

  it('is replaced by the error when the tool fails in the end', async () => {
    const held = heldGenerator()
    const { engine, calls, sentCalls } = createToolEngine([callTools(run), answer('ok')], {
      tools: { run: held.tool },
      maxOutputLines: 1,
    })
    const sent = engine.sendMessage('go')
    held.push('half\nof it')
    await untilState(engine, () => calls()[0]?.state === 'output-available')
    held.fail(new Error('disk full'))
    await sent
    const [part] = sentCalls(2)
    expect(part).toMatchObject({ state: 'output-error', errorText: 'disk full' })
    expect(part).not.toHaveProperty('output')
    expect(part).not.toHaveProperty('preliminary')
    expect(part?.toolMetadata?.['assent']).not.toHaveProperty('cut')
  })

  it('closes the tool when JSON cannot express it', async () => {
    const held = heldGenerator()
    const { engine, sentCalls } = createToolEngine([callTools(run), answer('ok')], {
      tools: { run: held.tool },
    })
    const sent = engine.sendMessage('go')
    held.push(1n)
    await sent
    await held.closed
    expect(sentCalls(2)).toMatchObject([{ state: 'output-error' }])
  })

  it('is dropped after an abort, and its tool is closed', async () => {
    const held = heldGenerator()
    const { engine, calls } = createToolEngine([callTools(run)], {
      tools: { run: held.tool },
      maxOutputLines: 1,
    })
    void engine.sendMessage('go')
    held.push('half\nof it')
    await untilState(engine, () => calls()[0]?.state === 'output-available')
    await engine.abort()
    const aborted = calls()
    expect(aborted).toMatchObject([
      { state: 'output-error', toolMetadata: { assent: { ended: 'cancelled' } } },
    ])
    expect(aborted[0]?.toolMetadata?.['assent']).not.toHaveProperty('cut')
    held.push('late')
    await held.closed
    expect(calls()).toEqual(aborted)
  })
})

describe('what a tool yields after its time is up', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('is dropped, and its tool is closed', async () => {
    const held = heldGenerator()
    const { engine, calls, completed } = createToolEngine([callTools(run), answer('ok')], {
      tools: { run: held.tool },
      timeoutMs: 1_000,
    })
    void engine.sendMessage('go')
    held.push('half')
    await vi.advanceTimersByTimeAsync(999)
    expect(calls()).toMatchObject([{ output: 'half', preliminary: true }])
    await vi.advanceTimersByTimeAsync(1)
    await completed()
    const timedOut = calls()
    expect(timedOut).toMatchObject([
      { state: 'output-error', toolMetadata: { assent: { ended: 'timeout' } } },
    ])
    held.push('late')
    await held.closed
    expect(calls()).toEqual(timedOut)
  })
})
