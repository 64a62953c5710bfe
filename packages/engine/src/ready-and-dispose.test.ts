import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { createMessageEngine } from './engine.ts'
import type { EngineError } from './errors.ts'
import type { MessageEngineOptions } from './message-engine.ts'
import type { EnginePlugin } from './plugin.ts'
import { toolPlugin } from './plugins/tools/tool-plugin.ts'
import { defineStorage } from './storage/define-storage.ts'
import { memoryStorage } from './storage/memory-storage.ts'
import { answer, callTools, scriptedTransport, untilState } from './testing/index.ts'

function setUp(
  script: Parameters<typeof scriptedTransport>[0],
  plugins: readonly EnginePlugin[] = [],
  options: Partial<MessageEngineOptions> & Parameters<typeof scriptedTransport>[1] = {},
) {
  const transport = scriptedTransport(script, options)
  const errors: EngineError[] = []
  const engine = createMessageEngine({
    transport,
    plugins,
    onError: (error) => errors.push(error),
    ...options,
  })
  return { engine, transport, errors }
}

/** A plugin that is ready when the test says so. */
function slowInit() {
  const held = Promise.withResolvers<void>()
  const plugin: EnginePlugin = {
    name: 'slow',
    onInit: () => held.promise,
    commands: { ping: () => 'pong' },
  }
  return { plugin, ready: held.resolve }
}

describe('an engine that is not ready yet', () => {
  it('sends what was sent meanwhile, in order, once it is', async () => {
    const { plugin, ready } = slowInit()
    const { engine, transport } = setUp([answer('one'), answer('two'), answer('three')], [plugin])
    const command = engine.runPluginCommand('slow', 'ping')
    const outcomes = Promise.all([engine.sendMessage('first'), engine.sendMessage('second')])
    const late = engine.ready.then(() => engine.sendMessage('third'))
    expect(engine.getState()).toMatchObject({ requestState: 'idle', messages: [] })
    ready()
    expect(await outcomes).toMatchObject([
      { requestState: 'completed' },
      { requestState: 'completed' },
    ])
    expect(await late).toMatchObject({ requestState: 'completed' })
    expect(await command).toEqual({ success: true, result: 'pong' })
    expect(transport.requests.map(({ messages }) => messages.at(-1)?.parts[0])).toMatchObject([
      { text: 'first' },
      { text: 'second' },
      { text: 'third' },
    ])
  })

  it('is ready although an onInit hook failed, which is reported', async () => {
    const { engine, errors } = setUp(
      [answer('hi')],
      [
        {
          name: 'broken',
          onInit: () => {
            throw new Error('no storage')
          },
        },
        { onInit: () => Promise.reject(new Error('no storage either')) },
      ],
    )
    await engine.ready
    expect(errors.map(({ code }) => code)).toEqual(['hook_failed', 'hook_failed'])
    expect(await engine.sendMessage('go')).toMatchObject({ requestState: 'completed' })
  })

  it('sends nothing that was sent before an abort', async () => {
    const { plugin, ready } = slowInit()
    const { engine, transport } = setUp([answer('later')], [plugin], { reconnects: [answer('x')] })
    const sent = engine.sendMessage('first')
    const reconnected = engine.reconnect()
    await engine.abort()
    const later = engine.sendMessage('later')
    ready()
    expect(await sent).toMatchObject({ turnId: undefined, error: { code: 'removed' } })
    expect(await reconnected).toMatchObject({ turnId: undefined, error: { code: 'removed' } })
    expect(await later).toMatchObject({ requestState: 'completed' })
    expect(transport.requests).toHaveLength(1)
    expect(transport.reconnects).toHaveLength(0)
    expect(engine.getState().messages[0]?.parts).toMatchObject([{ text: 'later' }])
  })

  it('does nothing any more when it is disposed before it is ready', async () => {
    const { plugin, ready } = slowInit()
    const { engine, transport } = setUp([answer('hi')], [plugin], { reconnects: [answer('x')] })
    const results = Promise.all([
      engine.sendMessage('go'),
      engine.retry(),
      engine.reconnect(),
      engine.runPluginCommand('slow', 'ping'),
    ])
    engine.dispose()
    ready()
    for (const result of await results)
      expect(result).toMatchObject({ error: { code: 'disposed' } })
    await engine.ready
    expect(engine.getState()).toMatchObject({ requestState: 'idle', messages: [] })
    expect(transport.requests).toHaveLength(0)
    expect(transport.reconnects).toHaveLength(0)
  })

  it('lets go of everybody who waits when it is disposed and would never be ready', async () => {
    const { engine } = setUp([], [{ onInit: () => new Promise(() => undefined) }])
    const sent = engine.sendMessage('go')
    engine.dispose()
    expect(await sent).toMatchObject({ error: { code: 'disposed' } })
    await engine.ready
  })
})

describe('an engine that was disposed', () => {
  it('lets go of the open turn and of what is queued, and makes no further request', async () => {
    const { engine, transport } = setUp([])
    const held = transport.hold()
    const open = engine.sendMessage('open')
    const queued = engine.sendMessage('queued')
    await held.push(...answer('half').slice(0, 4))
    const seen = vi.fn()
    engine.subscribe(seen)
    engine.dispose()
    await held.cancelled
    expect(await open).toMatchObject({ error: { code: 'disposed' } })
    expect(await queued).toMatchObject({ error: { code: 'disposed' } })
    expect(engine.getState().messages[1]?.parts.at(-1)).toMatchObject({ text: 'half' })
    engine.sendQueued(engine.getState().queue[0]?.id ?? '')
    await engine.abort()
    expect(await engine.sendMessage('more')).toMatchObject({ error: { code: 'disposed' } })
    expect(transport.requests).toHaveLength(1)
    expect(seen).not.toHaveBeenCalled()
  })

  it('sends nothing that is queued when its last turn was already over', async () => {
    const { engine, transport } = setUp([new Error('down'), answer('hi')])
    const open = engine.sendMessage('open')
    const queued = engine.sendMessage('queued')
    await open
    engine.dispose()
    engine.sendQueued(engine.getState().queue[0]?.id ?? '')
    expect(engine.getState().requestState).toBe('error')
    expect(await queued).toMatchObject({ error: { code: 'disposed' } })
    expect(transport.requests).toHaveLength(1)
  })

  it('aborts its tools, and drops what they return', async () => {
    const late = Promise.withResolvers<string>()
    const started = Promise.withResolvers<AbortSignal | undefined>()
    const { engine } = setUp(
      [callTools({ toolCallId: '1', toolName: 'write', input: {} })],
      [
        toolPlugin({
          defaultApproval: 'approved',
          tools: {
            write: {
              inputSchema: z.object({}),
              execute: (_input, { abortSignal }) => {
                started.resolve(abortSignal)
                return late.promise
              },
            },
          },
        }),
      ],
    )
    const sent = engine.sendMessage('go')
    const signal = await started.promise
    engine.dispose()
    expect(signal?.aborted).toBe(true)
    const before = engine.getState().messages
    late.resolve('late')
    await sent
    await late.promise
    expect(engine.getState().messages).toBe(before)
  })

  it('may be disposed in any state, also twice, and while its hooks run', async () => {
    const hook = Promise.withResolvers<void>()
    const { engine, transport } = setUp(
      [answer('hi'), answer('no')],
      [{ onFinally: () => hook.promise }],
    )
    const sent = engine.sendMessage('go')
    const queued = engine.sendMessage('queued')
    await untilState(engine, (s) => s.requestState === 'completed')
    engine.dispose()
    engine.dispose()
    hook.resolve()
    expect(await sent).toMatchObject({ requestState: 'completed' })
    expect(await queued).toMatchObject({ error: { code: 'disposed' } })
    expect(transport.requests).toHaveLength(1)
  })
})

describe('an engine that is disposed while it restores', () => {
  it('does not go on with what it was to restore: another one does', async () => {
    const disk = memoryStorage()
    const runs: string[] = []
    const open = (name: string, storage = defineStorage(disk)) =>
      setUp(
        [callTools({ toolCallId: '1', toolName: 'write', input: {} })],
        [
          { name: 'hook', onInit: () => void runs.push(`${name} init`) },
          toolPlugin({
            tools: {
              write: { inputSchema: z.object({}), execute: () => void runs.push(`${name} run`) },
            },
            toolApproval: { write: 'user-approval' },
          }),
        ],
        { id: 'chat', storage },
      ).engine
    const first = open('first')
    await first.sendMessage('go')
    // Decided, but the crash comes before the tool starts.
    const crashed = Promise.withResolvers<ReturnType<typeof disk.snapshot>>()
    const write = disk.write.bind(disk)
    vi.spyOn(disk, 'write').mockImplementation(async (...args) => {
      const result = await write(...args)
      crashed.resolve(disk.snapshot())
      return result
    })
    void first.runPluginCommand('tool', 'resumeToolCall', { toolCallId: '1' })
    const left = memoryStorage(await crashed.promise)
    first.dispose()
    runs.length = 0
    const read = Promise.withResolvers<void>()
    const second = open(
      'second',
      defineStorage({
        ...left,
        read: async (namespace) => {
          await read.promise
          return left.read(namespace)
        },
      }),
    )
    second.dispose()
    read.resolve()
    const third = open('third', defineStorage(left))
    await untilState(third, ({ requestState }) => requestState === 'paused')
    expect(runs).toEqual(['third init', 'third run'])
  })
})
