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
  /** Takes a later page over, in which a store says more. */
  add(
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

  /** @param stays whether what is known and was not read is still there */
  async function take(
    read: () => Promise<readonly ConversationListing[]>,
    isOpen: (id: string) => boolean,
    stays: boolean,
  ): Promise<void> {
    changed.clear()
    const stored = await read()
    const isOurs = (id: string) => changed.has(id) || (known.value.has(id) && isOpen(id))
    const theirs = stored.filter(({ id }) => !isOurs(id))
    const ours = [...known.value.values()].filter(({ id }) => stays || isOurs(id))
    known.value = new Map([...ours, ...theirs].map((listing) => [listing.id, listing]))
  }

  return {
    sorted: computed(() =>
      [...known.value.values()].sort((one, other) => other.updatedAt - one.updatedAt),
    ),
    get: (id) => known.value.get(id),
    set: (listing) => change(listing.id, listing),
    drop: (id) => change(id, undefined),
    load: (read, isOpen) => take(read, isOpen, false),
    add: (read, isOpen) => take(read, isOpen, true),
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
