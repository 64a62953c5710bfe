import type { JSONValue } from 'ai'
import { checkList, checkMap, checkRecords, fail, type Records } from './check.ts'
import { storageTest, type StorageTest } from './storage-test.ts'

const KINDS: Records = [
  ['null', null],
  ['true', true],
  ['false', false],
  ['zero', 0],
  ['number', -12.5e-7],
  ['large number', Number.MAX_SAFE_INTEGER],
  ['empty text', ''],
  ['text like a number', '12'],
  ['text like JSON', '{"a":[1]}'],
  ['text like nothing', 'undefined'],
  ['text', 'a "quoted"\n\\ text\u0000 with controls'],
  ['empty list', []],
  ['empty object', {}],
  ['nested', { list: [1, [2, { deep: [null, false] }]], 'a.b': { '': 1 } }],
  // As own property, which only JSON.parse makes.
  ['hostile object', JSON.parse('{"__proto__":{"x":1},"constructor":{"prototype":2},"then":3}')],
]

const megabyte = (seed: string): JSONValue => ({
  text: `${seed} “words” and 語 `.repeat(70_000).slice(0, 1_000_000),
})

export const recordTests: readonly StorageTest[] = [
  storageTest('reads nothing where nothing was written', async (storage) => {
    await checkRecords(storage, 'none', [])
    await checkList(storage, 'none', [])
  }),

  storageTest('reads every kind of JSON value as it was written', async (storage) => {
    await storage.write('a', { put: new Map(KINDS) })
    await checkRecords(storage, 'a', KINDS)
  }),

  storageTest('adds, replaces and takes away records, and leaves the others', async (storage) => {
    await storage.write('a', {
      put: new Map([
        ['one', 1],
        ['two', 2],
        ['three', 3],
      ]),
    })
    await storage.write('a', {
      put: new Map<string, JSONValue>([
        ['two', { now: 'an object' }],
        ['four', 4],
      ]),
      remove: ['one', 'never there'],
    })
    await checkRecords(storage, 'a', [
      ['two', { now: 'an object' }],
      ['three', 3],
      ['four', 4],
    ])
    await storage.write('a', { remove: ['two', 'three', 'four'] })
    await checkRecords(storage, 'a', [])
  }),

  storageTest('writes a key that is to be written and taken away', async (storage) => {
    await storage.write('a', { put: new Map([['both', 1]]), remove: ['both'] })
    await storage.write('a', { put: new Map([['both', 2]]), remove: ['both', 'both'] })
    await checkRecords(storage, 'a', [['both', 2]])
  }),

  storageTest('takes a write that changes nothing', async (storage) => {
    await storage.write('a', {})
    await storage.write('a', { put: new Map(), remove: [] })
    await checkRecords(storage, 'a', [])
  }),

  storageTest('takes both durabilities', async (storage) => {
    await storage.write('a', { put: new Map([['x', 1]]) }, { durability: 'strict' })
    await storage.write('a', { put: new Map([['y', 2]]) }, { durability: 'relaxed' })
    await storage.write('a', { put: new Map([['z', 3]]) }, {})
    await checkRecords(storage, 'a', [
      ['x', 1],
      ['y', 2],
      ['z', 3],
    ])
  }),

  storageTest('keeps values of a megabyte', async (storage) => {
    const first = megabyte('first')
    const second = megabyte('second')
    await storage.write('a', { put: new Map([['big', first]]) })
    await checkRecords(storage, 'a', [['big', first]])
    await storage.write('a', { put: new Map([['big', second]]) })
    await storage.write('a', { put: new Map([['small', 1]]) })
    await checkRecords(storage, 'a', [
      ['big', second],
      ['small', 1],
    ])
  }),

  storageTest('keeps two thousand records', async (storage) => {
    const all = Array.from({ length: 2_000 }, (_, index): [string, JSONValue] => [
      `message ${index}`,
      { index, text: 'some words' },
    ])
    await storage.write('a', { put: new Map(all) })
    await checkRecords(storage, 'a', all)
    await storage.write('a', {
      put: new Map([['message 7', 'changed']]),
      remove: all.slice(1_000).map(([key]) => key),
    })
    const left = all.slice(0, 1_000)
    left[7] = ['message 7', 'changed']
    await checkRecords(storage, 'a', left)
  }),

  storageTest('gives out values that its reader may change', async (storage) => {
    await storage.write('a', { put: new Map([['x', { list: [1] }]]) })
    for (const read of [() => storage.read('a'), () => storage.list('x')]) {
      for (const value of (await read()).values()) spoil(value)
    }
    await checkRecords(storage, 'a', [['x', { list: [1] }]])
    await checkList(storage, 'x', [['a', { list: [1] }]])
  }),

  storageTest('does not change when a written value is changed afterwards', async (storage) => {
    const value = { list: [1] }
    const put = new Map([['x', value]])
    await storage.write('a', { put })
    spoil(value)
    put.clear()
    await checkRecords(storage, 'a', [['x', { list: [1] }]])
  }),

  storageTest('does not change when the map that was read is changed', async (storage) => {
    await storage.write('a', { put: new Map([['x', 1]]) })
    const read = await storage.read('a')
    await storage.write('a', { put: new Map([['x', 2]]) })
    checkMap('what was read before', read, [['x', 1]])
    if (read instanceof Map) read.clear()
    await checkRecords(storage, 'a', [['x', 2]])
  }),

  {
    name: 'finds everything again when it is opened anew',
    run: async (make) => {
      const { storage, reopen } = await make()
      if (!reopen) return
      await storage.write('a', { put: new Map(KINDS) }, { durability: 'strict' })
      await storage.write('b', { put: new Map([['x', 1]]) })
      await storage.write('c', { put: new Map([['x', 1]]) })
      await storage.write('a', { remove: ['null'] })
      await storage.remove('b')
      const opened = await reopen()
      await checkRecords(opened, 'a', KINDS.slice(1))
      await checkRecords(opened, 'b', [])
      await checkList(opened, 'x', [['c', 1]])
      await opened.write('c', { put: new Map([['y', 2]]) })
      await checkRecords(opened, 'c', [
        ['x', 1],
        ['y', 2],
      ])
    },
  },
]

function spoil(value: JSONValue): void {
  if (typeof value !== 'object' || value === null) fail('an object was read as something else')
  for (const inner of Object.values(value)) if (Array.isArray(inner)) inner.push('spoilt')
  Object.assign(value, { added: true })
}
