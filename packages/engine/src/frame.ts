/** A frame at 60 Hz, in milliseconds. */
const FRAME_MS = 16

/**
 * Runs `publish` once at the next animation frame, or after 16 ms where there is none: in Node, in
 * a worker, in a hidden tab.
 */
export function scheduleFrame(publish: () => void): () => void {
  const { requestAnimationFrame, cancelAnimationFrame } = globalThis
  const isVisible = 'document' in globalThis && globalThis.document.visibilityState === 'visible'
  if (isVisible && typeof requestAnimationFrame === 'function') {
    const frame = requestAnimationFrame(publish)
    return () => cancelAnimationFrame(frame)
  }
  const timer = setTimeout(publish, FRAME_MS)
  return () => clearTimeout(timer)
}
