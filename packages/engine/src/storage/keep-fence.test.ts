import { describe, expect, it, vi } from 'vitest'
import { idleState } from '../../test/storage/idle-state.ts'
import type { EngineError } from '../errors.ts'
import type { PersistenceHost } from '../persistence.ts'
import { keepConversation } from './keep-conversation.ts'
import { memoryStorage } from './memory-storage.ts'
import type { ConversationStorage } from './storage.ts'
import { storedConversations } from './stored-conversations.ts'

/** Keeps a conversation of one draft, as its holder. */
function hold(storage: ConversationStorage, token: PersistenceHost['token']) {
  const taken = vi.fn<() => void>()
  const reported: EngineError[] = []
  let text = ''
  const state = () => idleState({ drafts: [{ key: 'composer', value: text }] })
  const persistence = keepConversation(
    storage,
    {
      conversationId: 'chat',
      getState: state,
      getMessage: () => undefined,
      now: () => 0,
      ...(token !== undefined && { token }),
      onTaken: taken,
      report: (error) => reported.push(error),
    },
    { retryMs: 1 },
  )
  return {
    persistence,
    taken,
    reported,
    async write(next: string): Promise<boolean> {
      text = next
      persistence.changed(undefined, true)
      return (await persistence.save()) === 'stored'
    },
  }
}

const draftIn = async (storage: ConversationStorage) =>
  (await storage.read('conversation/chat')).get('draft/composer')

describe('the holder of a conversation', () => {
  it('writes nothing any more from the moment in which the next one reads', async () => {
    const disk = memoryStorage()
    const first = hold(disk, 'next')
    await first.persistence.restore()
    expect(await first.write('one')).toBe(true)
    const second = hold(disk, 'next')
    const restored = await second.persistence.restore()
    expect(restored?.drafts).toEqual([{ key: 'composer', value: 'one' }])
    expect(await first.write('late')).toBe(false)
    expect(await draftIn(disk)).toEqual({ value: 'one' })
    expect(first.taken).toHaveBeenCalledOnce()
    expect(await second.write('two')).toBe(true)
    expect(await first.write('later')).toBe(false)
    expect(await draftIn(disk)).toEqual({ value: 'two' })
    // It is no failure of the store, and is not tried again.
    expect(first.reported).toEqual([])
  })

  it('writes with the token of its lease', async () => {
    const disk = memoryStorage()
    const late = hold(disk, 7)
    const first = hold(disk, 6)
    await first.persistence.restore()
    expect(await first.write('six')).toBe(true)
    await late.persistence.restore()
    expect(await late.write('seven')).toBe(true)
    expect(await first.write('six again')).toBe(false)
    expect(await draftIn(disk)).toEqual({ value: 'seven' })
  })

  it('does not keep anybody from giving the conversation a title', async () => {
    const disk = memoryStorage()
    const first = hold(disk, 'next')
    await first.persistence.restore()
    await first.write('one')
    await storedConversations(disk).rename('chat', 'A title')
    expect(await first.write('two')).toBe(true)
  })
})
