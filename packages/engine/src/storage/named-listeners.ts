/** Who listens for word of names: namespaces, say. */
export interface NamedListeners {
  /** Those that anybody listens for. */
  names(): readonly string[]
  has(name: string): boolean
  /** Calls the listener when something is told of a name; returns how to stop that. */
  on(name: string, listener: () => void): () => void
  tell(name: string): void
}

/**
 * For who writes a backend: who listens for word of it, which somebody looks for only while anybody does.
 *
 * @param begin is called when the first one comes, and answers with what is called when the last one has gone, or
 *   nothing can be told any more
 */
export function namedListeners(closed: AbortSignal, begin: () => () => void): NamedListeners {
  const listening = new Map<string, Set<() => void>>()
  let stop: (() => void) | undefined

  function end(): void {
    stop?.()
    stop = undefined
  }

  closed.addEventListener('abort', end)

  return {
    names: () => [...listening.keys()],
    has: (name) => listening.has(name),
    on(name, listener) {
      const listeners = listening.get(name) ?? new Set()
      listening.set(name, listeners)
      // The same function may listen twice.
      const entry = (): void => listener()
      listeners.add(entry)
      if (!closed.aborted) stop ??= begin()
      return () => {
        listeners.delete(entry)
        if (listeners.size === 0 && listening.get(name) === listeners) listening.delete(name)
        if (listening.size === 0) end()
      }
    },
    tell(name) {
      for (const listener of listening.get(name) ?? []) listener()
    },
  }
}
