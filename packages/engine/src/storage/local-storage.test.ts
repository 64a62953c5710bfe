import { afterEach, describe, expect, it, vi } from 'vitest'
import { testStorageArea } from '../../test/storage/web-storage-area.ts'
import { storageConformance } from '../testing/storage-conformance.ts'
import { localStorageStorage } from './local-storage.ts'
import type { ConversationStorage } from './storage.ts'

afterEach(() => {
  vi.unstubAllGlobals()
})

describe('localStorageStorage', () => {
  it.each(storageConformance())('$name', async ({ run }) => {
    const { content } = testStorageArea()
    const open = (): ConversationStorage =>
      localStorageStorage({ storage: testStorageArea({ content }) })
    const made = run(async () => ({ storage: open(), reopen: async () => open() }))
    await expect(made).resolves.toBeUndefined()
  })

  it('keeps one entry per record, and nothing else once a write is over', async () => {
    const area = testStorageArea()
    const storage = localStorageStorage({ storage: area })
    await storage.write('chat-1', {
      put: new Map([
        ['x', 'one'],
        ['y', 'two'],
      ]),
    })
    await storage.write('chat-1', { remove: ['x', 'not there'] })
    expect(area.content).toEqual(new Map([['assent:r:n-chat-1:k-y', '"two"']]))
  })

  it('makes a write of one record in one step', async () => {
    const area = testStorageArea()
    const storage = localStorageStorage({ storage: area })
    await storage.write('a', { put: new Map([['x', 1]]) })
    await storage.write('a', { put: new Map([['x', 2]]), remove: ['x'] })
    await storage.write('a', { remove: ['x'] })
    expect(area.changes).toBe(3)
  })

  it('looks at nothing but the records that a write changes', async () => {
    const area = testStorageArea()
    const storage = localStorageStorage({ storage: area })
    const many = Array.from({ length: 500 }, (_, index): [string, number] => [`${index}`, index])
    await storage.write('a', { put: new Map(many) })
    const looked = [vi.spyOn(area, 'key'), vi.spyOn(area, 'getItem')]
    const before = area.changes
    await storage.write('a', { put: new Map([['7', 8]]), remove: ['9'] })
    // The pending change, before and after, and two records; each of those was kept for an undo.
    expect(area.changes - before).toBe(4)
    expect(looked.map(({ mock }) => mock.calls.length)).toEqual([0, 3])
  })

  it('leaves alone what has another prefix or no name of its own', async () => {
    const area = testStorageArea()
    const one = localStorageStorage({ storage: area, prefix: 'One' })
    const other = localStorageStorage({ storage: area, prefix: 'One:two' })
    const strange: [string, string][] = [
      ['theme', 'dark'],
      ['_004fne', 'x'],
      ['_004fne:', 'x'],
      ['_004fne:r', 'x'],
      ['_004fne:r:n-a', 'x'],
      ['_004fne:r:a:k-x', '1'],
      ['_004fne:r:n-a:x', '1'],
      ['_004fne:r:n-a:k-x_', '1'],
      ['_004fne:r:n-a:k-X', '1'],
      ['_004fne:r:n-a:k-x:more', '1'],
      ['_004fne:q:n-a:k-x', '1'],
      ['_004fne:w:n-a:k-x', '1'],
    ]
    for (const [name, text] of strange) area.setItem(name, text)
    await one.write('a', { put: new Map([['x', 1]]) })
    await other.write('a', { put: new Map([['x', 2]]) })
    expect(await one.read('a')).toEqual(new Map([['x', 1]]))
    expect(await one.list('x')).toEqual(new Map([['a', 1]]))
    await one.remove('a')
    expect(await one.read('a')).toEqual(new Map())
    expect(await other.read('a')).toEqual(new Map([['x', 2]]))
    expect([...area.content].slice(0, strange.length)).toEqual(strange)
  })

  it('leaves out entries that are garbage, and writes over them', async () => {
    const area = testStorageArea()
    const storage = localStorageStorage({ storage: area })
    await storage.write('a', {
      put: new Map([
        ['x', 1],
        ['y', 2],
        ['z', 3],
      ]),
    })
    area.setItem('assent:r:n-a:k-x', '{"cut in the mid')
    area.setItem('assent:r:n-a:k-y', '')
    expect(await storage.read('a')).toEqual(new Map([['z', 3]]))
    expect(await storage.list('x')).toEqual(new Map())
    await storage.write('a', {
      put: new Map([
        ['x', 4],
        ['z', 5],
      ]),
      remove: ['y'],
    })
    expect(await storage.read('a')).toEqual(
      new Map([
        ['x', 4],
        ['z', 5],
      ]),
    )
  })

  it.each([
    '',
    'null',
    '{"clear":false,"put":[["x",9]],"remo',
    '{}',
    '{"clear":false,"put":[["x"]],"remove":[]}',
    '{"clear":false,"put":[9],"remove":[]}',
    '{"clear":false,"put":[[9,9]],"remove":[]}',
    '{"clear":false,"put":[],"remove":["x",9]}',
    '{"clear":"yes","put":[],"remove":["x"]}',
  ])('drops a pending change that is garbage: %s', async (garbage) => {
    const area = testStorageArea()
    const storage = localStorageStorage({ storage: area })
    await storage.write('a', { put: new Map([['x', 1]]) })
    area.setItem('assent:w:n-a', garbage)
    expect(await storage.list('x')).toEqual(new Map([['a', 1]]))
    expect(await storage.read('a')).toEqual(new Map([['x', 1]]))
    expect([...area.content.keys()]).toEqual(['assent:r:n-a:k-x'])
  })

  it('lets several storages over one area write into a namespace at the same time', async () => {
    const area = testStorageArea()
    const tabs = [1, 2, 3, 4].map(() =>
      localStorageStorage({ storage: testStorageArea({ content: area.content }) }),
    )
    const rounds = Array.from({ length: 20 }, (_, round) => round)
    await Promise.all(
      rounds.flatMap((round) =>
        tabs.map(async (storage, tab) => {
          const mark = `${tab}, ${round}`
          await storage.write('a', { put: new Map(['x', 'y', 'z'].map((key) => [key, mark])) })
          expect(new Set((await storage.read('a')).values()).size).toBe(1)
        }),
      ),
    )
    expect(area.content.size).toBe(3)
  })

  it('rejects when there is no localStorage, and only when it is used', async () => {
    vi.stubGlobal('localStorage', undefined)
    const storage = localStorageStorage()
    const error = { name: 'EngineError', code: 'invalid_argument' }
    await expect(storage.read('a')).rejects.toMatchObject(error)
    await expect(storage.write('a', { put: new Map([['x', 1]]) })).rejects.toMatchObject(error)
    await expect(storage.remove('a')).rejects.toMatchObject(error)
    await expect(storage.list('x')).rejects.toMatchObject(error)
    const area = testStorageArea()
    vi.stubGlobal('localStorage', area)
    await storage.write('a', { put: new Map([['x', 1]]) })
    expect(area.content.size).toBe(1)
  })

  it('names the cause when the browser forbids storage', async () => {
    const forbidden = new DOMException('Access is denied.', 'SecurityError')
    // Stubbed first, so that it is put back as it was.
    vi.stubGlobal('localStorage', undefined)
    Object.defineProperty(globalThis, 'localStorage', {
      configurable: true,
      get: () => {
        throw forbidden
      },
    })
    await expect(localStorageStorage().read('a')).rejects.toMatchObject({
      code: 'invalid_argument',
      cause: forbidden,
    })
  })

  it('works without Web Locks, and when the page gets none any more', async () => {
    const area = testStorageArea()
    const storage = localStorageStorage({ storage: area })
    vi.stubGlobal('navigator', undefined)
    await storage.write('a', { put: new Map([['x', 1]]) })
    const gone = new DOMException('The document is gone.', 'InvalidStateError')
    vi.stubGlobal('navigator', { locks: { request: () => Promise.reject(gone) } })
    await storage.write('a', { put: new Map([['y', 2]]) })
    expect((await storage.read('a')).size).toBe(2)
  })
})
