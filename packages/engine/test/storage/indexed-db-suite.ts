import { describe, expect, it, vi } from 'vitest'
import { indexedDBStorage } from '../../src/storage/indexed-db-storage.ts'
import { storageConformance } from '../../src/testing/storage-conformance.ts'
import { deleteRaw, openRaw, putRaw } from './raw-database.ts'

let databases = 0
/** A database that no other test uses. */
function newName(): string {
  databases += 1
  return `assent test ${databases}, ${Math.random()}`
}

/** What `indexedDBStorage` does on any IndexedDB. */
export function indexedDBSuite(): void {
  describe('indexedDBStorage', () => {
    it.each(storageConformance())('$name', { timeout: 30_000 }, async ({ run }) => {
      const name = newName()
      const storage = indexedDBStorage({ name })
      const reopened = indexedDBStorage({ name })
      const beside = indexedDBStorage({ name })
      const made = run(async () => ({
        storage,
        reopen: async () => {
          await storage.close()
          return reopened
        },
        beside: async () => beside,
      }))
      await expect(made).resolves.toBeUndefined()
      await Promise.all([storage, reopened, beside].map((one) => one.close()))
      await deleteRaw(name)
    })

    it('opens again after it was closed, also when nothing was ever opened', async () => {
      const storage = indexedDBStorage({ name: newName() })
      await storage.close()
      await storage.write('a', { put: new Map([['x', 1]]) })
      const closing = storage.close()
      expect(await storage.read('a')).toEqual(new Map([['x', 1]]))
      await closing
      await storage.close()
    })

    it('makes way for a page with a newer version, and goes on after it', async () => {
      const name = newName()
      const storage = indexedDBStorage({ name })
      await storage.write('a', { put: new Map([['x', 1]]) })
      const newer = await openRaw(name, 7, (database) => database.createObjectStore('more'))
      expect(await storage.read('a')).toEqual(new Map([['x', 1]]))
      await storage.write('a', { put: new Map([['y', 2]]) })
      expect(await indexedDBStorage({ name }).list('y')).toEqual(new Map([['a', 2]]))
      expect([...newer.objectStoreNames]).toEqual(['more', 'records'])
      newer.close()
    })

    it('makes way for who deletes the database, and begins anew', async () => {
      const name = newName()
      const storage = indexedDBStorage({ name })
      await storage.write('a', { put: new Map([['x', 1]]) })
      await deleteRaw(name)
      expect(await storage.read('a')).toEqual(new Map())
      await storage.write('a', { put: new Map([['y', 2]]) })
      expect(await storage.read('a')).toEqual(new Map([['y', 2]]))
      await storage.close()
    })

    it('says that a page blocks it, and works once that page makes way', async () => {
      const name = newName()
      const holder = await openRaw(name, 1)
      const storage = indexedDBStorage({ name, version: 2 })
      const error = { name: 'EngineError', code: 'busy', retryable: true }
      await expect(storage.read('a')).rejects.toMatchObject(error)
      await expect(storage.write('a', { put: new Map([['x', 1]]) })).rejects.toMatchObject(error)
      holder.close()
      await vi.waitFor(() => storage.write('a', { put: new Map([['x', 2]]) }))
      expect(await storage.read('a')).toEqual(new Map([['x', 2]]))
      await storage.close()
    })

    it('refuses a database of something else, unless it may upgrade it', async () => {
      const name = newName()
      const other = await openRaw(name, 3, (database) => database.createObjectStore('theirs'))
      other.close()
      await expect(indexedDBStorage({ name }).read('a')).rejects.toMatchObject({
        code: 'invalid_argument',
        message: expect.stringContaining(name),
      })
      const storage = indexedDBStorage({ name, version: 4 })
      await storage.write('a', { put: new Map([['x', 1]]) })
      await storage.close()
      const upgraded = await openRaw(name)
      expect([...upgraded.objectStoreNames]).toEqual(['records', 'theirs'])
      upgraded.close()
    })

    it('leaves out records that are garbage', async () => {
      const name = newName()
      const storage = indexedDBStorage({ name })
      await storage.write('a', { put: new Map([['good', { text: 'kept' }]]) })
      await putRaw(name, [
        { namespace: 'a', key: 'none' },
        { namespace: 'a', key: 'undefined', value: undefined },
        { namespace: 'a', key: 'date', value: new Date() },
        { namespace: 'a', key: 'map', value: new Map() },
        { namespace: 'a', key: 'big', value: 1n },
        { namespace: 'a', key: 7, value: 1 },
        { namespace: 7, key: 'good', value: 1 },
        { namespace: ['a'], key: 'good', value: 1 },
      ])
      expect(await storage.read('a')).toEqual(new Map([['good', { text: 'kept' }]]))
      expect(await storage.list('good')).toEqual(new Map([['a', { text: 'kept' }]]))
      expect(await storage.list('date')).toEqual(new Map())
      await storage.close()
    })

    it('reads around a record that the browser lost', async () => {
      const name = newName()
      const storage = indexedDBStorage({ name })
      const put = new Map(['x', 'lost', 'y'].map((key) => [key, key]))
      await storage.write('a', { put })
      const lost = new DOMException('The value is not on the disk.', 'NotReadableError')
      const { get } = IDBObjectStore.prototype
      const fail = (): never => {
        throw lost
      }
      const spies = [
        vi.spyOn(IDBObjectStore.prototype, 'getAll').mockImplementation(fail),
        vi.spyOn(IDBIndex.prototype, 'getAll').mockImplementation(fail),
        vi.spyOn(IDBObjectStore.prototype, 'get').mockImplementation(function (
          this: IDBObjectStore,
          key,
        ) {
          return Array.isArray(key) && key[1] === 'lost' ? fail() : get.call(this, key)
        }),
      ]
      const left = new Map(['x', 'y'].map((key) => [key, key]))
      expect(await storage.read('a')).toEqual(left)
      expect(await storage.list('lost')).toEqual(new Map())
      expect(await storage.list('x')).toEqual(new Map([['a', 'x']]))
      for (const spy of spies) spy.mockRestore()
      expect(await storage.read('a')).toEqual(put)
      await storage.close()
    })

    it('hands on how durable a write is to be', async () => {
      const name = newName()
      const storage = indexedDBStorage({ name })
      await storage.read('a')
      const transaction = vi.spyOn(IDBDatabase.prototype, 'transaction')
      await storage.write('a', { put: new Map([['x', 1]]) }, { durability: 'strict' })
      await storage.write('a', { put: new Map([['x', 2]]) })
      const asked = transaction.mock.calls.map(([, mode, options]) => [mode, options?.durability])
      expect(asked).toEqual([
        ['readwrite', 'strict'],
        ['readwrite', 'relaxed'],
      ])
      transaction.mockRestore()
      await storage.close()
    })

    it('keeps what two storages write into a namespace at the same time whole', async () => {
      const name = newName()
      const storages = [indexedDBStorage({ name }), indexedDBStorage({ name })]
      const rounds = Array.from({ length: 20 }, (_, round) => round)
      await Promise.all(
        rounds.flatMap((round) =>
          storages.map(async (storage, index) => {
            const mark = `${index}, ${round}`
            await storage.write('a', { put: new Map(['x', 'y', 'z'].map((key) => [key, mark])) })
            expect(new Set((await storage.read('a')).values()).size).toBe(1)
          }),
        ),
      )
      await Promise.all(storages.map((storage) => storage.close()))
    })
  })
}
