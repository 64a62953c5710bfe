import { EngineError } from '@assent/engine'
import type { ConversationStorage } from '@assent/engine/storage'
import { shallowRef, type ShallowRef } from 'vue'

/** A store, and what goes wrong with it. */
export interface ObservedStorage {
  readonly storage: ConversationStorage
  /** What failed and has not worked since; the last one is the newest. */
  readonly failures: Readonly<ShallowRef<ReadonlyMap<string, EngineError>>>
}

/** One for each store: by it those that write to the same conversation find each other. */
const observed = new WeakMap<ConversationStorage, ObservedStorage>()

/** Observes a store; what fails is passed on as it is. */
export function observeStorage(storage: ConversationStorage): ObservedStorage {
  const known = observed.get(storage)
  if (known) return known
  const failures = shallowRef<ReadonlyMap<string, EngineError>>(new Map())

  function note(work: string, error: EngineError | undefined): void {
    if (!error && !failures.value.has(work)) return
    const next = new Map(failures.value)
    next.delete(work)
    if (error) next.set(work, error)
    failures.value = next
  }

  async function watched<RESULT>(work: string, result: Promise<RESULT>): Promise<RESULT> {
    try {
      const value = await result
      note(work, undefined)
      return value
    } catch (cause) {
      note(work, storageFailed(cause))
      throw cause
    }
  }

  const made: ObservedStorage = {
    failures,
    storage: {
      get claims() {
        return storage.claims
      },
      store: storage.store ?? storage,
      endsWithProcess: storage.endsWithProcess ?? false,
      ...(storage.sharing && { sharing: storage.sharing }),
      read: (namespace, range) => watched(`read ${namespace}`, storage.read(namespace, range)),
      write: (namespace, changes, options) =>
        watched(`write ${namespace}`, storage.write(namespace, changes, options)),
      async remove(namespace, options) {
        await watched(`remove ${namespace}`, storage.remove(namespace, options))
        for (const work of ['read', 'write']) note(`${work} ${namespace}`, undefined)
      },
      removeAll: (prefix) => watched(`remove ${prefix}*`, storage.removeAll(prefix)),
      list: (key, range) => watched(`list ${key}`, storage.list(key, range)),
      ...(storage.search && {
        search(text, prefix) {
          const searching = storage.search?.(text, prefix)
          return searching && watched('search', searching)
        },
      }),
      fence: (namespace) => watched(`hold ${namespace}`, storage.fence(namespace)),
      ...(storage.watch && {
        watch: (namespace, onChange) => storage.watch?.(namespace, onChange) ?? (() => {}),
      }),
    },
  }
  observed.set(storage, made)
  return made
}

/** Says what a store said. */
export function storageFailed(cause: unknown): EngineError {
  const text = cause instanceof Error ? cause.message : String(cause)
  return new EngineError('storage_failed', `The store of the conversations failed: ${text}`, {
    cause,
    retryable: true,
  })
}
