import { describe, expect, it } from 'vitest'
import { storageConformance } from '../testing/storage-conformance.ts'
import { memoryStorage } from './memory-storage.ts'

describe('memoryStorage', () => {
  it.each(storageConformance())('$name', async ({ run }) => {
    const storage = memoryStorage()
    const made = run(async () => ({
      storage,
      reopen: async () => storage,
      beside: async () => storage,
    }))
    await expect(made).resolves.toBeUndefined()
  })

  it('begins with what it is given, and leaves that as it is', async () => {
    const initial = new Map([['a', new Map([['x', { list: [1] }]])]])
    const storage = memoryStorage(initial)
    initial.get('a')!.get('x')!.list.push(2)
    expect(await storage.read('a')).toEqual(new Map([['x', { list: [1] }]]))
    await storage.write('a', { put: new Map([['y', 2]]), remove: ['x'] })
    expect([...initial.get('a')!.keys()]).toEqual(['x'])
  })

  it('gives a snapshot that later writes do not change, and that another one begins with', async () => {
    const storage = memoryStorage()
    await storage.write('a', { put: new Map([['x', { list: [1] }]]) })
    const snapshot = storage.snapshot()
    await storage.write('a', { put: new Map([['x', 2]]) })
    await storage.remove('b')
    const copy = memoryStorage(snapshot)
    await copy.write('b', { put: new Map([['y', 3]]) })
    expect(snapshot).toEqual(new Map([['a', new Map([['x', { list: [1] }]])]]))
    expect(await copy.read('a')).toEqual(new Map([['x', { list: [1] }]]))
    expect(await storage.read('b')).toEqual(new Map())
    expect(storage.snapshot()).toEqual(new Map([['a', new Map([['x', 2]])]]))
  })

  it('holds no namespace whose records are all gone', async () => {
    const storage = memoryStorage()
    await storage.write('a', { put: new Map([['x', 1]]) })
    await storage.write('a', { remove: ['x'] })
    await storage.write('b', {})
    expect(storage.snapshot()).toEqual(new Map())
  })

  it('stores nothing of a write that holds what cannot be copied', async () => {
    const storage = memoryStorage()
    const put = new Map<string, never>([['x', (() => {}) as never]])
    await expect(storage.write('a', { put })).rejects.toThrow(/could not be cloned/)
    expect(storage.snapshot()).toEqual(new Map())
  })
})
