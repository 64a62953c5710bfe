import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { defineStorage } from './define-storage.ts'
import type { ConversationHold } from './conversations.ts'
import { heldConversations, type ConversationLeases } from './held-conversations.ts'
import { memoryStorage } from './memory-storage.ts'

const LEASE_MS = 900

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** Conversations whose leases answer as a test says. */
function set(
  renew: ConversationLeases['renew'] = async () => true,
  release: ConversationLeases['release'] = async () => {},
) {
  const closing = new AbortController()
  const renewals = vi.fn(renew)
  const conversations = heldConversations({
    storage: defineStorage(memoryStorage()),
    closed: closing.signal,
    leases: {
      acquire: async () => ({ epoch: 1, isTakenOver: false }),
      renew: renewals,
      isHeld: async () => true,
      release,
    },
  })
  const hold = async (): Promise<ConversationHold> => {
    const held = await conversations.hold('c', { leaseMs: LEASE_MS })
    if (!held) throw new Error('It is held already.')
    return held
  }
  return { hold, renewals, close: () => closing.abort() }
}

describe('a hold', () => {
  it('is extended three times within its lease, until it is released', async () => {
    const { hold, renewals } = set()
    const held = await hold()
    await vi.advanceTimersByTimeAsync(10 * LEASE_MS)
    expect(renewals).toHaveBeenCalledTimes(30)
    expect(held.lost.aborted).toBe(false)
    await held.release()
    expect(vi.getTimerCount()).toBe(0)
  })

  it('is lost when it was not extended, since somebody else has it', async () => {
    const held = await set(async () => false).hold()
    await vi.advanceTimersByTimeAsync(LEASE_MS / 3)
    expect(held.lost.reason).toMatchObject({ code: 'hold_lost' })
    expect(vi.getTimerCount()).toBe(0)
  })

  it('is given up before another could have it, when the database fails', async () => {
    const held = await set(() => Promise.reject(new Error('The disk is gone.'))).hold()
    await vi.advanceTimersByTimeAsync(LEASE_MS / 3)
    expect(held.lost.aborted).toBe(false)
    await vi.advanceTimersByTimeAsync(LEASE_MS / 3)
    expect(held.lost.aborted).toBe(true)
  })

  it('is given up before another could have it, when the database does not answer', async () => {
    const { hold, renewals } = set(() => new Promise(() => {}))
    const held = await hold()
    await vi.advanceTimersByTimeAsync(LEASE_MS / 3)
    expect(held.lost.aborted).toBe(false)
    await vi.advanceTimersByTimeAsync(LEASE_MS / 3)
    expect(held.lost.aborted).toBe(true)
    // It does not queue for what gets no answer.
    expect(renewals).toHaveBeenCalledTimes(1)
  })

  it('goes on when the database answers again in time', async () => {
    let isDown = true
    const held = await set(async () => {
      if (isDown) throw new Error('The disk is gone.')
      return true
    }).hold()
    await vi.advanceTimersByTimeAsync(LEASE_MS / 3)
    isDown = false
    await vi.advanceTimersByTimeAsync(5 * LEASE_MS)
    expect(held.lost.aborted).toBe(false)
  })

  it('can be let go again when the database failed', async () => {
    const release = vi
      .fn<ConversationLeases['release']>()
      .mockRejectedValueOnce(new Error('The database is away.'))
      .mockResolvedValue()
    const held = await set(undefined, release).hold()
    await expect(held.release()).rejects.toThrow('away')
    await held.release()
    await held.release()
    expect(release).toHaveBeenCalledTimes(2)
    expect(held.lost.aborted).toBe(false)
  })

  it('is lost when its database is closed', async () => {
    const { hold, close } = set()
    const held = await hold()
    close()
    expect(held.lost.aborted).toBe(true)
    await expect(held.release()).resolves.toBeUndefined()
    expect(vi.getTimerCount()).toBe(0)
  })
})
