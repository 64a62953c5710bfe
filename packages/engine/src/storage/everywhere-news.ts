import type { ConversationStorage } from './storage.ts'

/** Word between those that keep conversations in one store: what holds everywhere has changed. */
export interface EverywhereNews {
  /** Tells all others, once it is stored. */
  tell(): void
  close(): void
}

/** The name says nothing of the store: who hears of it looks into the own one. */
const CHANNEL = 'assent:everywhere'

/** Who keeps conversations in a store, in this process. */
const listeners = new WeakMap<ConversationStorage, Set<() => void>>()

/** Tells all that have a conversation of the store open. @param namespace that of the records */
export function tellEverywhere(storage: ConversationStorage, namespace: string): void {
  const news = everywhereNews(storage, namespace, () => undefined)
  news.tell()
  news.close()
}

/**
 * Listens to the others of a store: in this process, in the other tabs of a browser, and wherever else
 * the store itself watches. What is told is only that there is something to read.
 */
export function everywhereNews(
  storage: ConversationStorage,
  namespace: string,
  onNews: () => void,
): EverywhereNews {
  const ofStorage = listeners.get(storage) ?? new Set()
  listeners.set(storage, ofStorage.add(onNews))
  const unwatch = storage.watch?.(namespace, onNews)
  let channel: BroadcastChannel | undefined
  const watching = new AbortController()

  function leave(): void {
    channel?.close()
    channel = undefined
  }

  function enter(): void {
    leave()
    channel = new BroadcastChannel(CHANNEL)
    channel.addEventListener('message', onNews)
  }

  // A server has channels too, for all its users at once.
  if ('document' in globalThis && 'BroadcastChannel' in globalThis) {
    const { signal } = watching
    enter()
    // With a channel it could not be kept for who comes back to it.
    globalThis.addEventListener('pagehide', leave, { signal })
    const onShow = ({ persisted }: PageTransitionEvent): void => {
      if (!persisted) return
      enter()
      onNews()
    }
    globalThis.addEventListener('pageshow', onShow, { signal })
  }
  return {
    tell() {
      for (const listener of ofStorage) if (listener !== onNews) listener()
      channel?.postMessage(undefined)
    },
    close() {
      ofStorage.delete(onNews)
      unwatch?.()
      watching.abort()
      leave()
    },
  }
}
