import type { JSONValue } from 'ai'
import { describe, expect, it } from 'vitest'
import { createToolEngine } from '../../test/tool-engine.ts'
import { answer, callTools, untilState } from '../testing/index.ts'
import { defineStorage } from './define-storage.ts'
import { idleState } from '../../test/storage/idle-state.ts'
import type { QueuedMessage } from '../state.ts'
import { keepConversation } from './keep-conversation.ts'
import { memoryStorage, type MemoryStorage } from './memory-storage.ts'
import type { ConversationStorage } from './storage.ts'

describe('what is written of a conversation', () => {
  it('is not held up by the next write of a stream that has ended', async () => {
    const disk = memoryStorage()
    const { engine } = createToolEngine(
      [callTools({ toolCallId: '1', toolName: 'look', input: {} })],
      { tools: {}, callTool: () => 'seen', toolApproval: () => new Promise(() => undefined) },
      { id: 'chat', storage: defineStorage(disk) },
    )
    void engine.sendMessage('a')
    await untilState(engine, ({ processingState }) => processingState === 'calling-tools')
    await new Promise((resolve) => void setTimeout(resolve))
    expect(disk.snapshot().get('conversation/chat')?.get('turn')).toMatchObject({
      processingState: 'calling-tools',
    })
  })

  it.each([true, false])(
    'has the messages in their order when a write fails that took effect: %s',
    async (isWritten) => {
      const disk = memoryStorage()
      const failing = failsOnce(disk, isWritten)
      const { engine, errors } = open(failing, [answer('one')])
      await engine.sendMessage('a')
      expect(errors).toMatchObject([{ code: 'storage_failed' }])
      const again = open(disk, [])
      await again.engine.ready
      expect(again.engine.getState().messages).toEqual(engine.getState().messages)
    },
  )

  it('drops again what a write stored that was said to have failed', async () => {
    const disk = memoryStorage()
    const { engine } = open(disk, [])
    await engine.ready
    const failing = failsOnce(disk, true)
    const other = open(failing, [answer('one'), answer('two')])
    await other.engine.sendMessage('a')
    await other.engine.regenerate()
    const again = open(disk, [])
    await again.engine.ready
    expect(again.engine.getState().messages).toEqual(other.engine.getState().messages)
  })

  it('is read without the messages that are none', async () => {
    const disk = memoryStorage()
    const { engine } = open(disk, [answer('one')])
    await engine.sendMessage('a')
    const [user] = engine.getState().messages
    const head = { role: 'user', partCount: 1 }
    const put = new Map<string, JSONValue>([
      ['message/00000007', { ...head, id: user?.id ?? '' }],
      ['message/00000007/0', { type: 'text', text: 'twice' }],
      ['message/00000008', { ...head, id: '' }],
      ['message/00000008/0', { type: 'text', text: 'without an id' }],
      ['message/00000009', { ...head, id: 'x' }],
      ['message/00000009/0', { text: 'no part' }],
    ])
    await disk.write('conversation/chat', { put })
    const again = open(disk, [answer('two')])
    await again.engine.ready
    expect(again.engine.getState().messages).toEqual(engine.getState().messages)
    await again.engine.sendMessage('b')
    expect(again.engine.getState().requestState).toBe('completed')
  })

  it('lasts once it was saved, also when a write that need not last came first', async () => {
    const disk = memoryStorage()
    const isStrict: boolean[] = []
    const held = Promise.withResolvers<void>()
    const storage: ConversationStorage = {
      ...disk,
      async write(namespace, changes, options) {
        isStrict.push(options?.durability === 'strict')
        if (isStrict.length === 1) await held.promise
        return disk.write(namespace, changes)
      },
    }
    let queue: QueuedMessage[] = []
    const kept = keepConversation(storage, {
      conversationId: 'chat',
      getState: () => idleState({ queue }),
      getMessage: () => undefined,
      now: Date.now,
      report: () => undefined,
    })
    const timersFired = () => new Promise((resolve) => void setTimeout(resolve))
    const change = async () => {
      const id = String(queue.length)
      queue = [...queue, { id, message: { id, role: 'user', parts: [] }, held: true }]
      kept.changed()
      await timersFired()
    }
    await kept.restore()
    await change()
    // The next write is due, and takes what the save is for, too.
    await change()
    const saving = kept.save()
    held.resolve()
    expect(await saving).toBe('stored')
    expect(isStrict).toEqual([false, true])
    await change()
    expect(isStrict).toEqual([false, true, false])
    expect(await kept.save()).toBe('stored')
    expect(isStrict).toEqual([false, true, false, true])
    expect(await kept.save()).toBe('stored')
    expect(isStrict).toHaveLength(4)
  })
})

function open(disk: ConversationStorage, script: Parameters<typeof createToolEngine>[0]) {
  return createToolEngine(script, {}, { id: 'chat', storage: defineStorage(disk) })
}

/** Its first write fails, whether it took effect or not. */
function failsOnce(disk: MemoryStorage, isWritten: boolean): ConversationStorage {
  let writes = 0
  return {
    ...disk,
    async write(...call) {
      writes++
      const result = writes > 1 || isWritten ? await disk.write(...call) : {}
      if (writes === 1) throw new Error('The disk does not answer.')
      return result
    },
  }
}
