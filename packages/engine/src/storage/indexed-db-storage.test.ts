import 'fake-indexeddb/auto'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { indexedDBSuite } from '../../test/storage/indexed-db-suite.ts'
import { indexedDBStorage } from './indexed-db-storage.ts'

afterEach(() => {
  vi.unstubAllGlobals()
})

indexedDBSuite()

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
