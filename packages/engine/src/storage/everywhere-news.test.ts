import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createToolEngine, type ToolEngine } from '../../test/tool-engine.ts'
import { answer, callTools, untilState } from '../testing/index.ts'
import { defineStorage } from './define-storage.ts'
import { memoryStorage, type MemoryStorage } from './memory-storage.ts'
import { storedConversations } from './stored-conversations.ts'

const opened: ToolEngine[] = []

afterEach(() => {
  for (const { engine } of opened.splice(0)) engine.dispose()
})

const write = (path: string) => ({ toolCallId: path, toolName: 'write', input: { path } })

function open(disk: MemoryStorage, id: string, script: Parameters<typeof createToolEngine>[0]) {
  const effects: string[] = []
  const made = createToolEngine(
    script,
    {
      tools: {
        write: {
          inputSchema: z.object({ path: z.string() }),
          execute: ({ path }: { path: string }) => effects.push(path),
        },
      },
      toolApproval: { write: 'user-approval' },
    },
    { id, storage: defineStorage(disk) },
  )
  opened.push(made)
  return { ...made, effects }
}

/** Two conversations that are open at once, of which one waits and the other allows everywhere. */
async function openTwo(disk: MemoryStorage) {
  const waiting = open(disk, 'waiting', [
    callTools(write('a')),
    answer('done'),
    callTools(write('c')),
  ])
  const other = open(disk, 'other', [callTools(write('b')), answer('done')])
  await waiting.engine.sendMessage('go')
  await other.engine.sendMessage('go')
  await other.resume({
    toolCallId: 'b',
    outcome: 'yes_always',
    scope: { covers: 'tool', where: 'everywhere' },
  })
  await other.completed()
  return { waiting, other }
}

describe('what is allowed everywhere', () => {
  it('settles what waits in a conversation that is open, and is not stored again by that', async () => {
    const disk = memoryStorage()
    const { waiting } = await openTwo(disk)
    await waiting.completed()
    expect(waiting.effects).toEqual(['a'])
    expect(waiting.engine.getState().confirmations).toMatchObject([
      { conversationId: 'other', outcome: 'yes_always', scope: { covers: 'tool' } },
      { conversationId: 'waiting', event: 'used' },
    ])
    await new Promise((resolve) => void setTimeout(resolve))
    const keys = [...(await disk.read('conversation/waiting')).keys()]
    expect(keys.filter((key) => key.startsWith('confirmation/'))).toHaveLength(1)
  })

  it('is taken back there, too, whoever takes it back', async () => {
    const disk = memoryStorage()
    const { waiting } = await openTwo(disk)
    await waiting.completed()
    const conversations = storedConversations(disk)
    // Its first use may be of the same millisecond.
    const policy = (await conversations.everywhere()).find((record) => 'outcome' in record)
    await conversations.revokeEverywhere(policy!.id)
    await untilState(waiting.engine, ({ confirmations }) => confirmations.length === 3)
    expect(await waiting.engine.sendMessage('again')).toMatchObject({ requestState: 'paused' })
    expect(waiting.effects).toEqual(['a'])
  })

  it('says nothing to a conversation that is closed, nor to another store', async () => {
    const disk = memoryStorage()
    const elsewhere = open(memoryStorage(), 'elsewhere', [callTools(write('z'))])
    await elsewhere.engine.sendMessage('go')
    const closed = open(disk, 'closed', [callTools(write('y'))])
    await closed.engine.sendMessage('go')
    closed.engine.dispose()
    const { waiting } = await openTwo(disk)
    await waiting.completed()
    expect([...elsewhere.effects, ...closed.effects]).toEqual([])
    expect(elsewhere.engine.getState().requestState).toBe('paused')
  })

  it('is heard of from a store that watches what other processes write', async () => {
    const disk = memoryStorage()
    const watching = new Map<string, Set<() => void>>()
    /** The store as one process sees it. */
    const seen = (): MemoryStorage => ({
      ...disk,
      watch: (namespace, onChange) => {
        const listeners = watching.get(namespace) ?? new Set()
        watching.set(namespace, listeners.add(onChange))
        return () => listeners.delete(onChange)
      },
    })
    const waiting = open(seen(), 'waiting', [callTools(write('a')), answer('done')])
    const other = open(seen(), 'other', [callTools(write('b')), answer('done')])
    await waiting.engine.sendMessage('go')
    await other.engine.sendMessage('go')
    await other.resume({
      toolCallId: 'b',
      outcome: 'yes_always',
      scope: { covers: 'tool', where: 'everywhere' },
    })
    await other.completed()
    expect(waiting.effects).toEqual([])
    for (const listener of watching.get('everywhere')!) listener()
    await waiting.completed()
    expect(waiting.effects).toEqual(['a'])
    for (const { engine } of [waiting, other]) engine.dispose()
    expect([...watching]).toEqual([['everywhere', new Set()]])
  })

  it('that cannot be read is told, and no more', async () => {
    const disk = memoryStorage()
    let isGone = false
    const failing: MemoryStorage = {
      ...disk,
      read: (namespace) =>
        isGone && namespace === 'everywhere'
          ? Promise.reject(new Error('gone'))
          : disk.read(namespace),
    }
    const waiting = open(failing, 'waiting', [callTools(write('a'))])
    const other = open(failing, 'other', [callTools(write('b')), answer('done')])
    await waiting.engine.sendMessage('go')
    await other.engine.sendMessage('go')
    isGone = true
    await other.resume({
      toolCallId: 'b',
      outcome: 'yes_always',
      scope: { covers: 'tool', where: 'everywhere' },
    })
    await other.completed()
    expect(waiting.errors).toMatchObject([{ code: 'storage_failed' }])
    expect(waiting.engine.getState().requestState).toBe('paused')
  })
})
