import type { ConversationStorage } from '../../storage/storage.ts'
import { checkFenced, checkRecords, fail } from './check.ts'
import { storageTest, type StorageTest } from './storage-test.ts'

function put(storage: ConversationStorage, value: number, fence?: number): Promise<unknown> {
  return storage.write('a', { put: new Map([['x', value]]) }, { fence })
}

/** Asks for so many tokens; each must be above the one before. */
async function checkGrowing(tokens: AsyncIterable<number>): Promise<void> {
  let before = -Infinity
  for await (const token of tokens) {
    if (!Number.isSafeInteger(token) || token <= before) {
      fail(`the token after ${before} is ${token}`)
    }
    before = token
  }
}

export const fenceTests: readonly StorageTest[] = [
  storageTest('refuses what a former holder writes, all of it', async (storage) => {
    const first = await storage.fence('a')
    await put(storage, 1, first)
    const second = await storage.fence('a')
    await checkFenced('A write of a former holder', put(storage, 2, first))
    await checkFenced('An empty write of a former holder', storage.write('a', {}, { fence: first }))
    await checkFenced('A removal by a former holder', storage.remove('a', { fence: first }))
    const claim = { key: 'claim', expected: undefined, id: 'x' }
    await checkFenced('A claim of a former holder', storage.write('a', { claim }, { fence: first }))
    await checkRecords(storage, 'a', [['x', 1]])
    await put(storage, 3, second)
    await checkRecords(storage, 'a', [['x', 3]])
  }),

  storageTest('takes what anybody writes without a token', async (storage) => {
    await storage.fence('a')
    await put(storage, 1)
    await checkRecords(storage, 'a', [['x', 1]])
    await storage.remove('a')
    await checkRecords(storage, 'a', [])
  }),

  storageTest('remembers the greatest token that it was given', async (storage) => {
    await put(storage, 1, 7)
    await checkFenced('A write with an older token', put(storage, 2, 6))
    await storage.write('a', {}, { fence: 9 })
    await checkFenced('A write with an older token', put(storage, 2, 8))
    await put(storage, 3, 9)
    const next = await storage.fence('a')
    if (next <= 9) fail(`the token after 9 is ${next}`)
    await checkRecords(storage, 'a', [['x', 3]])
  }),

  storageTest('gives tokens that grow, of each namespace for itself', async (storage) => {
    await checkGrowing(
      (async function* () {
        for (let turn = 0; turn < 5; turn++) yield storage.fence('a')
      })(),
    )
    await storage.write('b', { put: new Map([['x', 1]]) }, { fence: 1 })
    await checkRecords(storage, 'b', [['x', 1]])
    await checkRecords(storage, 'a', [])
  }),

  storageTest('remembers tokens when the namespace is taken away', async (storage) => {
    const first = await storage.fence('a')
    await put(storage, 1, first)
    const second = await storage.fence('a')
    await storage.remove('a', { fence: second })
    await checkFenced('A write of a former holder', put(storage, 2, first))
    await storage.removeAll('')
    await checkFenced('A write of a former holder', put(storage, 2, first))
    await checkRecords(storage, 'a', [])
  }),

  {
    name: 'tells the holders of two that use the same store apart',
    run: async (make) => {
      const { storage, beside } = await make()
      if (!beside) return
      const other = await beside()
      const tokens = await Promise.all(
        Array.from({ length: 50 }, (_, turn) => (turn % 2 === 0 ? storage : other).fence('a')),
      )
      if (new Set(tokens).size !== tokens.length) fail('two holders were given the same token')
      const last = Math.max(...tokens)
      await checkFenced('A write of a former holder', put(storage, 1, last - 1))
      await put(other, 2, last)
      await checkRecords(storage, 'a', [['x', 2]])
    },
  },

  {
    name: 'remembers tokens when it is opened anew',
    run: async (make) => {
      const { storage, reopen } = await make()
      if (!reopen) return
      const token = await storage.fence('a')
      await put(storage, 1, token)
      const next = await storage.fence('a')
      const opened = await reopen()
      await checkFenced('A write of a former holder', put(opened, 2, token))
      await put(opened, 3, next)
      await checkRecords(opened, 'a', [['x', 3]])
    },
  },
]
