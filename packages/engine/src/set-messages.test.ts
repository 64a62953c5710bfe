import type { UIMessage } from 'ai'
import { describe, expect, it } from 'vitest'
import { callOf, guardedTools, waitingIds } from '../test/guarded-tools.ts'
import { createToolEngine } from '../test/tool-engine.ts'
import { isEngineError } from './errors.ts'
import type { MessageEngine, MessageEngineOptions } from './message-engine.ts'
import { textOf } from './message/message-input.ts'
import { defineStorage } from './storage/define-storage.ts'
import { memoryStorage, type MemoryStorage } from './storage/memory-storage.ts'
import { storedConversations } from './storage/stored-conversations.ts'
import { answer, callTools } from './testing/index.ts'

const older = (id: string): UIMessage => ({
  id,
  role: 'user',
  parts: [{ type: 'text', text: `older ${id}` }],
})
const textsOf = (engine: MessageEngine) => engine.getState().messages.map(textOf)

/** Two turns, at rest. */
async function talked(more: Partial<MessageEngineOptions> = {}) {
  const { options } = guardedTools()
  const made = createToolEngine([answer('one'), answer('two')], options, more)
  await made.engine.sendMessage('first')
  await made.engine.sendMessage('second')
  return made
}

function reopen(disk: MemoryStorage) {
  const { options } = guardedTools()
  return createToolEngine([], options, { id: 'chat', storage: defineStorage(disk) })
}

/** What is stored, as another engine reads it. */
async function stored(disk: MemoryStorage): Promise<string[]> {
  const { engine } = reopen(disk)
  await engine.ready
  const texts = textsOf(engine)
  engine.dispose()
  return texts
}

function codeOf(act: () => void): unknown {
  try {
    act()
  } catch (error) {
    return isEngineError(error) ? error.code : error
  }
  return 'nothing was thrown'
}

describe('setMessages', () => {
  it('clears a conversation, which then stands as if nothing had been asked', async () => {
    const { engine, transport } = await talked()
    engine.setMessages([])
    expect(engine.getState()).toMatchObject({
      messages: [],
      messageIds: [],
      requestState: 'idle',
      turn: undefined,
    })
    transport.add(answer('three'))
    expect(await engine.sendMessage('third')).toMatchObject({ requestState: 'completed' })
    expect(transport.requests.at(-1)?.messages.map(textOf)).toEqual(['third'])
  })

  it('keeps the objects of the messages that are the same, and tells of the change', async () => {
    const { engine } = await talked()
    const before = engine.getState().messages
    let told = 0
    engine.subscribe(() => told++)
    engine.setMessages((messages) => structuredClone(messages.slice(0, 2)))
    engine.flush()
    expect(told).toBe(1)
    expect(engine.getState().messages[1]).toBe(before[1])
    expect(textsOf(engine)).toEqual(['first', 'one'])
  })

  it('puts older messages before the others, and the last turn can still be retried', async () => {
    const { engine, transport } = await talked()
    transport.add(new Error('down'))
    expect(await engine.sendMessage('third')).toMatchObject({ requestState: 'error' })
    engine.setMessages((messages) => [older('a'), older('b'), ...messages])
    expect(engine.getState()).toMatchObject({ requestState: 'error' })
    transport.add(answer('three'))
    expect(await engine.retry()).toMatchObject({ requestState: 'completed' })
    expect(textsOf(engine).slice(0, 3)).toEqual(['older a', 'older b', 'first'])
    expect(textsOf(engine).at(-1)).toBe('three')
  })

  it('leaves nothing to retry of a turn whose messages are gone', async () => {
    const { engine, transport } = await talked()
    transport.add(new Error('down'))
    await engine.sendMessage('third')
    engine.setMessages((messages) => messages.slice(0, 2))
    expect(engine.getState()).toMatchObject({ requestState: 'idle', error: undefined })
    expect(await engine.retry()).toMatchObject({ error: { code: 'nothing_to_retry' } })
  })

  it('lets a call wait that waits in the last message, as at the beginning', async () => {
    const first = createToolEngine([callTools(callOf('1'))], guardedTools().options)
    await first.engine.sendMessage('go')
    const { messages } = first.engine.getState()
    const { engine, resume, transport, completed } = await talked()
    engine.setMessages(messages)
    expect(engine.getState().requestState).toBe('paused')
    expect(waitingIds(engine)).toEqual(['1'])
    transport.add(answer('written'))
    await resume({ toolCallId: '1' })
    await completed()
  })

  it('is refused as busy while a turn is open or the conversation is being restored', async () => {
    const { engine, transport } = await talked()
    const held = transport.hold()
    const sent = engine.sendMessage('third')
    expect(codeOf(() => engine.setMessages([]))).toBe('busy')
    await engine.abort()
    await sent
    held.end()
    engine.setMessages([])
    expect(textsOf(engine)).toEqual([])
    const { engine: restoring } = reopen(memoryStorage())
    expect(codeOf(() => restoring.setMessages([]))).toBe('busy')
    restoring.dispose()
    expect(codeOf(() => restoring.setMessages([]))).toBe('disposed')
  })

  it('refuses messages without an id of their own, and changes nothing then', async () => {
    const { engine } = await talked()
    const before = engine.getState()
    for (const messages of [[older('')], [older('a'), older('a')]]) {
      expect(codeOf(() => engine.setMessages(messages))).toBe('invalid_argument')
    }
    expect(engine.getState()).toBe(before)
  })

  it('keeps decisions and drops the drafts about what is gone', async () => {
    const { engine, resume, completed } = createToolEngine(
      [callTools(callOf('1')), answer('done')],
      guardedTools().options,
    )
    await engine.sendMessage('go')
    await resume({ toolCallId: '1' })
    await completed()
    const { confirmations, messages } = engine.getState()
    engine.setDraft('edit', 'half', { messageId: messages[0]!.id })
    engine.setDraft('composer', 'kept')
    engine.setMessages([])
    expect(engine.getState().confirmations).toBe(confirmations)
    expect(engine.getState().drafts.map(({ key }) => key)).toEqual(['composer'])
  })

  it('is stored in the new order, message by message, and says so in the list', async () => {
    const disk = memoryStorage()
    const { engine } = await talked({ id: 'chat', storage: defineStorage(disk) })
    engine.setMessages((messages) => [older('a'), ...messages])
    engine.dispose()
    expect(await stored(disk)).toEqual(['older a', 'first', 'one', 'second', 'two'])
    const later = reopen(disk)
    await later.engine.ready
    later.engine.setMessages(([a, , one, second]) => [second!, a!, one!])
    later.engine.dispose()
    expect(await stored(disk)).toEqual(['second', 'older a', 'one'])
    expect(await storedConversations(disk).list()).toMatchObject([
      { title: 'second', messageCount: 3 },
    ])
  })

  it('is stored in the right order when the writes before and after it fail', async () => {
    const disk = memoryStorage()
    let failures = 0
    const failing = {
      ...disk,
      write: (...call: Parameters<MemoryStorage['write']>) =>
        failures-- > 0 ? Promise.reject(new Error('full')) : disk.write(...call),
    }
    const storage = defineStorage(failing, { retryMs: 1 })
    const { engine } = await talked({ id: 'chat', storage })
    failures = 2
    engine.setMessages((messages) => [older('a'), ...messages.slice(1)])
    await engine.sendMessage('third')
    engine.setMessages((messages) => [older('b'), ...messages])
    failures = 0
    engine.dispose()
    expect(await stored(disk)).toEqual(['older b', 'older a', 'one', 'second', 'two', 'third'])
  })
})
