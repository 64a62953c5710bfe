import { checkList, checkRecords, type Records } from './check.ts'
import { storageTest, type StorageTest } from './storage-test.ts'

/** Names that have broken stores before, no two of them equal. */
const NAMES: readonly string[] = [
  '',
  ' ',
  'a',
  'A',
  'a ',
  'a:',
  ':a',
  'a:b',
  'a::b',
  'a/b',
  'a\\b',
  'a|b',
  'a,b',
  'a.b',
  'a_b',
  'a%3Ab',
  'a%',
  'a?b=c#d',
  'a$',
  'a*',
  'a"b',
  "a'b; DROP TABLE records; --",
  'a\u0000b',
  'a\nb',
  'a\u007fb',
  '.',
  '..',
  '../../etc/passwd',
  'con',
  '__proto__',
  'constructor',
  'hasOwnProperty',
  'toString',
  'length',
  'null',
  'undefined',
  'true',
  '0',
  '1',
  '-1',
  '[]',
  '{}',
  '["a","b"]',
  'é',
  'e\u0301',
  'İ',
  'ß',
  'ss',
  '會話',
  '会话',
  'שיחה',
  'a\u200bb',
  'a\u202eb',
  '👩‍👩‍👧',
  '👩',
  '\uD83D',
  '\uDC69',
  'a\uD83D',
  '\uFFFD',
  '\uFFFF',
  'n-a',
  'k-a',
  'a_003ab',
  'x'.repeat(99),
  'x'.repeat(100),
  'x'.repeat(101),
  'x'.repeat(1_000),
  '語'.repeat(300),
]

export const nameTests: readonly StorageTest[] = [
  storageTest('tells all keys apart, whatever they are', async (storage) => {
    const all: Records = NAMES.map((key, index) => [key, index])
    for (const [key, value] of all) await storage.write('a', { put: new Map([[key, value]]) })
    await checkRecords(storage, 'a', all)
    await storage.write('b', { put: new Map(all) })
    await checkRecords(storage, 'b', all)
    for (const [key, value] of all) {
      await checkList(storage, key, [
        ['a', value],
        ['b', value],
      ])
    }
    await storage.write('a', { remove: NAMES.slice(0, -1) })
    await checkRecords(storage, 'a', all.slice(-1))
    await checkRecords(storage, 'b', all)
  }),

  storageTest('tells all namespaces apart, whatever they are', async (storage) => {
    const all: Records = NAMES.map((namespace, index) => [namespace, index])
    for (const [namespace, value] of all) {
      await storage.write(namespace, { put: new Map([['x', value]]) })
    }
    await checkList(storage, 'x', all)
    for (const [namespace, value] of all) await checkRecords(storage, namespace, [['x', value]])
    for (const namespace of NAMES.slice(0, -1)) await storage.remove(namespace)
    await checkList(storage, 'x', all.slice(-1))
  }),

  storageTest('tells a namespace from the beginning of another one', async (storage) => {
    const pairs = [
      ['a', 'b:c'],
      ['a:b', 'c'],
      ['a:b:c', ''],
      ['', 'a:b:c'],
      ['ab', 'c'],
      ['a', 'bc'],
    ] as const
    for (const [namespace, key] of pairs) {
      await storage.write(namespace, { put: new Map([[key, `${namespace}|${key}`]]) })
    }
    await storage.remove('a')
    await checkRecords(storage, 'a', [])
    await checkRecords(storage, 'a:b', [['c', 'a:b|c']])
    await checkRecords(storage, 'a:b:c', [['', 'a:b:c|']])
    await checkRecords(storage, '', [['a:b:c', '|a:b:c']])
    await checkRecords(storage, 'ab', [['c', 'ab|c']])
  }),

  storageTest(
    'keeps texts of any script, also cut in the middle of a character',
    async (storage) => {
      const texts: Records = NAMES.map((text, index) => [String(index), { [text]: [text] }])
      await storage.write('會話', { put: new Map(texts) })
      await checkRecords(storage, '會話', texts)
    },
  ),

  storageTest('lists the records of a key in all namespaces, and no others', async (storage) => {
    await storage.write('a', {
      put: new Map([
        ['title', 'A'],
        ['titles', 'no'],
        ['x', 'no'],
      ]),
    })
    await storage.write('b', { put: new Map([['title', null]]) })
    await storage.write('c', { put: new Map([['x', 'no']]) })
    await storage.write('d', { put: new Map([['title', 'D']]) })
    await storage.write('e', { put: new Map([['title', 'E']]) })
    await storage.write('d', { remove: ['title'] })
    await storage.remove('e')
    await checkList(storage, 'title', [
      ['a', 'A'],
      ['b', null],
    ])
    await checkList(storage, 'nowhere', [])
  }),

  storageTest('takes a namespace away, which can begin anew', async (storage) => {
    const records: Records = [
      ['x', 1],
      ['y', 2],
    ]
    await storage.write('a', { put: new Map(records) })
    await storage.write('b', { put: new Map(records) })
    await storage.remove('a')
    await storage.remove('a')
    await storage.remove('never there')
    await checkRecords(storage, 'a', [])
    await checkRecords(storage, 'b', records)
    await storage.write('a', { put: new Map([['z', 3]]) })
    await checkRecords(storage, 'a', [['z', 3]])
  }),
]
