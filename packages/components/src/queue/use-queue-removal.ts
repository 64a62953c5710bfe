import { onBeforeUnmount, shallowRef, type Ref } from 'vue'

/** Milliseconds in which a removal can be undone. */
const UNDO_MS = 6_000

/** Messages that are as good as removed. */
export interface QueueRemoval {
  readonly removed: Readonly<Ref<ReadonlySet<string>>>
  remove(id: string, wasHeld: boolean): void
  undo(id: string): void
}

export interface QueueRemovalOptions {
  hold: (id: string, held: boolean) => void
  remove: (id: string) => void
  /** Nothing is sent by itself any more. */
  isHalted: () => boolean
  /** Somebody is about to undo it. */
  isWanted: (id: string) => boolean
}

/**
 * Removes a message in two steps, so that it can be undone: it is held back at once, so that it is not
 * sent meanwhile, and goes after a while, or when the list does.
 */
export function useQueueRemoval(options: QueueRemovalOptions): QueueRemoval {
  const removed = shallowRef<ReadonlySet<string>>(new Set())
  const pending = new Map<string, { timer: ReturnType<typeof setTimeout>; wasHeld: boolean }>()

  function forget(id: string): boolean {
    const wasHeld = pending.get(id)?.wasHeld ?? false
    clearTimeout(pending.get(id)?.timer)
    pending.delete(id)
    removed.value = new Set(pending.keys())
    return wasHeld
  }

  function wait(id: string, wasHeld: boolean): void {
    const timer = setTimeout(() => {
      if (options.isWanted(id)) return wait(id, wasHeld)
      options.remove(id)
      forget(id)
    }, UNDO_MS)
    pending.set(id, { timer, wasHeld })
    removed.value = new Set(pending.keys())
  }

  onBeforeUnmount(() => {
    for (const id of pending.keys()) {
      clearTimeout(pending.get(id)?.timer)
      options.remove(id)
    }
  })

  return {
    removed,
    remove(id, wasHeld) {
      options.hold(id, true)
      wait(id, wasHeld)
    },
    undo(id) {
      const wasHeld = forget(id)
      if (!wasHeld && !options.isHalted()) options.hold(id, false)
    },
  }
}
