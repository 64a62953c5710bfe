import type { UIMessage } from 'ai'
import { describe, expect, it, vi } from 'vitest'
import { idleState } from '../../test/storage/idle-state.ts'
import type { EngineError } from '../errors.ts'
import type { Persistence } from '../persistence.ts'
import { keepConversation } from './keep-conversation.ts'
import { memoryStorage, type MemoryStorage } from './memory-storage.ts'
import type { ConversationStorage } from './storage.ts'

const NAMESPACE = 'conversation/chat'

/** A conversation of these messages, kept in a store. */
function keep(
  storage: ConversationStorage,
  first: readonly UIMessage[] = [],
  requestState: 'aborted' | 'processing' = 'aborted',
) {
  const errors: EngineError[] = []
  const taken = vi.fn<() => void>()
  let messages = first
  const state = () => idleState({ requestState, messages })
  const persistence: Persistence = keepConversation(
    storage,
    {
      conversationId: 'chat',
      getState: state,
      getMessage: (id) => messages.find((message) => message.id === id),
      now: () => 0,
      onTaken: taken,
      report: (error) => errors.push(error),
    },
    { retryMs: 60_000 },
  )
  return {
    persistence,
    errors,
    taken,
    change(next: readonly UIMessage[]): void {
      const ids = new Set([...messages, ...next].map(({ id }) => id))
      messages = next
      for (const id of ids) persistence.changed(id)
      persistence.changed()
    },
  }
}

function answer(...toolCallIds: string[]): UIMessage {
  const parts = toolCallIds.map((toolCallId) => ({
    type: 'tool-write' as const,
    toolCallId,
    state: 'input-available' as const,
    input: {},
  }))
  return { id: 'answer', role: 'assistant', parts: [{ type: 'step-start' }, ...parts] }
}

/** The name of the last write, as the store has it. */
const lastWriteIn = (disk: MemoryStorage) => disk.snapshot().get(NAMESPACE)?.get('last-write')

describe('of all who keep a conversation', () => {
  it('one goes on with what it is: the other stores nothing until it has read that', async () => {
    const disk = memoryStorage()
    const first = keep(disk)
    const second = keep(disk)
    await Promise.all([first.persistence.restore(), second.persistence.restore()])
    first.change([answer('1')])
    second.change([answer('1', '2')])
    expect(await first.persistence.save()).toBe('stored')
    const stored = disk.snapshot()
    expect(await second.persistence.save()).toBe('taken')
    expect(await second.persistence.save()).toBe('taken')
    expect(disk.snapshot()).toEqual(stored)
    expect(second.taken).toHaveBeenCalledOnce()
    const found = await second.persistence.restore()
    expect(found?.messages.map(({ parts }) => parts.length)).toEqual([2])
    second.change([answer('1', '2')])
    expect(await second.persistence.save()).toBe('stored')
    first.change([answer('3')])
    expect(await first.persistence.save()).toBe('taken')
    expect([first.errors, second.errors]).toEqual([[], []])
  })

  it('who only looks at it writes nothing', async () => {
    const disk = memoryStorage()
    const first = keep(disk)
    await first.persistence.restore()
    first.change([answer('1')])
    await first.persistence.save()
    const stored = disk.snapshot()
    const second = keep(disk, [answer('1')])
    await second.persistence.restore()
    second.persistence.changed()
    await second.persistence.save()
    expect(disk.snapshot()).toEqual(stored)
    first.change([answer('1', '2')])
    expect(await first.persistence.save()).toBe('stored')
  })

  it('who finds it gone goes on with nothing', async () => {
    const disk = memoryStorage()
    const { persistence, change } = keep(disk)
    await persistence.restore()
    change([answer('1')])
    await persistence.save()
    await disk.remove(NAMESPACE)
    change([answer('1', '2')])
    expect(await persistence.save()).toBe('taken')
    expect(await persistence.restore()).toMatchObject({ messages: [], queue: [] })
    expect(disk.snapshot().size).toBe(0)
  })

  it.each([true, false])(
    'a write that failed takes it from nobody (it was made: %s)',
    async (isWritten) => {
      const disk = memoryStorage()
      let isBroken = true
      const { persistence, change, errors } = keep({
        ...disk,
        async write(namespace, changes, options) {
          const result = !isBroken || isWritten ? await disk.write(namespace, changes, options) : {}
          if (isBroken) throw new Error('The disk does not answer.')
          return result
        },
      })
      await persistence.restore()
      change([answer('1')])
      expect(await persistence.save()).toBe('failed')
      expect(errors.map(({ code }) => code)).toEqual(['storage_failed'])
      isBroken = false
      expect(await persistence.save()).toBe('stored')
      expect(lastWriteIn(disk)).toEqual(expect.any(String))
    },
  )

  it('a record that names nobody is not gone on with', async () => {
    const disk = memoryStorage()
    await disk.write(NAMESPACE, { put: new Map([['last-write', { id: 'x' }]]) })
    const { persistence, change } = keep(disk)
    await persistence.restore()
    change([answer('1')])
    expect(await persistence.save()).toBe('taken')
  })

  it('nothing counts as stored in a store that does not know of claims', async () => {
    const disk = memoryStorage()
    const { persistence, change, errors } = keep({
      ...disk,
      write: (namespace, { claim: _claim, ...changes }) => disk.write(namespace, changes),
    })
    await persistence.restore()
    change([answer('1')])
    expect(await persistence.save()).toBe('failed')
    expect(errors.map(({ code }) => code)).toEqual(['storage_failed'])
  })

  it('a draft is stored whoever has it', async () => {
    const disk = memoryStorage()
    const first = keep(disk)
    const second = keep(disk)
    await Promise.all([first.persistence.restore(), second.persistence.restore()])
    first.change([answer('1')])
    await first.persistence.save()
    second.persistence.changed(undefined, true)
    await vi.waitFor(() => expect(disk.snapshot().get(NAMESPACE)?.has('last-write')).toBe(true))
    expect(second.taken).not.toHaveBeenCalled()
  })
})

describe('a conversation that somebody is at work on', () => {
  it('is told of to who opens it meanwhile, who waits for its end', async () => {
    const disk = memoryStorage()
    const first = keep(disk, [], 'processing')
    await first.persistence.restore()
    first.change([answer('1')])
    await first.persistence.save()
    const second = keep(disk)
    expect(await second.persistence.restore()).toMatchObject({ isElsewhere: true })
    // Nothing is written over what is being done.
    second.change([answer('2')])
    expect(await second.persistence.save()).toBe('taken')
    expect(second.taken).toHaveBeenCalledOnce()
    first.change([answer('1', '2')])
    expect(await first.persistence.save()).toBe('stored')
    await first.persistence.close()
    expect(await keep(disk).persistence.restore()).not.toHaveProperty('isElsewhere')
  })
})
