import { getActivePinia, type Pinia } from 'pinia'
import { effectScope, onScopeDispose, shallowRef, type EffectScope, type ShallowRef } from 'vue'

/** What a store holds, which can be made anew while the store stays the same. */
export interface Rounds<HELD> {
  readonly current: Readonly<ShallowRef<HELD>>
  /** Disposes what is held, and then makes it anew. */
  again(make: () => HELD): void
}

/** The stores that are alive, by Pinia and id. */
const alive = new WeakMap<Pinia, Map<string, unknown>>()

/**
 * Finds what a store was set up with. A hot update runs the setup of a store once more beside the
 * one that is there: with `update` it hands on the new options in place of a second engine.
 *
 * @param create sets the store up; called in its scope, unless it is there
 * @param update called when it is there
 */
export function setUpOnce<SETUP>(
  id: string,
  create: () => SETUP,
  update: (setup: SETUP) => void,
): SETUP {
  const pinia = getActivePinia()
  if (!pinia) return create()
  const stores = alive.get(pinia) ?? new Map<string, unknown>()
  alive.set(pinia, stores)
  if (stores.has(id)) {
    // It was created by the store of this id, which has one type.
    const known = stores.get(id) as SETUP
    update(known)
    return known
  }
  const created = create()
  stores.set(id, created)
  onScopeDispose(() => stores.delete(id))
  return created
}

/** Holds what is made, in a scope of its own, until the scope around it ends. */
export function useRounds<HELD>(make: () => HELD): Rounds<HELD> {
  let scope: EffectScope
  const run = (makeNow: () => HELD): HELD => {
    scope = effectScope(true)
    const made = scope.run(makeNow)
    // A scope that was just made is active.
    return made as HELD
  }
  const current = shallowRef(run(make))
  onScopeDispose(() => scope.stop())
  return {
    current,
    again(makeNow) {
      // First, so that the next one finds in the store what this one leaves there.
      scope.stop()
      current.value = run(makeNow)
    },
  }
}
