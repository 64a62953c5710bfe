import type { JSONValue } from 'ai'
import { checkList, checkMap, checkRecords, fail } from './check.ts'
import { storageTest, type StorageTest } from './storage-test.ts'

/** Values whose sizes differ, so that a later one is written faster than an earlier one. */
function sized(index: number): JSONValue {
  return { index, text: 'x'.repeat(index % 3 === 0 ? 50_000 : index % 7) }
}

export const orderTests: readonly StorageTest[] = [
  storageTest('makes writes in the order of the calls, awaited or not', async (storage) => {
    const writes = Array.from({ length: 60 }, (_, index) =>
      storage.write(
        'a',
        { put: new Map([[`x${index % 4}`, sized(index)]]), remove: [`x${(index + 1) % 4}`] },
        { durability: index % 2 === 0 ? 'strict' : 'relaxed' },
      ),
    )
    await Promise.all(writes)
    // The last one took x0 away; the two before it wrote x1 and x2, and each took away the next.
    await checkRecords(storage, 'a', [
      ['x3', sized(59)],
      ['x1', sized(57)],
      ['x2', sized(58)],
    ])
  }),

  storageTest('does not bring back by an earlier write what was taken away', async (storage) => {
    const all = [
      storage.write('a', { put: new Map([['x', sized(3)]]) }),
      storage.write('b', {
        put: new Map([
          ['x', 1],
          ['y', 1],
        ]),
      }),
      storage.write('a', {
        put: new Map([
          ['y', sized(6)],
          ['z', 1],
        ]),
      }),
      storage.remove('a'),
      storage.remove('b'),
      storage.write('b', { put: new Map([['x', 2]]) }),
    ]
    await Promise.all(all)
    await checkRecords(storage, 'a', [])
    await checkRecords(storage, 'b', [['x', 2]])
    await checkList(storage, 'x', [['b', 2]])
  }),

  storageTest(
    'reads much as it was when that was called for, whatever comes after',
    async (storage) => {
      const many = Array.from({ length: 1_000 }, (_, index) => [`k/${index}`, 1] as const)
      await storage.write('a', { put: new Map(many) })
      const before = storage.read('a')
      const writing = storage.write('a', { put: new Map([['k/999', 2]]), remove: ['k/0'] })
      const between = storage.read('a')
      const removing = storage.remove('a')
      const last = storage.write('a', { put: new Map([['k/1', 3]]) })
      const after = storage.read('a')
      await Promise.all([writing, removing, last])
      checkMap('the records of "a" before the write', await before, many)
      const changed = many.slice(1, -1)
      checkMap('the records of "a" after it', await between, [...changed, ['k/999', 2]])
      checkMap('the records of "a" in the end', await after, [['k/1', 3]])
    },
  ),

  storageTest('reads and lists what the writes called before left', async (storage) => {
    const first = storage.write('a', { put: new Map([['x', 1]]) })
    const afterFirst = storage.read('a')
    const second = storage.write('a', {
      put: new Map([
        ['x', 2],
        ['y', 2],
      ]),
    })
    const afterSecond = storage.read('a')
    const listed = storage.list('y')
    await Promise.all([first, second])
    checkMap('a read after an unawaited write', await afterFirst, [['x', 1]])
    checkMap('a read after two unawaited writes', await afterSecond, [
      ['x', 2],
      ['y', 2],
    ])
    checkMap('a list after two unawaited writes', await listed, [['a', 2]])
  }),

  storageTest('shows writes as a whole to those who read meanwhile', async (storage) => {
    const reads: Promise<ReadonlyMap<string, JSONValue>>[] = []
    const writes: Promise<unknown>[] = []
    for (let index = 1; index <= 25; index += 1) {
      const put = new Map(['x', 'y', 'z'].map((key) => [key, index]))
      writes.push(storage.write('a', { put }))
      reads.push(storage.read('a'))
      await Promise.resolve()
    }
    for (const records of await Promise.all(reads)) {
      if (new Set(records.values()).size !== 1) fail('a read saw one half of a write')
    }
    await Promise.all(writes)
  }),

  storageTest('keeps namespaces apart that are written at the same time', async (storage) => {
    const namespaces = Array.from({ length: 40 }, (_, index) => `conversation ${index}`)
    const writes = [1, 2, 3, 4, 5].flatMap((round) =>
      namespaces.map((namespace) =>
        storage.write(namespace, {
          put: new Map<string, JSONValue>([
            ['round', `${namespace}, ${round}`],
            [`round ${round}`, round],
          ]),
          remove: [`round ${round - 1}`],
        }),
      ),
    )
    await Promise.all(writes)
    for (const namespace of namespaces) {
      await checkRecords(storage, namespace, [
        ['round', `${namespace}, 5`],
        ['round 5', 5],
      ])
    }
    await checkList(
      storage,
      'round',
      namespaces.map((namespace) => [namespace, `${namespace}, 5`]),
    )
  }),
]
