import { onBeforeUnmount } from 'vue'

/** What a person is changing must not be sent as it was. */
export interface QueueEditing {
  begin(id: string, wasHeld: boolean): void
  end(id: string): void
}

export interface QueueEditingOptions {
  hold: (id: string, held: boolean) => void
  /** Nothing is sent by itself any more. */
  isHalted: () => boolean
}

/** Holds a message back for as long as it is changed, and lets it go again as it was before. */
export function useQueueEditing({ hold, isHalted }: QueueEditingOptions): QueueEditing {
  const released = new Set<string>()

  function end(id: string): void {
    if (released.delete(id) && !isHalted()) hold(id, false)
  }

  onBeforeUnmount(() => released.forEach(end))
  return {
    begin(id, wasHeld) {
      if (wasHeld) return
      released.add(id)
      hold(id, true)
    },
    end,
  }
}
