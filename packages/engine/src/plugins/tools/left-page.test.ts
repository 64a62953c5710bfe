import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { callOf } from '../../../test/guarded-tools.ts'
import { createToolEngine } from '../../../test/tool-engine.ts'
import { toolCallStatus } from '../../message/tool-part.ts'
import { answer, callTools } from '../../testing/index.ts'

const page = new EventTarget()

beforeEach(() => {
  vi.useFakeTimers()
  vi.stubGlobal('document', new EventTarget())
  vi.stubGlobal('addEventListener', page.addEventListener.bind(page))
})
afterEach(() => {
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

/** A call that runs until it is told to fail. */
async function runningCall() {
  const started = Promise.withResolvers<void>()
  const asked = Promise.withResolvers<unknown>()
  const made = createToolEngine([callTools(callOf('1', 'fetch')), answer('ok')], {
    tools: {
      fetch: {
        inputSchema: z.object({ path: z.string() }),
        execute: () => {
          started.resolve()
          return asked.promise
        },
      },
    },
  })
  void made.engine.sendMessage('go')
  await started.promise
  const status = () => made.calls().map(toolCallStatus)
  return { ...made, asked, status }
}

describe('a tool that fails in a page that is being left', () => {
  it.for(['beforeunload', 'pagehide'])(
    'has no result as long as the page may end: %s',
    async (type) => {
      const { asked, status, transport } = await runningCall()
      page.dispatchEvent(new Event(type))
      asked.reject(new TypeError('Failed to fetch'))
      await vi.advanceTimersByTimeAsync(9_000)
      expect(status()).toEqual(['executing'])
      expect(transport.requests).toHaveLength(1)
    },
  )

  it('has failed once the page has stayed after all', async () => {
    const { asked, calls, completed } = await runningCall()
    page.dispatchEvent(new Event('beforeunload'))
    asked.reject(new TypeError('Failed to fetch'))
    await vi.advanceTimersByTimeAsync(10_000)
    await completed()
    expect(calls()).toMatchObject([{ state: 'output-error', errorText: 'Failed to fetch' }])
  })

  it('fails at once when the page was to be left long ago, or was not', async () => {
    const { asked, completed, status } = await runningCall()
    page.dispatchEvent(new Event('beforeunload'))
    await vi.advanceTimersByTimeAsync(10_000)
    asked.reject(new TypeError('Failed to fetch'))
    await vi.advanceTimersByTimeAsync(100)
    await completed()
    expect(status()).toEqual(['error'])
  })

  it('can be aborted meanwhile, which ends its turn at once', async () => {
    const { asked, engine, status } = await runningCall()
    page.dispatchEvent(new Event('beforeunload'))
    asked.reject(new TypeError('Failed to fetch'))
    await vi.advanceTimersByTimeAsync(1)
    const aborted = engine.abort()
    expect(engine.getState().requestState).toBe('aborted')
    await vi.advanceTimersByTimeAsync(20_000)
    await aborted
    expect(status()).toEqual(['cancelled'])
  })

  it('has its output as ever when it succeeds', async () => {
    const { asked, completed, calls } = await runningCall()
    page.dispatchEvent(new Event('beforeunload'))
    asked.resolve('there')
    await vi.advanceTimersByTimeAsync(100)
    await completed()
    expect(calls()).toMatchObject([{ state: 'output-available', output: 'there' }])
  })
})
