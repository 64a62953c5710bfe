import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createStorage, prefixStorage } from 'unstorage'
import fsDriver from 'unstorage/drivers/fs'
import memoryDriver from 'unstorage/drivers/memory'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { storageConformance } from '../testing/storage-conformance.ts'
import { fromUnstorage } from './unstorage-storage.ts'

describe('fromUnstorage on memory', () => {
  it.each(storageConformance())('$name', async ({ run }) => {
    const backend = createStorage({ driver: memoryDriver() })
    const made = run(async () => ({
      storage: fromUnstorage(backend),
      reopen: async () => fromUnstorage(backend),
      beside: async () => fromUnstorage(backend),
    }))
    await expect(made).resolves.toBeUndefined()
  })

  it('keeps to a part of a storage, and lets several keep one order', async () => {
    const backend = createStorage({ driver: memoryDriver() })
    const part = prefixStorage(backend, 'chats')
    const one = fromUnstorage(part, { prefix: 'My app:' })
    const other = fromUnstorage(part, { prefix: 'My app:' })
    await backend.setItem('mine', 'kept')
    const writes = [1, 2, 3, 4, 5, 6].map((index) =>
      (index % 2 === 0 ? one : other).write('a', {
        put: new Map([
          ['x', index],
          ['y', index],
        ]),
      }),
    )
    await Promise.all(writes)
    expect(await other.read('a')).toEqual(
      new Map([
        ['x', 6],
        ['y', 6],
      ]),
    )
    expect((await backend.getKeys()).toSorted()).toEqual([
      'chats:_004dy_0020app_003a:r:n-a:k-x',
      'chats:_004dy_0020app_003a:r:n-a:k-y',
      'mine',
    ])
    await one.remove('a')
    expect(await backend.getKeys()).toEqual(['mine'])
  })

  it('does not make later what was refused, although it arrived', async () => {
    const backend = createStorage({ driver: memoryDriver() })
    const storage = fromUnstorage({
      getKeys: (base) => backend.getKeys(base),
      getItem: (key) => backend.getItem(key),
      removeItem: (key) => backend.removeItem(key),
      setItem: async (key, value) => {
        await backend.setItem(key, value)
        if (value.includes('late')) throw new Error('There was no answer in time.')
      },
    })
    await storage.write('a', { put: new Map([['x', 1]]) })
    const put = new Map<string, string | number>([
      ['x', 'late'],
      ['y', 2],
    ])
    await expect(storage.write('a', { put })).rejects.toThrow('no answer')
    expect(await storage.read('a')).toEqual(new Map([['x', 1]]))
    await storage.write('a', { put: new Map([['z', 3]]) })
    expect(await fromUnstorage(backend).read('a')).toEqual(
      new Map([
        ['x', 1],
        ['z', 3],
      ]),
    )
  })

  it('undoes what a backend refused in the middle', async () => {
    const backend = createStorage({ driver: memoryDriver() })
    const storage = fromUnstorage({
      getKeys: (base) => backend.getKeys(base),
      getItem: (key) => backend.getItem(key),
      removeItem: (key) => backend.removeItem(key),
      setItem: async (key, value) => {
        if (key.endsWith('k-refused')) throw new Error('Refused.')
        await backend.setItem(key, value)
      },
    })
    const old = new Map(['x', 'y', 'z'].map((key) => [key, 'old']))
    await storage.write('a', { put: old })
    const put = new Map(['x', 'refused', 'y', 'new'].map((key) => [key, 'new']))
    await expect(storage.write('a', { put, remove: ['z'] })).rejects.toThrow('Refused.')
    expect(await storage.read('a')).toEqual(old)
    expect((await backend.getKeys()).length).toBe(3)
  })

  it('leaves out entries that are garbage', async () => {
    const backend = createStorage({ driver: memoryDriver() })
    const storage = fromUnstorage(backend)
    await storage.write('a', { put: new Map(['v', 'w', 'x', 'y', 'z'].map((key) => [key, key])) })
    await backend.setItem('assent:r:n-a:k-v', '={"cut in')
    await backend.setItem('assent:r:n-a:k-w', '="cut in')
    await backend.setItem('assent:r:n-a:k-x', { put: 'by others' })
    await backend.setItem('assent:r:n-a:k-y', 'put by others')
    await backend.setItem('assent:w:n-a', '={"clear":true,"put":[],"re')
    expect(await storage.read('a')).toEqual(new Map([['z', 'z']]))
    expect(await storage.list('x')).toEqual(new Map())
  })
})

describe('fromUnstorage on files', () => {
  let folder: string

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'assent-files-'))
  })

  afterEach(() => rm(folder, { recursive: true }))

  const open = () => fromUnstorage(createStorage({ driver: fsDriver({ base: folder }) }))

  it.each(storageConformance())('$name', { timeout: 30_000 }, async ({ run }) => {
    const made = run(async () => ({ storage: open(), reopen: async () => open() }))
    await expect(made).resolves.toBeUndefined()
  })

  it('finishes what was pending and reads around a file that is garbage', async () => {
    const storage = open()
    await storage.write('a', {
      put: new Map([
        ['x', 1],
        ['y', 1],
        ['z', 1],
      ]),
    })
    const records = join(folder, 'assent/r/n-a')
    expect((await readdir(records)).toSorted()).toEqual(['k-x', 'k-y', 'k-z'])
    await writeFile(join(records, 'k-x'), '\u0000\u0000')
    await writeFile(join(records, 'k-y'), '')
    expect(await open().read('a')).toEqual(new Map([['z', 1]]))
    const pending = '={"clear":false,"put":[["x",2],["y",{"a":2}]],"remove":["z"]}'
    await writeFile(join(folder, 'assent/w/n-a'), pending)
    expect(await open().list('y')).toEqual(new Map([['a', { a: 2 }]]))
    expect((await readdir(records)).toSorted()).toEqual(['k-x', 'k-y'])
    expect(await readdir(join(folder, 'assent/w'))).toEqual([])
  })
})
