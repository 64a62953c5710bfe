/** What a publisher needs of those that it serves. */
export interface PublisherOptions {
  /** Runs `publish` once, at the next frame; returns how to cancel that. */
  readonly scheduleFrame: (publish: () => void) => () => void
  /** A listener threw; publishing goes on. */
  readonly onListenerError: (error: unknown) => void
}

/** Subscriptions to a state and to its messages, and when they are told: once per frame. */
export interface Publisher {
  subscribe(listener: () => void): () => void
  subscribeMessage(messageId: string, listener: () => void): () => void
  /** Tells subscribers at the next frame; those of a message too, when one is named. */
  schedule(messageId?: string): void
  /** Tells subscribers now. */
  publish(): void
  /** Publishes now what waits for the next frame. */
  flush(): void
  /** Makes several changes one: nothing is published before the last of them. */
  batch<RESULT>(change: () => RESULT): RESULT
  dispose(): void
}

export function createPublisher({ scheduleFrame, onListenerError }: PublisherOptions): Publisher {
  const listeners = new Set<() => void>()
  const messageListeners = new Map<string, Set<() => void>>()
  const changedMessages = new Set<string>()
  let batches = 0
  let dueAfterBatch: 'frame' | 'publication' | undefined
  let isScheduled = false
  let cancelFrame: (() => void) | undefined

  function schedule(messageId?: string): void {
    if (messageId !== undefined) changedMessages.add(messageId)
    if (batches > 0) {
      dueAfterBatch ??= 'frame'
      return
    }
    if (isScheduled) return
    isScheduled = true
    const cancel = scheduleFrame(publish)
    // It may have published at once.
    if (isScheduled) cancelFrame = cancel
  }

  function unschedule(): void {
    isScheduled = false
    cancelFrame?.()
    cancelFrame = undefined
  }

  function publish(): void {
    if (batches > 0) {
      dueAfterBatch = 'publication'
      return
    }
    unschedule()
    const messageIds = [...changedMessages]
    changedMessages.clear()
    for (const messageId of messageIds) notify(messageListeners.get(messageId))
    notify(listeners)
  }

  function notify(targets: Set<() => void> | undefined): void {
    if (!targets) return
    // A copy, so that listeners which subscribe anew are not called again at once.
    for (const listener of Array.from(targets)) {
      // One before it may have ended this subscription.
      if (!targets.has(listener)) continue
      try {
        listener()
      } catch (error) {
        onListenerError(error)
      }
    }
  }

  return {
    schedule,
    publish,
    batch(change) {
      batches++
      try {
        return change()
      } finally {
        batches--
        const due = batches === 0 ? dueAfterBatch : undefined
        if (due) dueAfterBatch = undefined
        if (due === 'publication') publish()
        else if (due === 'frame') schedule()
      }
    },
    subscribe(listener) {
      // An entry of its own: the same function may subscribe twice.
      const entry = () => listener()
      listeners.add(entry)
      return () => void listeners.delete(entry)
    },
    subscribeMessage(messageId, listener) {
      const entry = () => listener()
      const targets = messageListeners.get(messageId) ?? new Set()
      messageListeners.set(messageId, targets.add(entry))
      return () => {
        targets.delete(entry)
        if (targets.size === 0 && messageListeners.get(messageId) === targets) {
          messageListeners.delete(messageId)
        }
      }
    },
    flush() {
      if (isScheduled) publish()
    },
    dispose() {
      unschedule()
      listeners.clear()
      messageListeners.clear()
    },
  }
}
