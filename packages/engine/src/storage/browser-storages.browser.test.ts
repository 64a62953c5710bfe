import { afterEach, describe, expect, it } from 'vitest'
import { indexedDBSuite } from '../../test/storage/indexed-db-suite.ts'
import { storageConformance } from '../testing/storage-conformance.ts'
import { localStorageStorage } from './local-storage.ts'

afterEach(() => {
  localStorage.clear()
})

indexedDBSuite()

describe('localStorageStorage', () => {
  it.each(storageConformance())('$name', { timeout: 30_000 }, async ({ run }) => {
    const frame = document.createElement('iframe')
    document.body.append(frame)
    const made = run(async () => ({
      storage: localStorageStorage(),
      reopen: async () => localStorageStorage(),
      // The area of another window is another object, so that only the lock makes them take turns.
      beside: async () => localStorageStorage({ storage: frame.contentWindow!.localStorage }),
    }))
    await expect(made).resolves.toBeUndefined()
    frame.remove()
  })

  it('rejects what the browser has no room for, changes nothing, and goes on', async () => {
    const storage = localStorageStorage()
    const old = new Map([
      ['x', 'x'.repeat(1_000_000)],
      ['y', 'y'],
    ])
    await storage.write('a', { put: old })
    const outcomes: string[] = []
    // The first has no room at all; the others would, were they not written twice for a moment.
    for (const million of [12, 6, 5]) {
      const put = new Map([
        ['y', 'Y'.repeat(million * 1_000_000)],
        ['z', 'z'],
      ])
      const outcome = storage.write('a', { put }).then(
        () => 'written',
        (error: unknown) => (error instanceof Error ? error.name : 'nothing said'),
      )
      outcomes.push(await outcome)
    }
    expect(new Set(outcomes)).toEqual(new Set(['QuotaExceededError']))
    expect(await storage.read('a')).toEqual(old)
    expect(localStorage.length).toBe(2)
    await storage.write('a', { put: new Map([['y', 'Y'.repeat(2_000_000)]]) })
    await storage.remove('a')
    expect(localStorage.length).toBe(0)
  })

  it('takes turns with another window', async () => {
    const frame = document.createElement('iframe')
    document.body.append(frame)
    const area = frame.contentWindow!.localStorage
    expect(area).not.toBe(localStorage)
    const windows = [localStorageStorage(), localStorageStorage({ storage: area })]
    const rounds = Array.from({ length: 20 }, (_, round) => round)
    await Promise.all(
      rounds.flatMap((round) =>
        windows.map(async (storage, index) => {
          const mark = `${index}, ${round}`
          await storage.write('a', { put: new Map(['x', 'y', 'z'].map((key) => [key, mark])) })
          expect(new Set((await storage.read('a')).values()).size).toBe(1)
        }),
      ),
    )
    frame.remove()
    expect(localStorage.length).toBe(3)
  })
})
