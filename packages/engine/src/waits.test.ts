import type { UIMessageChunk } from 'ai'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createMessageEngine } from './engine.ts'
import type { EnginePlugin } from './plugin.ts'
import { defineStorage } from './storage/define-storage.ts'
import { memoryStorage } from './storage/memory-storage.ts'
import { answer, scriptedTransport } from './testing/index.ts'

const HOOKS = [
  'onTurnStart',
  'onBeforeRequest',
  'onAfterRequest',
  'onSettle',
  'onTurnEnd',
] as const satisfies (keyof EnginePlugin)[]

beforeEach(() => void vi.useFakeTimers({ now: 5_000 }))
afterEach(() => void vi.useRealTimers())

/** A hook that hangs until it is let go. */
function hanging(hook: (typeof HOOKS)[number] | 'onFinally', name = 'slow') {
  const gate = Promise.withResolvers<void>()
  const plugin: EnginePlugin = { name, [hook]: () => gate.promise }
  return { plugin, letGo: gate.resolve }
}

function engineWith(...plugins: EnginePlugin[]) {
  const transport = scriptedTransport([answer('ok'), answer('ok')])
  return createMessageEngine({ transport, plugins })
}

describe('what a turn waits for', () => {
  it.each(HOOKS)('is %s of a plugin, once it has lasted for a second', async (hook) => {
    const { plugin, letGo } = hanging(hook)
    const engine = engineWith(plugin)
    const sent = engine.sendMessage('go')
    await vi.advanceTimersByTimeAsync(999)
    expect(engine.getState().turn?.waitingFor).toBeUndefined()
    await vi.advanceTimersByTimeAsync(1)
    expect(engine.getState().turn?.waitingFor).toEqual({
      type: 'hook',
      plugin: 'slow',
      hook,
      since: 5_000,
    })

    letGo()
    await vi.advanceTimersByTimeAsync(100)
    await sent
    expect(engine.getState().turn).not.toHaveProperty('waitingFor')
  })

  it('is told to subscribers when it comes and when it goes', async () => {
    const { plugin, letGo } = hanging('onTurnStart')
    const engine = engineWith(plugin)
    const seen: unknown[] = []
    engine.subscribe(() => {
      const type = engine.getState().turn?.waitingFor?.type
      if (seen.at(-1) !== type) seen.push(type)
    })
    const sent = engine.sendMessage('go')
    await vi.advanceTimersByTimeAsync(1_100)
    expect(seen).toEqual(['hook'])
    letGo()
    await vi.advanceTimersByTimeAsync(100)
    await sent
    expect(seen).toEqual(['hook', undefined])
  })

  it('goes in the same moment as its turn: nobody is told of a turn that waits for nothing', async () => {
    const { plugin } = hanging('onTurnStart')
    const engine = createMessageEngine({
      transport: scriptedTransport([]),
      plugins: [plugin],
      scheduleFrame(publish) {
        publish()
        return () => undefined
      },
    })
    void engine.sendMessage('go')
    await vi.advanceTimersByTimeAsync(1_000)
    const seen: unknown[] = []
    engine.subscribe(() => seen.push(engine.getState().requestState))
    void engine.abort()
    expect(new Set(seen)).toEqual(new Set(['aborted']))
    engine.dispose()
  })

  it('may be the last that is told: a turn that is aborted at that stays so', async () => {
    const response = Promise.withResolvers<ReadableStream<UIMessageChunk>>()
    const engine = createMessageEngine({
      transport: {
        sendMessages: () => response.promise,
        reconnectToStream: () => Promise.resolve(null),
      },
      scheduleFrame(publish) {
        publish()
        return () => undefined
      },
    })
    const states: unknown[] = []
    let isWaiting = false
    engine.subscribe(() => {
      const { requestState, turn } = engine.getState()
      states.push(requestState)
      if (isWaiting && !turn?.waitingFor) void engine.abort()
      isWaiting = turn?.waitingFor !== undefined
    })
    void engine.sendMessage('go')
    await vi.advanceTimersByTimeAsync(1_000)
    expect(isWaiting).toBe(true)
    response.resolve(
      new ReadableStream({
        start(stream) {
          stream.enqueue({ type: 'start' })
          stream.close()
        },
      }),
    )
    await vi.advanceTimersByTimeAsync(100)
    expect(states.slice(states.indexOf('aborted'))).toEqual(['aborted'])
    expect(engine.getState().messages).toHaveLength(1)
  })

  it('is what began last, then what began earlier', async () => {
    const inner = Promise.withResolvers<void>()
    const outer = Promise.withResolvers<void>()
    const engine = engineWith({
      name: 'slow',
      async onTurnStart({ beginWait }) {
        const end = beginWait({ type: 'storage', operation: 'read' })
        await inner.promise
        end()
        end()
        await outer.promise
      },
    })
    void engine.sendMessage('go')
    await vi.advanceTimersByTimeAsync(1_000)
    expect(engine.getState().turn?.waitingFor).toMatchObject({ type: 'storage' })
    inner.resolve()
    await vi.advanceTimersByTimeAsync(0)
    expect(engine.getState().turn?.waitingFor).toMatchObject({ type: 'hook' })
    outer.resolve()
    await vi.advanceTimersByTimeAsync(0)
    expect(engine.getState().requestState).toBe('completed')
  })

  it('is nothing after an abort, whatever the hook does', async () => {
    const { plugin } = hanging('onBeforeRequest')
    const engine = engineWith(plugin)
    void engine.sendMessage('go')
    await vi.advanceTimersByTimeAsync(1_000)
    expect(engine.getState().turn?.waitingFor).toBeDefined()
    void engine.abort()
    expect(engine.getState()).toMatchObject({ requestState: 'aborted' })
    expect(engine.getState().turn).not.toHaveProperty('waitingFor')
    await vi.advanceTimersByTimeAsync(5_000)
    expect(engine.getState().turn).not.toHaveProperty('waitingFor')
  })

  it('is not what goes on after the end of the turn', async () => {
    const { plugin } = hanging('onFinally')
    const engine = engineWith(plugin)
    void engine.sendMessage('go')
    await vi.advanceTimersByTimeAsync(5_000)
    expect(engine.getState().requestState).toBe('completed')
    expect(engine.getState().turn).not.toHaveProperty('waitingFor')
  })

  it('is reported of a hook that keeps the engine from being ready', async () => {
    const gate = Promise.withResolvers<void>()
    const onError = vi.fn()
    const plugin = { name: 'slow', onInit: () => gate.promise }
    const transport = scriptedTransport([answer('ok')])
    const engine = createMessageEngine({ transport, plugins: [plugin], onError })
    const sent = engine.sendMessage('go')
    await vi.advanceTimersByTimeAsync(9_999)
    expect(onError).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(60_000)
    expect(onError).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({
        code: 'hook_slow',
        details: { plugin: 'slow', hook: 'onInit' },
      }),
    )
    gate.resolve()
    await vi.advanceTimersByTimeAsync(100)
    expect(await sent).toMatchObject({ requestState: 'completed' })
    expect(onError).toHaveBeenCalledOnce()
  })

  it('is not stored, nor a reason to store anything', async () => {
    const storage = memoryStorage()
    const { plugin, letGo } = hanging('onTurnStart')
    const engine = createMessageEngine({
      id: 'c',
      transport: scriptedTransport([answer('ok')]),
      plugins: [plugin],
      storage: defineStorage(storage),
    })
    void engine.sendMessage('go')
    await vi.advanceTimersByTimeAsync(900)
    const write = vi.spyOn(storage, 'write')
    await vi.advanceTimersByTimeAsync(5_000)
    expect(engine.getState().turn?.waitingFor).toBeDefined()
    expect(write).not.toHaveBeenCalled()
    engine.dispose()
    await vi.advanceTimersByTimeAsync(0)
    letGo()
    expect(JSON.stringify([...(await storage.read('conversation/c'))])).not.toContain('waitingFor')
  })
})
