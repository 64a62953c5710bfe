import { scheduleFrame } from '../frame.ts'

/**
 * Like {@link scheduleFrame}, but as quick while the page is hidden, where browsers hold timers up
 * for a second and more: another tab may be the one that is looked at.
 */
export function backgroundFrame(publish: () => void): () => void {
  const isHidden = 'document' in globalThis && globalThis.document.visibilityState === 'hidden'
  if (!isHidden) return scheduleFrame(publish)
  const { port1, port2 } = new MessageChannel()
  port1.addEventListener('message', () => {
    port1.close()
    publish()
  })
  port1.start()
  port2.postMessage(undefined)
  return () => port1.close()
}
