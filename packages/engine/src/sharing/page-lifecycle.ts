/** What a page that may stop to run has to do. */
export interface PageLifecycle {
  /**
   * The page goes on running at another time, or never: `frozen` while its tab is in the background,
   * `cached` while the person is on another page of the tab.
   */
  onPause(how: 'frozen' | 'cached'): void
  /** It runs again. */
  onResume(): void
  /** It will not be seen again. */
  onClose(): void
  /** It cannot be seen for now; it runs on. */
  onHide(): void
}

/** Watches the life of the page, where there is one. Returns how to stop that. */
export function watchPage({ onPause, onResume, onClose, onHide }: PageLifecycle): () => void {
  if (!('document' in globalThis) || !('addEventListener' in globalThis)) return () => undefined
  const page = globalThis.document
  const controller = new AbortController()
  const { signal } = controller
  page.addEventListener('freeze', () => onPause('frozen'), { signal })
  page.addEventListener('resume', onResume, { signal })
  page.addEventListener('visibilitychange', () => page.visibilityState === 'hidden' && onHide(), {
    signal,
  })
  globalThis.addEventListener(
    'pagehide',
    ({ persisted }) => (persisted ? onPause('cached') : onClose()),
    { signal },
  )
  globalThis.addEventListener('pageshow', ({ persisted }) => persisted && onResume(), { signal })
  return () => controller.abort()
}
