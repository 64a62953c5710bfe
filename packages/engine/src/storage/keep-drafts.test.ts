import { afterEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { createToolEngine } from '../../test/tool-engine.ts'
import type { Persistence } from '../persistence.ts'
import { answer, callTools } from '../testing/index.ts'
import { defineStorage } from './define-storage.ts'
import { memoryStorage, type MemoryStorage } from './memory-storage.ts'
import { storedConversations } from './stored-conversations.ts'

type Script = Parameters<typeof createToolEngine>[0]

const tools = {
  tools: { write: { inputSchema: z.object({}), execute: () => 'done' } },
  toolApproval: { write: 'user-approval' },
} as const
const write = { toolCallId: '1', toolName: 'write', input: {} }

function open(disk: MemoryStorage, script: Script = [], now = 1) {
  const storage = defineStorage(disk)
  let persistence: Persistence | undefined
  const made = createToolEngine(script, tools, {
    id: 'chat',
    storage: { open: (host) => (persistence = storage.open(host)) as never },
    now: () => now,
  })
  return { ...made, persistence: persistence as Persistence | undefined }
}

/** What a crash after the next write leaves. */
async function crashed(disk: MemoryStorage): Promise<MemoryStorage> {
  await vi.advanceTimersByTimeAsync(0)
  return memoryStorage(disk.snapshot())
}

afterEach(() => void vi.useRealTimers())

describe('drafts that are kept', () => {
  it('are there again when the conversation is, after a crash', async () => {
    vi.useFakeTimers()
    const disk = memoryStorage()
    const first = open(disk, [callTools([write])])
    await first.engine.sendMessage('go')
    const messageId = first.engine.getState().messages.at(-1)!.id
    first.engine.setDraft('composer', 'and then')
    first.engine.setDraft('a/b', { path: 'b' }, { messageId, toolCallId: '1' })
    const again = await crashed(disk)
    const second = open(again, [answer('done')])
    await second.engine.ready
    expect(second.engine.getState().drafts).toHaveLength(2)
    expect(second.engine.getState().drafts).toEqual(
      expect.arrayContaining(first.engine.getState().drafts as never),
    )
    await second.resume({ toolCallId: '1' })
    expect(second.engine.getState().drafts).toMatchObject([{ key: 'composer' }])
    await second.completed()
    const third = open(await crashed(again))
    await third.engine.ready
    expect(third.engine.getState().drafts).toEqual([{ key: 'composer', value: 'and then' }])
  })

  it('are gone from the store when they are dropped', async () => {
    vi.useFakeTimers()
    const disk = memoryStorage()
    const { engine } = open(disk, [answer('one')])
    await engine.sendMessage('go')
    engine.setDraft('composer', 'and then')
    const keys = async () => [...(await (await crashed(disk)).read('conversation/chat')).keys()]
    expect(await keys()).toContain('draft/composer')
    engine.setDraft('composer', undefined)
    expect(await keys()).not.toContain('draft/composer')
  })

  it('of the very tick in which the engine ends are stored', async () => {
    const disk = memoryStorage()
    const first = open(disk)
    await first.engine.ready
    first.engine.dispose()
    first.engine.setDraft('composer', 'last words')
    const second = open(disk)
    await second.engine.ready
    expect(second.engine.getState().drafts).toEqual([{ key: 'composer', value: 'last words' }])
  })

  it('are no news of the conversation: its place in a list stays', async () => {
    vi.useFakeTimers()
    const disk = memoryStorage()
    const first = open(disk, [answer('one')])
    await first.engine.sendMessage('go')
    first.engine.dispose()
    const again = await crashed(disk)
    const second = open(again, [], 2)
    await second.engine.ready
    const updatedAt = async () => {
      const [listing] = await storedConversations(await crashed(again)).list()
      return listing?.updatedAt
    }
    second.engine.setDraft('composer', 'and then')
    expect(await updatedAt()).toBe(1)
    // What a crash of the machine could undo is made to last.
    await second.persistence?.save()
    expect(await updatedAt()).toBe(1)
    second.engine.setDraft('composer', undefined)
    expect(await updatedAt()).toBe(1)
  })

  it('make a new conversation one that a list can find, and leave nothing behind', async () => {
    vi.useFakeTimers()
    const disk = memoryStorage()
    const { engine } = open(disk)
    await engine.ready
    engine.setDraft('composer', 'begun')
    expect(await storedConversations(await crashed(disk)).list()).toMatchObject([
      { id: 'chat', title: '', messageCount: 0 },
    ])
    engine.setDraft('composer', undefined)
    expect((await (await crashed(disk)).read('conversation/chat')).size).toBe(0)
  })

  it('begun before what was kept is known are newer than that', async () => {
    vi.useFakeTimers()
    const disk = memoryStorage()
    const first = open(disk)
    await first.engine.ready
    first.engine.setDraft('composer', 'old')
    first.engine.setDraft('other', 'kept')
    const second = open(await crashed(disk))
    second.engine.setDraft('composer', 'new')
    await second.engine.ready
    expect(second.engine.getState().drafts).toEqual([
      { key: 'other', value: 'kept' },
      { key: 'composer', value: 'new' },
    ])
  })

  it('are not in a file that is exported', async () => {
    vi.useFakeTimers()
    const disk = memoryStorage()
    const { engine } = open(disk, [answer('one')])
    await engine.sendMessage('go')
    engine.setDraft('composer', 'private')
    const file = await storedConversations(await crashed(disk)).export('chat')
    expect(JSON.stringify(file)).not.toContain('private')
  })

  it('alone do not stand in the way of what a conversation begins with', async () => {
    vi.useFakeTimers()
    const disk = memoryStorage()
    const first = open(disk)
    await first.engine.ready
    first.engine.setDraft('composer', 'begun')
    const greeting = { id: 'g', role: 'assistant', parts: [{ type: 'text', text: 'Hi' }] } as const
    const second = createToolEngine([], tools, {
      id: 'chat',
      storage: defineStorage(await crashed(disk)),
      messages: [{ ...greeting, parts: [...greeting.parts] }],
    })
    await second.engine.ready
    expect(second.engine.getState()).toMatchObject({
      messages: [{ id: 'g' }],
      drafts: [{ value: 'begun' }],
    })
  })
})
