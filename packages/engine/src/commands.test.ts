import { describe, expect, it } from 'vitest'
import { createMessageEngine } from './engine.ts'
import { EngineError } from './errors.ts'
import type { EnginePlugin, PluginCommand } from './plugin.ts'
import { defineStorage } from './storage/define-storage.ts'
import { memoryStorage } from './storage/memory-storage.ts'
import { answer, scriptedTransport } from './testing/index.ts'

function setUp(
  command: PluginCommand,
  more: { plugins?: EnginePlugin[]; onError?: (error: EngineError) => void } = {},
) {
  const transport = scriptedTransport([answer('hi')])
  const engine = createMessageEngine({
    transport,
    ...(more.onError && { onError: more.onError }),
    plugins: [{ name: 'notes', commands: { act: command } }, ...(more.plugins ?? [])],
  })
  return { engine, transport }
}

describe('runPluginCommand', () => {
  it.each([
    ['a value', () => 7],
    ['a promise', () => Promise.resolve(7)],
  ])('answers with the result of the command: %s', async (_name, command) => {
    const { engine } = setUp(command)
    expect(await engine.runPluginCommand('notes', 'act')).toEqual({ success: true, result: 7 })
  })

  it('says that a change is not stored, and goes on', async () => {
    const disk = memoryStorage()
    const storage = defineStorage({
      ...disk,
      write: () => Promise.reject(new Error('The disk is full.')),
    })
    const reported: string[] = []
    const engine = createMessageEngine({
      id: 'chat',
      transport: scriptedTransport([]),
      storage,
      messages: [{ id: '1', role: 'user', parts: [{ type: 'text', text: 'hi' }] }],
      plugins: [{ name: 'notes', commands: { act: () => 7 } }],
      onError: ({ code }) => reported.push(code),
    })
    const outcome = await engine.runPluginCommand('notes', 'act')
    expect(outcome).toEqual({ success: true, result: 7, stored: false })
    expect(reported).toEqual(['storage_failed'])
    engine.dispose()
  })

  it('hands the payload over as it is', async () => {
    const { engine } = setUp((payload) => payload)
    const payload = { a: [1] }
    const outcome = await engine.runPluginCommand('notes', 'act', payload)
    expect(outcome.success && outcome.result).toBe(payload)
  })

  it.each(['other', '', '__proto__', 'constructor'])(
    'refuses the unknown plugin %j',
    async (plugin) => {
      const { engine } = setUp(() => 7, { plugins: [{ onTurnStart: () => undefined }] })
      expect(await engine.runPluginCommand(plugin, 'act')).toMatchObject({
        success: false,
        error: { code: 'unknown_plugin', details: { plugin } },
      })
    },
  )

  it.each(['other', '', '__proto__', 'constructor', 'toString'])(
    'refuses the unknown command %j, and says which there are',
    async (command) => {
      const { engine } = setUp(() => 7)
      expect(await engine.runPluginCommand('notes', command)).toMatchObject({
        success: false,
        error: { code: 'unknown_command', message: expect.stringContaining('It has: act.') },
      })
    },
  )

  it('reports each unknown one once, for who does not look at results', async () => {
    const errors: EngineError[] = []
    const { engine } = setUp(() => 7, { onError: (error) => errors.push(error) })
    for (const command of ['cat', 'cat', 'dog', 'act']) {
      await engine.runPluginCommand('notes', command)
    }
    await engine.runPluginCommand('nobody', 'act')
    expect(errors).toMatchObject([
      { code: 'unknown_command', details: { command: 'cat' } },
      { code: 'unknown_command', details: { command: 'dog' } },
      { code: 'unknown_plugin', details: { plugin: 'nobody' } },
    ])
  })

  it('refuses a command of a plugin that has none', async () => {
    const { engine } = setUp(() => 7, { plugins: [{ name: 'silent' }] })
    expect(await engine.runPluginCommand('silent', 'act')).toMatchObject({
      error: { code: 'unknown_command', message: expect.stringContaining('It has: none.') },
    })
  })

  it.each([
    ['throws', new Error('disk full'), 'notes.act failed: disk full'],
    ['throws a text', 'disk full', 'notes.act failed: disk full'],
    ['throws nothing', undefined, 'notes.act failed: undefined'],
  ])('answers with an error when the command %s', async (_name, thrown, message) => {
    const fail = () => {
      throw thrown
    }
    for (const command of [fail, () => Promise.reject(thrown)]) {
      const { engine } = setUp(command)
      const outcome = await engine.runPluginCommand('notes', 'act')
      expect(outcome).toMatchObject({
        success: false,
        error: { name: 'EngineError', code: 'command_failed', message, retryable: false },
      })
      expect(outcome.success ? undefined : outcome.error.cause).toBe(thrown)
      expect(engine.getState()).toMatchObject({ requestState: 'idle', error: undefined })
    }
  })

  it('answers with the typed error that the command throws', async () => {
    const own = new EngineError('invalid_argument', 'No such note.', { retryable: true })
    const { engine } = setUp(() => Promise.reject(own))
    const outcome = await engine.runPluginCommand('notes', 'act')
    expect(outcome.success ? undefined : outcome.error).toBe(own)
  })

  it('makes no request for a command that asked for one and then failed', async () => {
    const { engine, transport } = setUp((_payload, { requestNext }) => {
      requestNext()
      throw new Error('disk full')
    })
    await engine.runPluginCommand('notes', 'act')
    expect(transport.requests).toHaveLength(0)
    expect(engine.getState().requestState).toBe('idle')
  })

  it('is refused as busy while the model answers, and works again afterwards', async () => {
    const { engine, transport } = setUp(() => 7)
    const sent = engine.sendMessage('go')
    expect(await engine.runPluginCommand('notes', 'act')).toMatchObject({
      success: false,
      error: { code: 'busy', retryable: true, details: { processingState: 'requesting' } },
    })
    await sent
    expect(transport.requests).toHaveLength(1)
    expect(await engine.runPluginCommand('notes', 'act')).toMatchObject({ success: true })
  })

  it('can change messages that are there, and is told of those that are not', async () => {
    const { engine } = setUp((messageId, { updateMessage }) => {
      updateMessage(String(messageId), (message) => ({ ...message, metadata: { pinned: true } }))
    })
    await engine.sendMessage('go')
    const { messages } = engine.getState()
    expect(await engine.runPluginCommand('notes', 'act', messages[0]?.id)).toMatchObject({
      success: true,
    })
    expect(engine.getState().messages[0]).toMatchObject({ metadata: { pinned: true } })
    expect(engine.getState().messages[1]).toBe(messages[1])
    expect(await engine.runPluginCommand('notes', 'act', 'nobody')).toMatchObject({
      error: { code: 'unknown_message' },
    })
  })

  it('changes nothing by an update that changes nothing', async () => {
    const { engine } = setUp((messageId, { updateMessage }) => {
      updateMessage(String(messageId), (message) => message)
    })
    await engine.sendMessage('go')
    engine.flush()
    const before = engine.getState()
    const told: string[] = []
    engine.subscribe(() => told.push('all'))
    await engine.runPluginCommand('notes', 'act', before.messageIds[0])
    engine.flush()
    expect(told).toEqual([])
    expect(engine.getState()).toBe(before)
  })
})

describe('a plugin with commands', () => {
  it('is refused without a name', () => {
    const nameless = { commands: { act: () => 7 } }
    expect(() =>
      createMessageEngine({ transport: scriptedTransport(), plugins: [nameless as never] }),
    ).toThrow(expect.objectContaining({ code: 'invalid_argument' }))
  })
})
