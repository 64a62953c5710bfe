import type { UIMessage } from 'ai'
import type { EngineError } from '../../src/errors.ts'
import { keepConversation } from '../../src/storage/keep-conversation.ts'
import { memoryStorage, type MemoryStorage } from '../../src/storage/memory-storage.ts'
import type { ConversationStorage } from '../../src/storage/storage.ts'
import { idleState } from './idle-state.ts'

export const NAMESPACE = 'conversation/chat'

export type Part = UIMessage['parts'][number]

/** A conversation whose messages are what the test says. */
export function keep(storage: ConversationStorage) {
  const errors: EngineError[] = []
  let state = idleState()
  const kept = keepConversation(
    storage,
    {
      conversationId: 'chat',
      getState: () => state,
      getMessage: (id) => state.messages.find((message) => message.id === id),
      now: () => 0,
      report: (error) => errors.push(error),
    },
    { retryMs: 1e9, streamingMs: 1e9 },
  )
  return {
    kept,
    errors,
    messages: () => state.messages,
    set(messages: readonly UIMessage[]) {
      const before = new Map(state.messages.map((message) => [message.id, message]))
      const ids = messages.map(({ id }) => id)
      const isSame = ids.join() === state.messageIds.join()
      state = { ...state, messages, messageIds: isSame ? state.messageIds : ids }
      for (const message of messages) {
        if (before.get(message.id) !== message) kept.changed(message.id)
        before.delete(message.id)
      }
      for (const id of before.keys()) kept.changed(id)
      if (!isSame) kept.reordered()
    },
  }
}

export const text = (words: string, state?: 'streaming' | 'done'): Part => ({
  type: 'text',
  text: words,
  ...(state && { state }),
})
export const message = (id: string, ...parts: Part[]): UIMessage => ({
  id,
  role: 'assistant',
  parts,
})

export async function restored(disk: MemoryStorage): Promise<readonly UIMessage[] | undefined> {
  return (await keep(memoryStorage(disk.snapshot())).kept.restore())?.messages
}

export const keysOf = (disk: MemoryStorage) =>
  [...(disk.snapshot().get(NAMESPACE)?.keys() ?? [])].filter((key) => key.startsWith('message/'))

/** A store that counts what is written into it, in characters. */
export function counting(disk: MemoryStorage) {
  const sizes: number[] = []
  const storage: ConversationStorage = {
    ...disk,
    write(namespace, changes, options) {
      sizes.push(JSON.stringify([...(changes.put ?? [])]).length)
      return disk.write(namespace, changes, options)
    },
  }
  return { storage, sizes }
}
