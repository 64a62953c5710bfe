import type { UIMessage } from 'ai'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createToolEngine } from '../../test/tool-engine.ts'
import type { EngineError } from '../errors.ts'
import { textOf } from '../message/message-input.ts'
import { answer, callTools } from '../testing/index.ts'
import { KEYS, namespaceOf } from './conversation-records.ts'
import { defineStorage } from './define-storage.ts'
import { memoryStorage, type MemoryStorage } from './memory-storage.ts'
import type { ConversationStorage } from './storage.ts'
import { storedConversations } from './stored-conversations.ts'

const said = ({ messages }: { messages: readonly UIMessage[] }) => messages.map(textOf)
const texts = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => [`q${from + index}`, `a${from + index}`]).flat()

/** A disk with a conversation of so many turns. */
async function diskOf(turns: number): Promise<MemoryStorage> {
  const disk = memoryStorage()
  const script = Array.from({ length: turns }, (_, turn) => answer(`a${turn}`))
  const { engine } = createToolEngine(script, {}, { id: 'chat', storage: defineStorage(disk) })
  for (let turn = 0; turn < turns; turn++) await engine.sendMessage(`q${turn}`)
  engine.dispose()
  return disk
}

type Script = Parameters<typeof createToolEngine>[0]

async function open(disk: ConversationStorage, script: Script = [], pageSize = 4) {
  const storage = defineStorage(disk, { pageSize })
  const made = createToolEngine(script, { tools: {} }, { id: 'chat', storage })
  await made.engine.ready
  return made
}

const summaryIn = (disk: ConversationStorage) => storedConversations(disk).get('chat')

describe('a conversation that is restored by pages', () => {
  it('shows the last turns first and the others when they are asked for', async () => {
    const { engine, errors } = await open(await diskOf(8))
    expect(said(engine.getState())).toEqual(texts(6, 8))
    expect(engine.getState().earlier).toEqual({ count: 12, title: 'q0' })
    await engine.loadEarlier()
    expect(said(engine.getState())).toEqual(texts(4, 8))
    expect(engine.getState().earlier).toEqual({ count: 8, title: 'q0' })
    while (engine.getState().earlier) await engine.loadEarlier()
    expect(said(engine.getState())).toEqual(texts(0, 8))
    expect(engine.getState().earlier).toBeUndefined()
    await engine.loadEarlier()
    expect(said(engine.getState())).toEqual(texts(0, 8))
    expect(errors).toEqual([])
  })

  it('begins at the beginning of a turn', async () => {
    const { engine } = await open(await diskOf(6), [], 3)
    expect(said(engine.getState())).toEqual(texts(4, 6))
  })

  it('reads all of a conversation that is short', async () => {
    const { engine } = await open(await diskOf(2))
    expect(said(engine.getState())).toEqual(texts(0, 2))
    expect(engine.getState().earlier).toBeUndefined()
  })

  it('sends all messages, and stores what follows as if all had been there', async () => {
    const disk = await diskOf(6)
    const { engine, transport } = await open(disk, [answer('a6')])
    await engine.sendMessage('q6')
    expect(transport.requests[0]?.messages.map(textOf)).toEqual([...texts(0, 6), 'q6'])
    expect(said(engine.getState())).toEqual(texts(0, 7))
    engine.dispose()
    const whole = await open(disk, [], 100)
    expect(said(whole.engine.getState())).toEqual(texts(0, 7))
    expect(await summaryIn(disk)).toMatchObject({ title: 'q0', messageCount: 14 })
  })

  it('sends one message after the other when both are sent at once', async () => {
    const { engine, transport } = await open(await diskOf(6), [answer('a6'), answer('a7')])
    const both = [engine.sendMessage('q6'), engine.sendMessage('q7')]
    await Promise.all(both)
    expect(transport.requests[0]?.messages.map(textOf)).toEqual([...texts(0, 6), 'q6'])
    expect(said(engine.getState())).toEqual(texts(0, 8))
  })

  it('keeps what a list shows, and the way to the first message, when something else is stored', async () => {
    const disk = await diskOf(6)
    const { engine } = await open(disk)
    engine.setDraft('composer', 'begun')
    await engine.stopAll()
    engine.dispose()
    expect(await summaryIn(disk)).toMatchObject({ title: 'q0', messageCount: 12 })
    const whole = await open(disk, [], 100)
    expect(said(whole.engine.getState())).toEqual(texts(0, 6))
  })

  it('answers anew from an early message on', async () => {
    const disk = await diskOf(6)
    const { engine } = await open(disk, [answer('other')])
    const first = (await storedConversations(disk).export('chat')).messages[0]
    await engine.regenerate({ messageId: first?.id ?? '' })
    expect(said(engine.getState())).toEqual(['q0', 'other'])
    engine.dispose()
    const whole = await open(disk)
    expect(said(whole.engine.getState())).toEqual(['q0', 'other'])
  })

  it('refuses a message whose id an early one has', async () => {
    const disk = await diskOf(6)
    const { engine, transport } = await open(disk, [answer('no')])
    const first = (await storedConversations(disk).export('chat')).messages[0]
    if (!first) throw new Error('The conversation has a first message.')
    const outcome = await engine.sendMessage({ ...first, parts: [{ type: 'text', text: 'x' }] })
    expect(outcome.error?.code).toBe('invalid_argument')
    expect(transport.requests).toEqual([])
  })

  it('does not put other messages in place before all were read', async () => {
    const { engine } = await open(await diskOf(6))
    expect(() => engine.setMessages([])).toThrow(/earlier messages were not read/)
    while (engine.getState().earlier) await engine.loadEarlier()
    engine.setMessages([])
    expect(engine.getState().messages).toEqual([])
  })

  it('reads all at once when a call waits for a person', async () => {
    const disk = await diskOf(6)
    const storage = defineStorage(disk)
    const tools = {
      tools: { ask: { inputSchema: z.object({}), execute: () => 'done' } },
      toolApproval: { ask: 'user-approval' as const },
    }
    const call = { toolCallId: '1', toolName: 'ask', input: {} }
    const first = createToolEngine([callTools(call)], tools, { id: 'chat', storage })
    await first.engine.sendMessage('q6')
    const again = defineStorage(memoryStorage(disk.snapshot()), { pageSize: 4 })
    const second = createToolEngine([answer('a6')], tools, { id: 'chat', storage: again })
    await second.engine.ready
    expect(second.engine.getState().requestState).toBe('paused')
    expect(said(second.engine.getState())).toEqual([...texts(0, 6), 'q6', ''])
    expect(second.engine.getState().earlier).toBeUndefined()
  })

  it('sends nothing when the earlier messages cannot be read, and does when they can', async () => {
    const disk = await diskOf(6)
    let isBroken = false
    const storage: ConversationStorage = {
      ...disk,
      read: async (namespace, range) => {
        if (isBroken && range?.prefix === KEYS.messages) throw new Error('gone')
        return disk.read(namespace, range)
      },
    }
    const { engine, transport, errors } = await open(storage, [answer('a6')])
    isBroken = true
    const outcome = await engine.sendMessage('q6')
    expect(outcome.error?.code).toBe('storage_failed')
    expect(transport.requests).toEqual([])
    expect(said(engine.getState())).toEqual(texts(4, 6))
    expect(errors.map(({ code }: EngineError) => code)).toContain('storage_failed')
    isBroken = false
    await engine.sendMessage('q6')
    expect(said(engine.getState())).toEqual(texts(0, 7))
  })

  it('shows what somebody else has stored instead of pages of two moments', async () => {
    const disk = await diskOf(6)
    const { engine, errors } = await open(disk)
    const other = await open(disk, [answer('a6')])
    await other.engine.sendMessage('q6')
    await engine.loadEarlier()
    while (engine.getState().earlier) await engine.loadEarlier()
    expect(said(engine.getState())).toEqual(texts(0, 7))
    expect(errors.map(({ code }) => code)).toContain('taken_over')
  })

  it('reads all when the conversation becomes another one while it is read', async () => {
    const disk = await diskOf(6)
    let reads = 0
    const storage: ConversationStorage = {
      ...disk,
      read: async (namespace, range) => {
        const records = await disk.read(namespace, range)
        if (range?.prefix === KEYS.messages && ++reads === 1) {
          const other = createToolEngine(
            [answer('a6')],
            {},
            {
              id: 'chat',
              storage: defineStorage(disk),
            },
          )
          await other.engine.sendMessage('q6')
          other.engine.dispose()
        }
        return records
      },
    }
    const { engine } = await open(storage)
    expect(said(engine.getState())).toEqual(texts(0, 7))
  })

  it('stops waiting for the earlier messages at an abort, and sends nothing', async () => {
    const { engine, transport } = await open(await diskOf(6), [answer('a6')])
    const sending = engine.sendMessage('q6')
    await engine.abort()
    expect((await sending).error?.code).toBe('removed')
    expect(transport.requests).toEqual([])
  })

  it('keeps a draft that is about an early message', async () => {
    const disk = await diskOf(6)
    const first = (await storedConversations(disk).export('chat')).messages[0]?.id ?? ''
    const writer = await open(disk, [], 100)
    writer.engine.setDraft('edit', 'other words', { messageId: first })
    await writer.engine.stopAll()
    writer.engine.dispose()
    const { engine } = await open(disk)
    expect(engine.getState().drafts).toMatchObject([{ key: 'edit' }])
  })

  it.each([1, 2, 3, 4, 5, 7])(
    'reads only the records of about %i last messages',
    async (pageSize) => {
      const disk = await diskOf(60)
      let keys = 0
      const storage: ConversationStorage = {
        ...disk,
        read: async (namespace, range) => {
          const records = await disk.read(namespace, range)
          if (namespace === namespaceOf('chat')) keys += records.size
          return records
        },
      }
      await open(storage, [], pageSize)
      const all = await disk.read(namespaceOf('chat'))
      expect(keys).toBeLessThan(50)
      expect(all.size).toBeGreaterThan(240)
    },
  )
})
