import type { JSONValue } from 'ai'
import { isRecord } from '../../message/tool-part.ts'
import type {
  ConversationStorage,
  StorageListPlace,
  StorageListRange,
  StorageRange,
} from '../../storage/storage.ts'
import { checkOrder, checkRecords, fail } from './check.ts'
import { storageTest, type StorageTest } from './storage-test.ts'

const padded = (index: number) => String(index).padStart(4, '0')

/** All records of a range, by pages of so many. */
async function readByPages(
  storage: ConversationStorage,
  namespace: string,
  { limit, ...range }: StorageRange & { limit: number },
): Promise<string[]> {
  const keys: string[] = []
  let { after } = range
  for (;;) {
    const page = [...(await storage.read(namespace, { ...range, after, limit })).keys()]
    if (page.length > limit) fail(`a page of ${limit} records has ${page.length}`)
    checkNew(keys, page)
    keys.push(...page)
    if (page.length < limit) return keys
    after = page.at(-1)
  }
}

async function listByPages(
  storage: ConversationStorage,
  key: string,
  { limit, ...range }: StorageListRange & { limit: number },
): Promise<string[]> {
  const namespaces: string[] = []
  let after: StorageListPlace | undefined
  for (;;) {
    const page = [...(await storage.list(key, { ...range, after, limit }))]
    if (page.length > limit) fail(`a page of ${limit} namespaces has ${page.length}`)
    const found = page.map(([namespace]) => namespace)
    checkNew(namespaces, found)
    namespaces.push(...found)
    const last = page.at(-1)
    if (page.length < limit || !last) return namespaces
    const [namespace, value] = last
    after = { namespace, value: range.by === undefined ? undefined : numberIn(value, range.by) }
  }
}

/** Else it would never end. */
function checkNew(before: readonly string[], page: readonly string[]): void {
  const again = page.find((name) => before.includes(name))
  if (again !== undefined) fail(`a later page has ${JSON.stringify(again)} again`)
}

function numberIn(value: JSONValue, field: string): number | undefined {
  const found = isRecord(value) ? value[field] : undefined
  return typeof found === 'number' ? found : undefined
}

/** Keys that begin alike, and some that stand at the edges of that. */
const KEYS = [
  'a',
  'm',
  'm/',
  ...Array.from({ length: 25 }, (_, index) => `m/${padded(index)}`),
  'm/0003/x',
  'm0',
  'n',
]
const SORTED = KEYS.toSorted()

async function fill(storage: ConversationStorage): Promise<void> {
  for (const [index, key] of KEYS.toReversed().entries()) {
    await storage.write('a', { put: new Map([[key, index]]) })
    await storage.write(`beside/${key}`, { put: new Map([[key, index]]) })
  }
}

export const rangeTests: readonly StorageTest[] = [
  storageTest('reads records in the order of their keys', async (storage) => {
    await fill(storage)
    checkOrder('a read', [...(await storage.read('a')).keys()], SORTED)
    const back = await storage.read('a', { descending: true })
    checkOrder('a read from the end', [...back.keys()], SORTED.toReversed())
  }),

  storageTest('reads the records whose keys begin alike', async (storage) => {
    await fill(storage)
    for (const prefix of ['m', 'm/', 'm/000', 'm/0003', 'a', 'x', '']) {
      const wanted = SORTED.filter((key) => key.startsWith(prefix))
      checkOrder(`of "${prefix}"`, [...(await storage.read('a', { prefix })).keys()], wanted)
      const back = await storage.read('a', { prefix, descending: true })
      checkOrder(`of "${prefix}" from the end`, [...back.keys()], wanted.toReversed())
    }
  }),

  storageTest('reads by pages, from either end', async (storage) => {
    await fill(storage)
    for (const limit of [1, 4, 10, KEYS.length, 1_000]) {
      const all = await readByPages(storage, 'a', { limit })
      checkOrder(`pages of ${limit}`, all, SORTED)
      const wanted = SORTED.filter((key) => key.startsWith('m/'))
      const part = await readByPages(storage, 'a', { prefix: 'm/', limit })
      checkOrder(`pages of ${limit}`, part, wanted)
      const back = await readByPages(storage, 'a', { prefix: 'm/', limit, descending: true })
      checkOrder(`pages of ${limit} from the end`, back, wanted.toReversed())
    }
  }),

  storageTest('reads what follows a key, whether that is there or not', async (storage) => {
    await fill(storage)
    for (const after of ['', 'a', 'm/0003', 'm/0003/', 'm/9', 'n', 'z']) {
      for (const prefix of ['', 'm/']) {
        const wanted = SORTED.filter((key) => key > after && key.startsWith(prefix))
        const read = await storage.read('a', { prefix, after })
        checkOrder(`after "${after}"`, [...read.keys()], wanted)
        const before = SORTED.filter((key) => key < after && key.startsWith(prefix))
        const back = await storage.read('a', { prefix, after, descending: true })
        checkOrder(`before "${after}"`, [...back.keys()], before.toReversed())
      }
    }
    checkOrder('a page of none', [...(await storage.read('a', { limit: 0 })).keys()], [])
  }),

  storageTest('reads pages of any keys, each once', async (storage) => {
    const odd = ['', '\u0000', '\uFFFF', '\uD83D', '\u{1F469}', '語', 'a\\', "'", '\uE000', 'é']
    await storage.write('a', { put: new Map(odd.map((key) => [key, key])) })
    const whole = [...(await storage.read('a')).keys()]
    checkOrder('pages', await readByPages(storage, 'a', { limit: 3 }), whole)
    const back = await readByPages(storage, 'a', { limit: 3, descending: true })
    checkOrder('pages from the end', back, whole.toReversed())
    checkOrder('all', whole.toSorted(), odd.toSorted())
  }),

  storageTest('lists by pages, in the order of the namespaces', async (storage) => {
    for (const key of KEYS.toReversed()) {
      await storage.write(`x/${key}`, { put: new Map([['about', key]]) })
      await storage.write(key, {
        put: new Map([
          ['about', key],
          ['other', ''],
        ]),
      })
    }
    const all = [...KEYS, ...KEYS.map((key) => `x/${key}`)].toSorted()
    for (const limit of [1, 7, 1_000]) {
      checkOrder(`pages of ${limit}`, await listByPages(storage, 'about', { limit }), all)
      const wanted = all.filter((namespace) => namespace.startsWith('x/m'))
      const part = await listByPages(storage, 'about', { prefix: 'x/m', limit })
      checkOrder(`pages of ${limit}`, part, wanted)
    }
  }),

  storageTest('lists by a number in the records, the greatest first', async (storage) => {
    const values: [string, JSONValue][] = [
      ['e', { at: 2, text: '9' }],
      ['b', { at: -1.5 }],
      ['c', { at: 10 }],
      ['d', { at: 2 }],
      ['none', { text: 'x' }],
      ['text', 'at'],
      ['null', null],
      ['false', { at: '7' }],
      ['a', { at: 1e15 }],
    ]
    for (const [name, value] of values) {
      await storage.write(`x/${name}`, { put: new Map([['about', value]]) })
    }
    await storage.write('y', { put: new Map([['about', { at: 5 }]]) })
    const order = ['a', 'c', 'd', 'e', 'b', 'false', 'none', 'null', 'text']
    const wanted = order.map((name) => `x/${name}`)
    for (const limit of [1, 2, 4, 100]) {
      const listed = await listByPages(storage, 'about', { prefix: 'x/', by: 'at', limit })
      checkOrder(`pages of ${limit}`, listed, wanted)
    }
    for (const by of ['__proto__', 'constructor', "'", '"', '$.at', '']) {
      const listed = await listByPages(storage, 'about', { prefix: 'x/', by, limit: 3 })
      checkOrder(`pages by ${by}`, listed, wanted.toSorted())
    }
  }),

  storageTest('takes away all namespaces that begin alike, and no others', async (storage) => {
    await fill(storage)
    await storage.removeAll('beside/m/')
    const left = SORTED.map((key) => `beside/${key}`).filter(
      (name) => !name.startsWith('beside/m/'),
    )
    const found: string[] = []
    for (const key of KEYS) {
      found.push(...[...(await storage.list(key)).keys()].filter((name) => name !== 'a'))
    }
    checkOrder('what is left', found.toSorted(), left)
    await storage.removeAll('never there')
    const writing = storage.write('beside/z', { put: new Map([['x', 1]]) })
    await Promise.all([writing, storage.removeAll('beside/')])
    await checkRecords(storage, 'beside/z', [])
    checkOrder('a', [...(await storage.read('a')).keys()], SORTED)
    await storage.removeAll('')
    await checkRecords(storage, 'a', [])
  }),
]
