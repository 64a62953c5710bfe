import type { ConversationListing } from '@assent/engine/storage'
import { computed, shallowRef, type ComputedRef } from 'vue'

/** What is known of the conversations of a store, and of those that are not stored yet. */
export interface ConversationList {
  /** The one that changed last comes first. */
  readonly sorted: ComputedRef<readonly ConversationListing[]>
  /** Reactive. */
  get(id: string): ConversationListing | undefined
  set(listing: ConversationListing): void
  drop(id: string): void
  /**
   * Takes over what a store says, but for what changed here since the store was asked.
   *
   * @param isOpen whether a conversation is known here better than there
   */
  load(
    read: () => Promise<readonly ConversationListing[]>,
    isOpen: (id: string) => boolean,
  ): Promise<void>
  /** The same for one, of which the store may say that it is not there. */
  loadOne(
    id: string,
    read: () => Promise<ConversationListing | undefined>,
    isOpen: () => boolean,
  ): Promise<void>
  clear(): void
}

export function createConversationList(): ConversationList {
  const known = shallowRef<ReadonlyMap<string, ConversationListing>>(new Map())
  const changed = new Set<string>()

  function change(id: string, listing: ConversationListing | undefined): void {
    changed.add(id)
    put(id, listing)
  }

  function put(id: string, listing: ConversationListing | undefined): void {
    const next = new Map(known.value)
    if (listing) next.set(id, listing)
    else next.delete(id)
    known.value = next
  }

  return {
    sorted: computed(() =>
      [...known.value.values()].sort((one, other) => other.updatedAt - one.updatedAt),
    ),
    get: (id) => known.value.get(id),
    set: (listing) => change(listing.id, listing),
    drop: (id) => change(id, undefined),
    async load(read, isOpen) {
      changed.clear()
      const stored = await read()
      const isOurs = (id: string) => changed.has(id) || (known.value.has(id) && isOpen(id))
      const theirs = stored.filter(({ id }) => !isOurs(id))
      const ours = [...known.value.values()].filter(({ id }) => isOurs(id))
      known.value = new Map([...theirs, ...ours].map((listing) => [listing.id, listing]))
    },
    async loadOne(id, read, isOpen) {
      changed.delete(id)
      const stored = await read()
      if (!changed.has(id) && !(known.value.has(id) && isOpen())) put(id, stored)
    },
    clear() {
      known.value = new Map()
    },
  }
}
