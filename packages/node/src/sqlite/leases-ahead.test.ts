import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { openDatabase, type AssentDatabase } from './open-database.ts'
import { leasesAhead } from './leases-ahead.ts'
import { leaseTable } from './leases.ts'

const LEASE_MS = 3_000
const DAY_MS = 86_400_000

let database: AssentDatabase

beforeEach(() => {
  database = openDatabase(':memory:')
})

afterEach(() => database.close())

test('a lease that was given by a clock that was ahead is over when nobody extends it for as long as it lasts', () => {
  let elapsed = 0
  const ahead = leasesAhead(() => elapsed)
  const lease = { expiresAt: DAY_MS, leaseMs: LEASE_MS }
  expect(ahead.isOver('a', lease, 0)).toBe(false)
  elapsed = LEASE_MS - 1
  expect(ahead.isOver('a', lease, 0)).toBe(false)
  // Extended, so that its holder lives.
  const extended = { ...lease, expiresAt: DAY_MS + 1_000 }
  expect(ahead.isOver('a', extended, 0)).toBe(false)
  elapsed += LEASE_MS - 1
  expect(ahead.isOver('a', extended, 0)).toBe(false)
  elapsed += 1
  expect(ahead.isOver('a', extended, 0)).toBe(true)
})

test('a lease that the clock ends, or whose length is not known, is over by the clock alone', () => {
  let elapsed = 0
  const ahead = leasesAhead(() => elapsed)
  for (const lease of [
    { expiresAt: LEASE_MS, leaseMs: LEASE_MS },
    { expiresAt: DAY_MS, leaseMs: undefined },
  ]) {
    for (elapsed = 0; elapsed < DAY_MS; elapsed += DAY_MS / 4) {
      expect(ahead.isOver('a', lease, 0)).toBe(false)
    }
  }
})

test('a conversation of a dead process whose clock was ahead can be held a lease later', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const leases = leaseTable(database)
  const dead = await leases.acquire('c', { owner: 'dead', now: DAY_MS, leaseMs: LEASE_MS })
  const take = () => leases.acquire('c', { owner: 'next', now: 0, leaseMs: LEASE_MS })
  expect(await take()).toBeUndefined()
  vi.advanceTimersByTime(LEASE_MS - 1)
  expect(await take()).toBeUndefined()
  vi.advanceTimersByTime(1)
  expect(await take()).toEqual({ epoch: Number(dead?.epoch) + 1, isTakenOver: true })
})
