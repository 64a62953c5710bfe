import type { UIMessage } from 'ai'
import { describe, expect, it } from 'vitest'
import { idleState } from '../../test/storage/idle-state.ts'
import type { EngineError } from '../errors.ts'
import { claimKeyOf } from '../message/tool-calls.ts'
import type { Persistence } from '../persistence.ts'
import { keepConversation } from './keep-conversation.ts'
import { memoryStorage, type MemoryStorage } from './memory-storage.ts'
import type { ConversationStorage } from './storage.ts'

const NAMESPACE = 'conversation/chat'

/** A conversation of these messages, kept in a store. */
function keep(storage: ConversationStorage, first: readonly UIMessage[] = []) {
  const errors: EngineError[] = []
  let messages = first
  const state = () =>
    idleState({ requestState: 'processing', processingState: 'calling-tools', messages })
  const persistence: Persistence = keepConversation(
    storage,
    {
      conversationId: 'chat',
      getState: state,
      getMessage: (id) => messages.find((message) => message.id === id),
      now: () => 0,
      report: (error) => errors.push(error),
    },
    { retryMs: 60_000 },
  )
  return {
    persistence,
    errors,
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

const callOf = (toolCallId: string) => claimKeyOf({ messageId: 'answer', step: 1, toolCallId })
const claimOf = (toolCallId: string, id: string): [key: string, id: string] => [
  callOf(toolCallId),
  id,
]

/** The claims in a store, by the call. */
function claimsIn(disk: MemoryStorage): [key: string, id: unknown][] {
  const records = disk.snapshot().get(NAMESPACE) ?? new Map<string, unknown>()
  return [...records].filter(([key]) => key.startsWith('claim:'))
}

describe('the claim of a call', () => {
  it('is stored with all that changed, durably', async () => {
    const disk = memoryStorage()
    const { persistence, change } = keep(disk)
    await persistence.restore()
    change([answer('1')])
    expect(await persistence.claim(...claimOf('1', 'x'))).toBe('claimed')
    expect(claimsIn(disk)).toEqual([[callOf('1'), 'x']])
    expect(disk.snapshot().get(NAMESPACE)?.get('message/00000000')).toMatchObject({ id: 'answer' })
  })

  it('is made anew by who made or read the one before', async () => {
    const disk = memoryStorage()
    const { persistence, change } = keep(disk)
    await persistence.restore()
    change([answer('1')])
    await persistence.claim(...claimOf('1', 'x'))
    expect(await persistence.claim(...claimOf('1', 'y'))).toBe('claimed')
    await persistence.close()
    const next = keep(disk, [answer('1')])
    await next.persistence.restore()
    expect(await next.persistence.claim(...claimOf('1', 'z'))).toBe('claimed')
    expect(claimsIn(disk)).toEqual([[callOf('1'), 'z']])
  })

  it('stores nothing when it is taken, nor anything later until it was read again', async () => {
    const disk = memoryStorage()
    const first = keep(disk)
    const second = keep(disk)
    await Promise.all([first.persistence.restore(), second.persistence.restore()])
    first.change([answer('1')])
    second.change([answer('1', '2')])
    expect(await first.persistence.claim(...claimOf('1', 'x'))).toBe('claimed')
    const stored = disk.snapshot()
    expect(await second.persistence.claim(...claimOf('1', 'y'))).toBe('taken')
    expect(await second.persistence.save()).toBe(false)
    expect(disk.snapshot()).toEqual(stored)
    const found = await second.persistence.restore()
    expect(found?.messages.map(({ parts }) => parts.length)).toEqual([2])
    second.change([answer('1')])
    expect(await second.persistence.save()).toBe(true)
    expect(await second.persistence.claim(...claimOf('1', 'y'))).toBe('claimed')
    expect([first.errors, second.errors]).toEqual([[], []])
  })

  it.each([true, false])(
    'fails with the store, is reported, and can be made after it (it was written: %s)',
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
      expect(await persistence.claim(...claimOf('1', 'x'))).toBe('failed')
      expect(errors.map(({ code }) => code)).toEqual(['storage_failed'])
      isBroken = false
      // Who was told that it failed has not acted on it: the claim may be there all the same.
      expect(await persistence.claim(...claimOf('1', 'y'))).toBe('claimed')
      expect(claimsIn(disk)).toEqual([[callOf('1'), 'y']])
    },
  )

  it('fails in a store that does not know of claims', async () => {
    const disk = memoryStorage()
    const { persistence, change, errors } = keep({
      ...disk,
      write: (namespace, { claim: _claim, ...changes }) => disk.write(namespace, changes),
    })
    await persistence.restore()
    change([answer('1')])
    expect(await persistence.claim(...claimOf('1', 'x'))).toBe('failed')
    expect(errors.map(({ code }) => code)).toEqual(['storage_failed'])
  })

  it('goes with its message, and with its call', async () => {
    const disk = memoryStorage()
    const { persistence, change } = keep(disk)
    await persistence.restore()
    change([answer('1', '2')])
    await persistence.claim(...claimOf('1', 'x'))
    await persistence.claim(...claimOf('2', 'y'))
    change([answer('2')])
    await persistence.save()
    expect(claimsIn(disk)).toEqual([[callOf('2'), 'y']])
    await persistence.close()
    const again = keep(disk, [answer('2')])
    await again.persistence.restore()
    again.change([])
    await again.persistence.save()
    expect(claimsIn(disk)).toEqual([])
  })
})
