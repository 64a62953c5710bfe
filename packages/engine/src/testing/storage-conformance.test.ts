import type { JSONValue } from 'ai'
import { describe, expect, it } from 'vitest'
import { tryClaim } from '../storage/claim.ts'
import { memoryStorage, type MemoryStorage } from '../storage/memory-storage.ts'
import type { ConversationStorage } from '../storage/storage.ts'
import { storageConformance } from './storage-conformance.ts'

/** A storage with one fault, over one that has none. */
type Fault = (good: MemoryStorage) => ConversationStorage

/** Changes how names reach the storage. */
const lower = (text: string) => text.toLowerCase()

/** A search through all records `x`. */
function searching(
  { list }: ConversationStorage,
  fold: (text: string) => string,
  toPrefix: (prefix: string) => string = (prefix) => prefix,
) {
  return async (text: string, prefix: string): Promise<string[]> => {
    const wanted = fold(JSON.stringify(text).slice(1, -1))
    const all = await list('x', { prefix: toPrefix(prefix) })
    return [...all].flatMap(([name, value]) =>
      fold(JSON.stringify(value)).includes(wanted) ? [name] : [],
    )
  }
}

const renamed =
  (rename: (name: string) => string, back: (name: string) => string = (name) => name): Fault =>
  (good) => ({
    claims: good.claims,
    read: async (namespace) =>
      new Map([...(await good.read(rename(namespace)))].map(([key, value]) => [back(key), value])),
    write: (namespace, { put = new Map(), remove = [], claim }) =>
      good.write(rename(namespace), {
        put: new Map(Array.from(put, ([key, value]) => [rename(key), value])),
        remove: remove.map(rename),
        ...(claim && { claim: { ...claim, key: rename(claim.key) } }),
      }),
    remove: (namespace, options) => good.remove(rename(namespace), options),
    removeAll: (prefix) => good.removeAll(rename(prefix)),
    fence: (namespace) => good.fence(rename(namespace)),
    list: async (key) =>
      new Map([...(await good.list(rename(key)))].map(([name, value]) => [back(name), value])),
  })

const FAULTS: [what: string, fault: Fault][] = [
  ['ignores the case of names', renamed((name) => name.toLowerCase())],
  ['trims names', renamed((name) => name.trim())],
  ['normalises names', renamed((name) => name.normalize())],
  [
    'stores names as UTF-8',
    renamed((name) => new TextDecoder().decode(new TextEncoder().encode(name))),
  ],
  ['cuts names at a NUL', renamed((name) => name.split('\u0000')[0]!)],
  ['cuts long names', renamed((name) => name.slice(0, 255))],
  [
    'keeps names as they are in a URL',
    renamed((name) => encodeURI(name.toWellFormed()), decodeURI),
  ],
  [
    'writes values of different size at different speed',
    (good) => ({
      ...good,
      write: async (namespace, changes) => {
        const small = JSON.stringify([...(changes.put ?? [])]).length < 10_000
        for (let turn = 0; turn < (small ? 1 : 20); turn += 1) await Promise.resolve()
        return good.write(namespace, changes)
      },
    }),
  ],
  [
    'writes a moment later, and reads at once',
    (good) => ({
      ...good,
      write: async (namespace, changes) => {
        await Promise.resolve()
        return good.write(namespace, changes)
      },
    }),
  ],
  [
    'writes record by record',
    (good) => ({
      ...good,
      write: async (namespace, { put = new Map(), ...rest }) => {
        const result = await good.write(namespace, rest)
        for (const entry of put) await good.write(namespace, { put: new Map([entry]) })
        return result
      },
    }),
  ],
  [
    'takes away after it wrote',
    (good) => ({
      ...good,
      write: async (namespace, { remove = [], ...rest }) => {
        const result = await good.write(namespace, rest)
        await good.write(namespace, { remove })
        return result
      },
    }),
  ],
  ['never takes a namespace away', (good) => ({ ...good, remove: async () => {} })],
  [
    'lists what begins with the key',
    (good) => ({
      ...good,
      list: async (key) => {
        const found = new Map<string, JSONValue>()
        for (const [namespace, records] of good.snapshot()) {
          const value = [...records].find(([name]) => name.startsWith(key))?.[1]
          if (value !== undefined) found.set(namespace, value)
        }
        return found
      },
    }),
  ],
  [
    'drops null',
    (good) => ({
      ...good,
      read: async (namespace) =>
        new Map([...(await good.read(namespace))].filter(([, value]) => value !== null)),
    }),
  ],
  [
    'gives out and keeps the very values',
    (good) => {
      const content = new Map<string, Map<string, JSONValue>>()
      return {
        ...good,
        read: async (namespace) => new Map(content.get(namespace)),
        write: async (namespace, { put = new Map(), remove = [], claim }) => {
          const records = content.get(namespace) ?? new Map<string, JSONValue>()
          const outcome = claim && tryClaim(claim, { value: records.get(claim.key) })
          if (outcome?.claimed === false) return outcome
          for (const value of put.values()) JSON.stringify(value)
          for (const key of remove) records.delete(key)
          for (const [key, value] of put) records.set(key, value)
          if (claim) records.set(claim.key, claim.id)
          content.set(namespace, records)
          return outcome ?? {}
        },
        remove: async (namespace) => void content.delete(namespace),
        list: async (key) =>
          new Map(
            [...content].flatMap(([namespace, records]) => {
              const value = records.get(key)
              return value === undefined ? [] : [[namespace, value] as const]
            }),
          ),
      }
    },
  ],
  [
    'does not know of claims',
    (good) => ({
      ...good,
      write: (namespace, { claim: _claim, ...changes }) => good.write(namespace, changes),
    }),
  ],
  [
    'gives a claim to everybody',
    (good) => ({
      ...good,
      write: async (namespace, { claim, put = new Map(), ...changes }) => {
        await good.write(namespace, {
          ...changes,
          put: claim ? new Map([...put, [claim.key, claim.id]]) : put,
        })
        return claim ? { claimed: true } : {}
      },
    }),
  ],
  [
    'compares a claim before it writes it',
    (good) => ({
      ...good,
      write: async (namespace, { claim, put = new Map(), ...changes }) => {
        if (!claim) return good.write(namespace, { ...changes, put })
        const records = await good.read(namespace)
        const outcome = tryClaim(claim, { value: records.get(claim.key) })
        if (!outcome.claimed) return outcome
        const all = new Map([...put, [claim.key, claim.id]])
        await good.write(namespace, { ...changes, put: all })
        return outcome
      },
    }),
  ],
  [
    'writes the rest when a claim is lost',
    (good) => ({
      ...good,
      write: async (namespace, { claim, ...changes }) => {
        await good.write(namespace, changes)
        return good.write(namespace, claim ? { claim } : {})
      },
    }),
  ],
  [
    'takes writes of former holders',
    (good) => ({
      ...good,
      write: (namespace, changes) => good.write(namespace, changes),
      remove: (namespace) => good.remove(namespace),
    }),
  ],
  [
    'refuses a former holder after it has written',
    (good) => ({
      ...good,
      write: async (namespace, changes, options) => {
        const result = await good.write(namespace, changes)
        await good.write(namespace, {}, options)
        return result
      },
    }),
  ],
  ['gives each holder the same token', (good) => ({ ...good, fence: async () => 1 })],
  [
    'forgets the holder with the namespace',
    (good) => {
      let other = memoryStorage()
      return {
        ...good,
        fence: (namespace) => other.fence(namespace),
        write: async (namespace, changes, options) => {
          await other.write(namespace, {}, options)
          return good.write(namespace, changes)
        },
        remove: async (namespace) => {
          other = memoryStorage()
          await good.remove(namespace)
        },
      }
    },
  ],
  ['reads all, whatever the range', (good) => ({ ...good, read: (name) => good.read(name) })],
  [
    'looks for a text in its own case only',
    (good) => ({ ...good, search: searching(good, (text) => text) }),
  ],
  [
    'looks for a text everywhere',
    (good) => ({ ...good, search: searching(good, lower, () => '') }),
  ],
  ['lists all, whatever the range', (good) => ({ ...good, list: (key) => good.list(key) })],
  [
    'reads in the order of the writes',
    (good) => {
      const order = new Map<string, number>()
      return {
        ...good,
        write: async (namespace, changes, options) => {
          for (const key of changes.put?.keys() ?? []) order.set(key, order.size)
          return good.write(namespace, changes, options)
        },
        read: async (namespace, range) =>
          new Map(
            [...(await good.read(namespace, range))].toSorted(
              ([one], [other]) => (order.get(one) ?? 0) - (order.get(other) ?? 0),
            ),
          ),
      }
    },
  ],
  [
    'takes no more away than one namespace',
    (good) => ({ ...good, removeAll: (prefix) => good.remove(prefix) }),
  ],
  [
    'holds up everything after a write that failed',
    (good) => {
      let tail: Promise<unknown> = Promise.resolve()
      const next = <T>(task: () => Promise<T>): Promise<T> => {
        const result = tail.then(task)
        tail = result
        return result
      }
      return {
        ...good,
        write: (namespace, changes) => next(() => good.write(namespace, changes)),
        remove: (namespace) => next(() => good.remove(namespace)),
        read: async (namespace) => {
          await tail.catch(() => {})
          return good.read(namespace)
        },
      }
    },
  ],
]

async function failures(fault: Fault, reopens?: boolean): Promise<string[]> {
  const failed: string[] = []
  for (const { name, run } of storageConformance()) {
    const made = run(async () => ({
      storage: fault(memoryStorage()),
      ...(reopens && { reopen: async () => fault(memoryStorage()) }),
    }))
    await made.catch((error: unknown) => failed.push(`${name}: ${String(error)}`))
  }
  return failed
}

describe('storageConformance', () => {
  it.each(FAULTS)('finds out a storage that %s', async (_what, fault) => {
    expect(await failures(fault)).not.toEqual([])
  })

  it('finds out a storage that forgets when it is opened anew, if that can be tried', async () => {
    expect(await failures((good) => good)).toEqual([])
    expect(await failures((good) => good, true)).toEqual([
      expect.stringMatching(/opened anew.*lacks "true"/),
      expect.stringMatching(/remembers tokens.*opened anew/),
    ])
  })

  it('says what is wrong', async () => {
    const [first] = await failures((good) => ({ ...good, read: async () => new Map([['x', 9]]) }))
    expect(first).toBe(
      'reads nothing where nothing was written: Error: The storage does not keep the contract: ' +
        'read("none") has "x", which it should not.',
    )
  })

  it('gives its tests names of their own', () => {
    const names = storageConformance().map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
  })
})
