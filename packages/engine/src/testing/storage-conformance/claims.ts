import type { JSONValue } from 'ai'
import type { ConversationStorage, StorageWriteResult } from '../../storage/storage.ts'
import { checkRecords, checkRejects, fail } from './check.ts'
import { storageTest, type StorageTest } from './storage-test.ts'

const ROUNDS = 100

/** Claims a record, together with a record that says who did. */
function claim(
  storage: ConversationStorage,
  { key = 'claim', expected, id }: { key?: string; expected?: string | undefined; id: string },
): Promise<StorageWriteResult> {
  return storage.write(
    'a',
    { claim: { key, expected, id }, put: new Map([[`by ${id}`, id]]), remove: [`not ${id}`] },
    { durability: 'strict' },
  )
}

function checkResult(
  what: string,
  { claimed, holder }: StorageWriteResult,
  expected: StorageWriteResult,
): void {
  if (claimed === expected.claimed && holder === expected.holder) return
  fail(`${what} resolved to ${JSON.stringify({ claimed, holder })}`)
}

/** Races two for one claim, again and again; what each round wants of it is what the last one left. */
async function race(one: ConversationStorage, other: ConversationStorage): Promise<void> {
  let expected: string | undefined
  const left = new Map<string, JSONValue>()
  for (let round = 0; round < ROUNDS; round++) {
    const ids = [`one, ${round}`, `other, ${round}`]
    // Each is the first to ask every other time.
    const asked = round % 2 === 0 ? [one, other] : [other, one]
    const results = await Promise.all(
      asked.map((storage, index) =>
        claim(storage, { expected, id: ids[index] ?? fail('a race is of two') }),
      ),
    )
    const winner = ids.find((_, index) => results[index]?.claimed === true)
    const won = results.filter(({ claimed }) => claimed === true).length
    const lost = results.filter(({ claimed }) => claimed === false)
    if (won !== 1 || lost.length !== 1 || winner === undefined) {
      fail(`${won} of two claims of the same record were made`)
    }
    for (const { holder } of lost) {
      if (holder !== winner) fail(`a lost claim names ${holder} as the holder, not ${winner}`)
    }
    left.set('claim', winner).set(`by ${winner}`, winner)
    expected = winner
  }
  await checkRecords(one, 'a', [...left])
  await checkRecords(other, 'a', [...left])
}

export const claimTests: readonly StorageTest[] = [
  storageTest('makes a claim of a record that is not there, once', async (storage) => {
    checkResult('a first claim', await claim(storage, { id: 'x' }), { claimed: true })
    const second = await claim(storage, { id: 'y' })
    checkResult('a second claim', second, { claimed: false, holder: 'x' })
    await checkRecords(storage, 'a', [
      ['claim', 'x'],
      ['by x', 'x'],
    ])
  }),

  storageTest('makes a claim of a record that holds what is expected', async (storage) => {
    await claim(storage, { id: 'x' })
    const next = await claim(storage, { expected: 'x', id: 'y' })
    checkResult('a claim of what is there', next, { claimed: true })
    const late = await claim(storage, { expected: 'x', id: 'z' })
    checkResult('a claim of what was there', late, { claimed: false, holder: 'y' })
    await storage.write('a', { remove: ['claim'] })
    const gone = await claim(storage, { expected: 'y', id: 'z' })
    checkResult('a claim of what was taken away', gone, { claimed: false })
    checkResult('a claim anew', await claim(storage, { id: 'z' }), { claimed: true })
  }),

  storageTest('makes a claim alone, and by its very text', async (storage) => {
    const alone = { key: '__proto__', expected: undefined, id: '' }
    checkResult('a claim', await storage.write('a', { claim: alone }), { claimed: true })
    const again = { ...alone, expected: '\u0000', id: 'x' }
    checkResult('a claim of another text', await storage.write('a', { claim: again }), {
      claimed: false,
      holder: '',
    })
    const next = { ...alone, expected: '', id: '\uD83D"\\' }
    checkResult('a claim of this text', await storage.write('a', { claim: next }), {
      claimed: true,
    })
    await checkRecords(storage, 'a', [['__proto__', '\uD83D"\\']])
  }),

  storageTest('makes no claim of a record that holds no text', async (storage) => {
    const values: [string, JSONValue][] = [
      ['null', null],
      ['number', 7],
      ['list', ['7']],
      ['object', { id: '7' }],
    ]
    await storage.write('a', { put: new Map(values) })
    for (const [key] of values) {
      for (const expected of [undefined, '7', 'null']) {
        const result = await claim(storage, { key, expected, id: 'x' })
        checkResult(`a claim of ${key}`, result, { claimed: false })
      }
    }
    await checkRecords(storage, 'a', values)
  }),

  storageTest('writes nothing of a write whose claim is lost', async (storage) => {
    const before = [
      ['claim', 'x'],
      ['old', 1],
      ['not y', 1],
    ] as const
    await storage.write('a', { put: new Map<string, JSONValue>(before) })
    const put = new Map<string, JSONValue>([
      ['old', 2],
      ['new', 2],
    ])
    const lost = { key: 'claim', expected: undefined, id: 'y' }
    const result = await storage.write('a', { put, remove: ['not y'], claim: lost })
    checkResult('a lost claim', result, { claimed: false, holder: 'x' })
    await checkRecords(storage, 'a', before)
  }),

  storageTest('makes no claim of a write that cannot be stored', async (storage) => {
    const broken = Object.defineProperty({}, 'x', {
      enumerable: true,
      get: () => {
        throw new Error('This value cannot be read.')
      },
    })
    const key = 'claim'
    await checkRejects(
      'A claim with what cannot be stored',
      storage.write('a', {
        put: new Map([['broken', broken]]),
        claim: { key, expected: undefined, id: 'x' },
      }),
    )
    checkResult('the claim after it', await claim(storage, { id: 'y' }), { claimed: true })
  }),

  storageTest('keeps the claims of namespaces and keys apart', async (storage) => {
    for (const namespace of ['a', 'b']) {
      for (const key of ['x', 'y']) {
        const made = { key, expected: undefined, id: `${namespace} ${key}` }
        checkResult('a claim', await storage.write(namespace, { claim: made }), { claimed: true })
      }
    }
    await checkRecords(storage, 'b', [
      ['x', 'b x'],
      ['y', 'b y'],
    ])
  }),

  storageTest('gives each of many claims at once to one', async (storage) => {
    await race(storage, storage)
  }),

  {
    name: 'gives a claim to one of two that use the same store',
    run: async (make) => {
      const { storage, beside } = await make()
      if (!beside) return
      await race(storage, await beside())
    },
  },

  {
    name: 'says between whom its claims decide',
    run: async (make) => {
      const { storage } = await make()
      if (storage.claims !== 'store' && storage.claims !== 'process') {
        fail(`claims is ${JSON.stringify(storage.claims)}, not 'store' or 'process'`)
      }
    },
  },
]
