import 'fake-indexeddb/auto'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { indexedDBSuite } from '../../test/storage/indexed-db-suite.ts'
import { openRaw } from '../../test/storage/raw-database.ts'
import { indexedDBStorage } from './indexed-db-storage.ts'

afterEach(() => {
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

indexedDBSuite()

describe('an upgrade of another tab that does not end', () => {
  it('is an error after its deadline that asks to close the other tabs, and all works after it', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    let isStuck = true
    const begun = Promise.withResolvers<void>()
    const upgraded = openRaw('stuck', 1, (database) => {
      const store = database.createObjectStore('other')
      const goOn = (): void => {
        if (isStuck) store.get(1).addEventListener('success', goOn)
      }
      goOn()
      begun.resolve()
    })
    await begun.promise
    const storage = indexedDBStorage({ name: 'stuck', version: 2 })
    const read = storage.read('a').catch((error: unknown) => error)
    await vi.advanceTimersByTimeAsync(5_000)
    expect(await read).toMatchObject({
      code: 'busy',
      retryable: true,
      message: expect.stringContaining('close other tabs of this app'),
    })
    isStuck = false
    ;(await upgraded).close()
    vi.useRealTimers()
    await vi.waitFor(() => storage.write('a', { put: new Map([['x', 1]]) }))
    expect(await storage.read('a')).toEqual(new Map([['x', 1]]))
    await storage.close()
  })
})

describe('indexedDBStorage where there is no IndexedDB', () => {
  it('rejects, and only when it is used', async () => {
    vi.stubGlobal('indexedDB', undefined)
    const storage = indexedDBStorage()
    const error = { name: 'EngineError', code: 'invalid_argument' }
    await expect(storage.read('a')).rejects.toMatchObject(error)
    await expect(storage.write('a', { put: new Map([['x', 1]]) })).rejects.toMatchObject(error)
    await expect(storage.remove('a')).rejects.toMatchObject(error)
    await expect(storage.list('x')).rejects.toMatchObject(error)
    await storage.close()
  })
})
