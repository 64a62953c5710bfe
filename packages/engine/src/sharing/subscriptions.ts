import type { UIMessage } from 'ai'
import type { View } from './mirror.ts'

/** Subscriptions that stay when what they look at becomes another. */
export interface Subscriptions<MESSAGE extends UIMessage> {
  subscribe(listener: () => void): () => void
  subscribeMessage(messageId: string, listener: () => void): () => void
  /** From now on they are of this view; what differs from the last one is told at once. */
  look(view: View<MESSAGE>): void
  dispose(): void
}

interface Entry {
  readonly listener: () => void
  /** None: it is about everything. */
  readonly messageId: string | undefined
  stop: () => void
}

export function createSubscriptions<MESSAGE extends UIMessage>(
  first: View<MESSAGE>,
  onListenerError: (error: unknown) => void,
): Subscriptions<MESSAGE> {
  const entries = new Set<Entry>()
  let view = first

  function attach({ messageId, listener }: Pick<Entry, 'messageId' | 'listener'>): () => void {
    return messageId === undefined
      ? view.subscribe(listener)
      : view.subscribeMessage(messageId, listener)
  }

  function add(messageId: string | undefined, listener: () => void): () => void {
    const entry = { messageId, listener, stop: attach({ messageId, listener }) }
    entries.add(entry)
    return () => {
      entries.delete(entry)
      entry.stop()
    }
  }

  function isDifferent(former: View<MESSAGE>, messageId: string | undefined): boolean {
    return messageId === undefined || former.getMessage(messageId) !== view.getMessage(messageId)
  }

  function tell({ listener }: Entry): void {
    try {
      listener()
    } catch (error) {
      onListenerError(error)
    }
  }

  return {
    subscribe: (listener) => add(undefined, listener),
    subscribeMessage: (messageId, listener) => add(messageId, listener),
    look(next) {
      const former = view
      view = next
      for (const entry of entries) {
        entry.stop()
        entry.stop = attach(entry)
      }
      // Those of messages first, as in the engine.
      const told = [...entries].filter(({ messageId }) => isDifferent(former, messageId))
      const isOfAll = ({ messageId }: Entry) => Number(messageId === undefined)
      for (const entry of told.toSorted((one, other) => isOfAll(one) - isOfAll(other))) {
        // One before it may have ended this subscription.
        if (entries.has(entry)) tell(entry)
      }
    },
    dispose() {
      for (const { stop } of entries) stop()
      entries.clear()
    },
  }
}
