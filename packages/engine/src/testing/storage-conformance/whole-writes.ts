import type { JSONValue } from 'ai'
import { checkList, checkRecords, checkRejects } from './check.ts'
import { storageTest, type StorageTest } from './storage-test.ts'

/** A value that no storage can keep, because it cannot even be looked at. */
function unstorable(): JSONValue {
  return Object.defineProperty({}, 'x', {
    enumerable: true,
    get: () => {
      throw new Error('This value cannot be read.')
    },
  })
}

export const wholeWriteTests: readonly StorageTest[] = [
  storageTest('writes nothing when one value of a write cannot be stored', async (storage) => {
    const before = [
      ['x', 1],
      ['y', { list: [1] }],
    ] as const
    await storage.write('a', { put: new Map<string, JSONValue>(before) })
    const put = new Map<string, JSONValue>([
      ['x', 2],
      ['new', 1],
      ['broken', unstorable()],
      ['last', 1],
    ])
    await checkRejects(
      'A write of what cannot be stored',
      storage.write('a', { put, remove: ['y'] }),
    )
    await checkRejects('A write of what cannot be stored', storage.write('none', { put }))
    await checkRecords(storage, 'a', before)
    await checkRecords(storage, 'none', [])
    await checkList(storage, 'x', [['a', 1]])
  }),

  storageTest('goes on after a write that failed, in order', async (storage) => {
    const broken = new Map<string, JSONValue>([
      ['x', 'broken'],
      ['broken', unstorable()],
    ])
    const first = storage.write('a', { put: new Map([['x', 1]]) })
    const second = storage.write('a', { put: broken })
    const third = storage.write('a', { put: new Map([['y', 3]]), remove: ['broken'] })
    await checkRejects('A write of what cannot be stored', second)
    await Promise.all([first, third])
    await checkRecords(storage, 'a', [
      ['x', 1],
      ['y', 3],
    ])
    await storage.remove('a')
    await checkRecords(storage, 'a', [])
  }),
]
