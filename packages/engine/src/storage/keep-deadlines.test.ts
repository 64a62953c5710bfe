import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { idleState } from '../../test/storage/idle-state.ts'
import type { EngineError } from '../errors.ts'
import { keepConversation } from './keep-conversation.ts'
import { memoryStorage } from './memory-storage.ts'
import type { ConversationStorage } from './storage.ts'

beforeEach(() => {
  vi.useFakeTimers()
})

afterEach(() => {
  vi.useRealTimers()
})

function keep(storage: ConversationStorage) {
  const errors: EngineError[] = []
  const state = idleState({ drafts: [{ key: 'composer', value: 'kept' }] })
  const persistence = keepConversation(storage, {
    conversationId: 'chat',
    getState: () => state,
    getMessage: () => undefined,
    now: () => 0,
    report: (error) => errors.push(error),
  })
  return { persistence, errors }
}

const never = () => new Promise<never>(() => undefined)

describe('a store that does not answer', () => {
  it('is an error after its deadline when it is read, and nothing is written over', async () => {
    const disk = memoryStorage()
    const { persistence, errors } = keep({ ...disk, read: never })
    const restored = persistence.restore()
    await vi.advanceTimersByTimeAsync(9_999)
    expect(errors).toEqual([])
    await vi.advanceTimersByTimeAsync(1)
    expect(await restored).toBeUndefined()
    expect(errors.map(({ code }) => code)).toEqual(['storage_failed'])
    persistence.changed(undefined, true)
    expect(await persistence.save()).toBe('failed')
    expect(disk.snapshot()).toEqual(new Map())
  })

  it('is reported after its deadline when it is written, and is tried again', async () => {
    const disk = memoryStorage()
    let isStuck = true
    const { persistence, errors } = keep({
      ...disk,
      write: (...call) => (isStuck ? never() : disk.write(...call)),
    })
    await persistence.restore()
    persistence.changed(undefined, true)
    const saved = persistence.save()
    await vi.advanceTimersByTimeAsync(10_000)
    expect(await saved).toBe('failed')
    expect(errors.map(({ code }) => code)).toEqual(['storage_failed'])
    isStuck = false
    await vi.advanceTimersByTimeAsync(1_000)
    expect(disk.snapshot().get('conversation/chat')?.get('draft/composer')).toEqual({
      value: 'kept',
    })
    expect(vi.getTimerCount()).toBe(0)
  })
})
