import type { ConversationStorage } from './storage.ts'

/** Whether somebody works on a conversation now: what its store says of that, a crash leaves behind. */
export interface AtWork {
  /** Says whether this one does. */
  now(isAtWork: boolean): void
  /** Whether another one does, of this page or process, or in another tab. */
  isElsewhere(): Promise<boolean>
}

/** Who is at work, by store and namespace. */
const workers = new WeakMap<object, Map<string, Set<object>>>()

/**
 * Tells others of one's work, and is told of theirs: in a page by a Web Lock, which ends with its tab
 * however that ends. Nobody waits for it, it keeps nobody out: that is done by the claim.
 */
export function atWork(storage: ConversationStorage, namespace: string): AtWork {
  const self = {}
  const { store = storage } = storage
  const ofStorage = workers.get(store) ?? new Map<string, Set<object>>()
  workers.set(store, ofStorage)
  const locks = storage.endsWithProcess || storage.sharing ? undefined : pageLocks()
  const name = `assent:at-work:${namespace}`
  let release: (() => void) | undefined

  return {
    now(isAtWork) {
      if (isAtWork === (release !== undefined)) return
      if (!isAtWork) return release?.()
      const { promise, resolve } = Promise.withResolvers<void>()
      const here = ofStorage.get(namespace) ?? new Set()
      ofStorage.set(namespace, here.add(self))
      release = () => {
        release = undefined
        here.delete(self)
        if (here.size === 0 && ofStorage.get(namespace) === here) ofStorage.delete(namespace)
        resolve()
      }
      // Where it cannot be asked for, others are not told.
      void locks?.request(name, { mode: 'shared' }, () => promise).catch(() => undefined)
    },
    async isElsewhere() {
      const here = [...(ofStorage.get(namespace) ?? [])]
      if (here.some((worker) => worker !== self)) return true
      const { held = [] } = (await locks?.query().catch(() => undefined)) ?? {}
      return held.some((lock) => lock.name === name)
    },
  }
}

/** A server has locks, too, which are not those of who else has its files open. */
export function pageLocks(): LockManager | undefined {
  const isPage = 'document' in globalThis || 'WorkerGlobalScope' in globalThis
  return isPage ? globalThis.navigator?.locks : undefined
}
