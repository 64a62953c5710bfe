import { type AssentDatabase, openDatabase } from '@assent/node'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { keepClaim, type ClaimLease } from './claim-lease.ts'
import type { Claim, Inbox } from './inbox.ts'
import { scheduleTimeout } from './schedule.ts'
import { sqliteInbox } from './sqlite-inbox.ts'

const LEASE_MS = 3_000

let database: AssentDatabase
let inbox: Inbox
let claim: Claim
let lease: ClaimLease | undefined
const errors: unknown[] = []
let beats = 0

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] })
  database = openDatabase(':memory:')
  inbox = sqliteInbox(database)
  errors.length = 0
  beats = 0
  await inbox.add({ id: 'one', conversationId: 'c', input: 1 })
  const claimed = await inbox.claim({ worker: 'w', leaseMs: LEASE_MS })
  if (!claimed) throw new Error('Nothing was there.')
  claim = claimed
})

afterEach(() => {
  lease?.end()
  database.close()
  vi.useRealTimers()
})

function keep(heartbeat: Inbox['heartbeat'] = inbox.heartbeat): ClaimLease {
  lease = keepClaim({
    heartbeat: (leaseMs) => heartbeat(claim, leaseMs),
    leaseMs: LEASE_MS,
    askedAt: performance.now(),
    schedule: scheduleTimeout,
    report: (error) => errors.push(error),
    onBeat: () => beats++,
  })
  return lease
}

const leaseEnd = async () => (await inbox.get('one'))?.lease?.expiresAt

describe('the lease of a claim', () => {
  it('is extended three times within itself, until it ends', async () => {
    const { lost, end } = keep()
    await vi.advanceTimersByTimeAsync(10 * LEASE_MS)
    expect(beats).toBe(30)
    expect(await leaseEnd()).toBe(Date.now() + LEASE_MS)
    end()
    const last = await leaseEnd()
    await vi.advanceTimersByTimeAsync(10 * LEASE_MS)
    expect(await leaseEnd()).toBe(last)
    expect(lost.aborted).toBe(false)
  })

  it('is lost when another one has the task', async () => {
    const { lost } = keep()
    vi.setSystemTime(Date.now() + LEASE_MS)
    await inbox.claim({ worker: 'other', leaseMs: LEASE_MS })
    await vi.advanceTimersByTimeAsync(LEASE_MS / 3)
    expect(lost.aborted).toBe(true)
    await vi.advanceTimersByTimeAsync(10 * LEASE_MS)
    expect(beats).toBe(0)
  })

  it('stands while the inbox fails, for as long as nobody else can have the task', async () => {
    let isFailing = true
    const { lost } = keep((...args) =>
      isFailing ? Promise.reject(new Error('locked')) : inbox.heartbeat(...args),
    )
    await vi.advanceTimersByTimeAsync(LEASE_MS - 500)
    expect([lost.aborted, errors.length]).toEqual([false, 2])
    isFailing = false
    await vi.advanceTimersByTimeAsync(500)
    expect(await leaseEnd()).toBe(Date.now() + LEASE_MS)
    isFailing = true
    await vi.advanceTimersByTimeAsync(LEASE_MS)
    expect(lost.aborted).toBe(true)
  })

  it('can be extended at once, which says whether it stands', async () => {
    const { extend, lost } = keep()
    expect(await extend()).toBe(true)
    await inbox.complete(claim)
    expect(await extend()).toBe(false)
    expect(lost.aborted).toBe(true)
  })
})
