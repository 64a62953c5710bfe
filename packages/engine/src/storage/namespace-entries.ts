import type { JSONValue } from 'ai'
import type { EntryNames } from './entry-names.ts'
import { tryClaim, type ClaimOutcome } from './claim.ts'
import type { EntryStore } from './entry-store.ts'
import { passFence } from './fence.ts'
import {
  CLEARING,
  parseJson,
  readPendingChange,
  writePendingChange,
  type PendingChange,
} from './pending-change.ts'
import { keysInRange } from './ranges.ts'
import type { StorageClaim, StorageRange } from './storage.ts'

/**
 * The entries of one namespace, one per record, whose changes are whole or not there at all on a
 * backend without transactions. A change first sets one more entry that holds all of it, the pending
 * change, then is made, then deletes that entry. Who finds a pending change makes it again, which is
 * the same as making it once; one that was cut while it was set is dropped: nothing had changed yet.
 *
 * No two methods may run at the same time for a namespace.
 */
export class NamespaceEntries {
  readonly #entries: EntryStore
  readonly #names: EntryNames
  readonly #namespace: string
  readonly #pending: string

  constructor(entries: EntryStore, names: EntryNames, namespace: string) {
    this.#entries = entries
    this.#names = names
    this.#namespace = namespace
    this.#pending = names.pending(namespace)
  }

  /** The value of a record; `undefined` when it is not there or unreadable. */
  async readRecord(key: string): Promise<JSONValue | undefined> {
    const text = await this.#entries.get(this.#record(key))
    return text === undefined ? undefined : parseJson(text)
  }

  /** The readable records of a range, with a change that was left pending. */
  async read(range: StorageRange = {}): Promise<Map<string, JSONValue>> {
    const pending = await this.#findPending()
    // On a full disk a read still shows what a write will finish once there is room.
    const isLeft = pending && !(await attempt(() => this.#finish(pending)))
    const { limit = Infinity } = range
    const change = isLeft ? pending : { clear: false, put: new Map<string, string>(), remove: [] }
    const gone = new Set(change.remove)
    const there = change.clear ? [] : (await this.#keys()).filter((key) => !gone.has(key))
    const keys = keysInRange(new Set([...there, ...change.put.keys()]), range)
    const records = new Map<string, JSONValue>()
    // So many at once, in their order; what is unreadable makes room for another one.
    while (keys.length > 0 && records.size < limit) {
      const page = keys.splice(0, limit - records.size)
      const values = new Map<string, JSONValue>()
      await allDone(page, async (key) => {
        const text = change.put.get(key)
        const value = text === undefined ? await this.readRecord(key) : parseJson(text)
        if (value !== undefined) values.set(key, value)
      })
      for (const key of page) {
        const value = values.get(key)
        if (value !== undefined) records.set(key, value)
      }
    }
    return records
  }

  /** @param atomicEntries an entry is never seen half written, also after a crash */
  async write(
    change: PendingChange,
    {
      atomicEntries,
      fence,
    }: { readonly atomicEntries: boolean; readonly fence: number | undefined },
  ): Promise<ClaimOutcome | undefined> {
    await this.#pass(fence)
    const left = await this.#findPending()
    if (left) await this.#finish(left)
    const { claim } = change
    const outcome = claim && tryClaim(claim, await this.#held(claim))
    const size = change.put.size + change.remove.length
    if (outcome?.claimed === false || size === 0) return outcome
    const single = size === 1
    await (single && atomicEntries ? this.#make(change) : this.#makeOrUndo(change))
    return outcome
  }

  async removeAll(fence?: number): Promise<void> {
    await this.#pass(fence)
    // Room must be made also when there is none for another entry.
    await attempt(() => this.#entries.set(this.#pending, writePendingChange(CLEARING)))
    await this.#finish(CLEARING)
  }

  /** Gives the next token. */
  async raiseFence(): Promise<number> {
    const token = ((await this.#greatest()) ?? 0) + 1
    await this.#entries.set(this.#names.fence(this.#namespace), JSON.stringify(token))
    return token
  }

  /** Refuses the token of a former holder; remembers that of a later one, before anything is written. */
  async #pass(token: number | undefined): Promise<void> {
    if (token === undefined) return
    const greatest = await this.#greatest()
    if (passFence(greatest, token) === greatest) return
    await this.#entries.set(this.#names.fence(this.#namespace), JSON.stringify(token))
  }

  async #greatest(): Promise<number | undefined> {
    const text = await this.#entries.get(this.#names.fence(this.#namespace))
    const token = text === undefined ? undefined : parseJson(text)
    return typeof token === 'number' ? token : undefined
  }

  async #keys(): Promise<string[]> {
    const names = await this.#entries.names(this.#names.records(this.#namespace))
    return names.flatMap((name) => {
      const parsed = this.#names.parse(name)
      return parsed?.kind === 'record' && parsed.namespace === this.#namespace ? [parsed.key] : []
    })
  }

  #record(key: string): string {
    return this.#names.record(this.#namespace, key)
  }

  async #held({ key }: StorageClaim): Promise<Parameters<typeof tryClaim>[1]> {
    const text = await this.#entries.get(this.#record(key))
    if (text === undefined) return { value: undefined }
    const value = parseJson(text)
    return value === undefined ? 'unreadable' : { value }
  }

  async #findPending(): Promise<PendingChange | undefined> {
    const text = await this.#entries.get(this.#pending)
    if (text === undefined) return undefined
    const change = readPendingChange(text)
    if (!change) await attempt(() => this.#entries.delete(this.#pending))
    return change
  }

  async #finish(change: PendingChange): Promise<void> {
    await this.#make(change.clear ? { ...change, remove: await this.#keys() } : change)
    await this.#entries.delete(this.#pending)
  }

  async #makeOrUndo(change: PendingChange): Promise<void> {
    const undoing = await this.#undoing(change)
    try {
      await this.#entries.set(this.#pending, writePendingChange(change))
    } catch (error) {
      // Whatever of it arrived must not be made later.
      await attempt(() => this.#entries.delete(this.#pending))
      throw error
    }
    try {
      await this.#make(change)
    } catch (error) {
      // What cannot be undone stays pending, and becomes whole in that way.
      await attempt(async () => {
        await this.#make(undoing)
        await this.#entries.delete(this.#pending)
      })
      throw error
    }
    // It is made: when its entry stays, the next one makes it again before anything else.
    await attempt(() => this.#entries.delete(this.#pending))
  }

  /** The change that undoes another one. It takes all away first: what was there fits again then. */
  async #undoing(change: PendingChange): Promise<PendingChange> {
    const keys = [...change.put.keys(), ...change.remove]
    const put = new Map<string, string>()
    await allDone(keys, async (key) => {
      const text = await this.#entries.get(this.#record(key))
      if (text !== undefined) put.set(key, text)
    })
    return { clear: false, put, remove: keys }
  }

  /** Takes away first: that makes room. */
  async #make({ put, remove }: PendingChange): Promise<void> {
    await allDone(remove, (key) => this.#entries.delete(this.#record(key)))
    await allDone(put, ([key, text]) => this.#entries.set(this.#record(key), text))
  }
}

/** Does something for all items side by side; waits for all of them, also when one fails. */
async function allDone<T>(
  items: Iterable<T>,
  act: (item: T) => Promise<void> | void,
): Promise<void> {
  const results = await Promise.allSettled(Array.from(items, async (item) => act(item)))
  for (const result of results) if (result.status === 'rejected') throw result.reason
}

/** Does something whose failure changes nothing that was promised. Answers whether it went well. */
async function attempt(act: () => Promise<void> | void): Promise<boolean> {
  try {
    await act()
    return true
  } catch {
    // Whoever comes next finds what is left.
    return false
  }
}
