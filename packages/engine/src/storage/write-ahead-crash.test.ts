import type { JSONValue } from 'ai'
import { describe, expect, it } from 'vitest'
import { contentOf, contentsAlong, HISTORY, makeMoves } from '../../test/storage/crash-history.ts'
import { testStorageArea } from '../../test/storage/web-storage-area.ts'
import { localStorageStorage } from './local-storage.ts'
import type { UnstorageLike } from './unstorage-storage.ts'
import { fromUnstorage } from './unstorage-storage.ts'

const contents = await contentsAlong(HISTORY)

/** A backend of `unstorage` that dies, and can leave the text it was writing cut in the middle. */
function mortalUnstorage(
  content: Map<string, string>,
  changesToLive: number,
  cut: boolean,
): UnstorageLike & { readonly changes: number } {
  let changes = 0
  let dead = false
  const step = async (): Promise<void> => {
    await Promise.resolve()
    if (dead) throw new Error('The process is dead.')
  }
  const change = async (key: string, value?: string): Promise<void> => {
    await step()
    if (changes >= changesToLive) {
      dead = true
      if (cut && value !== undefined) content.set(key, value.slice(0, value.length / 2))
      return step()
    }
    changes += 1
    if (value === undefined) content.delete(key)
    else content.set(key, value)
  }
  return {
    get changes() {
      return changes
    },
    getKeys: async (base = '') => {
      await step()
      return [...content.keys()].filter((key) => key.startsWith(base))
    },
    getItem: async (key) => {
      await step()
      return content.get(key) ?? null
    },
    setItem: change,
    removeItem: (key) => change(key),
  }
}

/** Whether a content is that after the acknowledged moves, or after the one that was cut as well. */
function expectWhole(content: string, made: number): void {
  expect([contents[made], contents[made + 1]]).toContain(content)
}

describe('a storage that writes ahead', () => {
  it('has every write whole or not at all, wherever a crash falls, also in the next start', async () => {
    const alive = testStorageArea()
    expect(await makeMoves(HISTORY, localStorageStorage({ storage: alive }))).toBe(HISTORY.length)
    expect(alive.changes).toBeGreaterThan(30)

    let points = 0
    for (let first = 0; first <= alive.changes; first += 1) {
      for (let second = 0; second <= 8; second += 1) {
        const { content } = testStorageArea()
        const dying = localStorageStorage({
          storage: testStorageArea({ content, changesToLive: first }),
        })
        const made = await makeMoves(HISTORY, dying)
        const again = testStorageArea({ content, changesToLive: second })
        const dyingAgain = localStorageStorage({ storage: again })
        await contentOf(dyingAgain).then(
          (found) => expectWhole(found, made),
          () => {},
        )
        const last = localStorageStorage({ storage: testStorageArea({ content }) })
        expectWhole(await contentOf(last), made)
        await last.write('a', {
          put: new Map<string, JSONValue>([
            ['p', 7],
            ['x', 7],
          ]),
        })
        const read = await last.read('a')
        expect([read.get('p'), read.get('x')]).toEqual([7, 7])
        expect([...content.keys()].filter((name) => name.startsWith('assent:w'))).toEqual([])
        points += 1
      }
    }
    expect(points).toBeGreaterThan(300)
  })

  it.each([false, true])(
    'has every write whole or not at all on a backend with slow and parallel steps (cut: %s)',
    async (cut) => {
      const alive = mortalUnstorage(new Map(), Infinity, false)
      expect(await makeMoves(HISTORY, fromUnstorage(alive))).toBe(HISTORY.length)

      for (let first = 0; first <= alive.changes; first += 1) {
        for (let second = 0; second <= 8; second += 1) {
          const content = new Map<string, string>()
          const made = await makeMoves(HISTORY, fromUnstorage(mortalUnstorage(content, first, cut)))
          await contentOf(fromUnstorage(mortalUnstorage(content, second, cut))).then(
            (found) => expectWhole(found, made),
            () => {},
          )
          expectWhole(
            await contentOf(fromUnstorage(mortalUnstorage(content, Infinity, false))),
            made,
          )
        }
      }
    },
  )

  it('lists what a crash left pending', async () => {
    for (let changesToLive = 0; changesToLive <= 4; changesToLive += 1) {
      const { content } = testStorageArea()
      const dying = localStorageStorage({ storage: testStorageArea({ content, changesToLive }) })
      await makeMoves(HISTORY.slice(0, 1), dying)
      const listed = await localStorageStorage({ storage: testStorageArea({ content }) }).list('x')
      expect([...listed]).toEqual(changesToLive === 0 ? [] : [['a', 1]])
    }
  })
})

describe('a storage that writes ahead into little room', () => {
  const before = new Map<string, JSONValue>([
    ['x', 'x'.repeat(200)],
    ['y', 'y'],
    ['z', 'z'.repeat(50)],
  ])
  const after = new Map<string, JSONValue>([
    ['x', 'X'],
    ['y', 'Y'.repeat(200)],
    ['new', 'n'.repeat(100)],
  ])

  it('leaves the old records when there is no room for all the new ones, wherever it ends', async () => {
    const outcomes = new Set<string>()
    for (let quota = 380; quota < 1_200; quota += 1) {
      const area = testStorageArea({ quota })
      const storage = localStorageStorage({ storage: area })
      // Record by record: that takes no more room than they do.
      for (const [key, value] of before) await storage.write('a', { put: new Map([[key, value]]) })
      const outcome = await storage.write('a', { put: after, remove: ['z'] }).then(
        () => 'written',
        (error: unknown) => (error instanceof Error ? error.name : 'nothing said'),
      )
      outcomes.add(outcome)
      const fresh = localStorageStorage({ storage: testStorageArea({ content: area.content }) })
      expect(await fresh.read('a')).toEqual(outcome === 'written' ? after : before)
      expect(area.content.size).toBe(3)
    }
    expect([...outcomes]).toEqual(['QuotaExceededError', 'written'])
  })

  it('reads a change that was left pending and for which there is no room', async () => {
    const { content } = testStorageArea()
    const dying = localStorageStorage({ storage: testStorageArea({ content, changesToLive: 4 }) })
    for (const [key, value] of before) await dying.write('a', { put: new Map([[key, value]]) })
    await makeMoves([{ in: 'a', write: { put: after, remove: ['z'] } }], dying)
    const used = [...content].reduce((sum, [name, text]) => sum + name.length + text.length, 0)

    const full = localStorageStorage({ storage: testStorageArea({ content, quota: used }) })
    expect(await full.read('a')).toEqual(after)
    expect(await full.list('new')).toEqual(new Map([['a', after.get('new')]]))
    await expect(full.write('a', { put: new Map([['more', 1]]) })).rejects.toMatchObject({
      name: 'QuotaExceededError',
    })
    expect(await full.read('a')).toEqual(after)
    await full.remove('a')
    expect(content.size).toBe(0)
  })

  it('makes room by taking a namespace away, also when there is none', async () => {
    const area = testStorageArea({ quota: 330 })
    const storage = localStorageStorage({ storage: area })
    for (const [key, value] of before) await storage.write('a', { put: new Map([[key, value]]) })
    await storage.remove('a')
    expect(area.content.size).toBe(0)
  })
})
