/** How long a page counts as being left once it was told so: it may stay after all. */
const LEAVING_MS = 10_000

/** Watches whether the page is being left: what its tools ask the network for fails then. */
export interface LeavingWatch {
  /** Resolves once the page has stayed after all; `undefined` while it is not being left. */
  readonly staying: () => Promise<void> | undefined
  stop(): void
}

/**
 * Begins to watch, where there is a page. To be stopped when it is not needed any more: who listens may
 * cost the page its place in the back/forward cache.
 */
export function watchLeaving(): LeavingWatch {
  const controller = new AbortController()
  let stay: PromiseWithResolvers<void> | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  if ('document' in globalThis && 'addEventListener' in globalThis) {
    const { signal } = controller
    // A download begins like a farewell, too, and the person may be asked and stay.
    for (const type of ['beforeunload', 'pagehide']) {
      globalThis.addEventListener(type, leave, { signal })
    }
  }
  return {
    staying: () => stay?.promise,
    stop() {
      controller.abort()
      clearTimeout(timer)
    },
  }

  function leave(): void {
    stay ??= Promise.withResolvers()
    clearTimeout(timer)
    timer = setTimeout(() => {
      stay?.resolve()
      stay = undefined
    }, LEAVING_MS)
  }
}
