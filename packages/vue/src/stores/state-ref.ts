import type { EngineError } from '@assent/engine'
import { getActivePinia } from 'pinia'
import { customRef, markRaw, type ShallowRef } from 'vue'

/** An error as plain JSON. */
export interface PlainError {
  readonly code: EngineError['code']
  readonly message: string
  readonly retryable: boolean
}

/** An error as plain JSON; the same for the same. */
export function toPlainError(error: EngineError | undefined): PlainError | undefined {
  if (!error) return undefined
  const known = plain.get(error)
  if (known) return known
  const { code, message, retryable } = error
  const made = { code, message, retryable }
  plain.set(error, made)
  return made
}

const plain = new WeakMap<EngineError, PlainError>()

/**
 * Something that is read elsewhere, as state of a store: Pinia serialises it, and shows it in its
 * devtools. Writing it does nothing, which is how Pinia hydrates, patches and updates state.
 */
export function stateRef<VALUE>(read: () => VALUE): ShallowRef<VALUE> {
  const ref = customRef<VALUE>(() => ({
    get() {
      const value = read()
      // Pinia watches state deeply: these are snapshots, which never change inside.
      return typeof value === 'object' && value !== null ? markRaw(value) : value
    },
    set() {},
  }))
  // The values are no proxies, and a hot update must not write into them.
  return Object.assign(ref, { __v_isShallow: true }) as ShallowRef<VALUE>
}

/** What a server has left for the store of this id; `undefined` when there is nothing. */
export function serverState(id: string): Record<string, unknown> | undefined {
  return getActivePinia()?.state.value[id]
}
