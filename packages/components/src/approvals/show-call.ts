import { nextTick } from 'vue'
import type { AskBoard } from '../context/ask-board.ts'

/** Frames in which a list that leaves out bubbles brings one back. */
const FRAMES = 20

/**
 * Scrolls to where a call waits and gives it the focus. Resolves to whether it is in the page.
 *
 * @param key from `callKey`
 */
export async function showCall(board: AskBoard, key: string, messageId: string): Promise<boolean> {
  if (!board.places.has(key) && board.reveal) {
    await board.reveal(messageId)
    for (let frame = 0; frame < FRAMES && !board.places.has(key); frame += 1) {
      await new Promise(requestAnimationFrame)
    }
  }
  await nextTick()
  const place = board.places.get(key)
  if (!place) return false
  const card = board.asks.value.find(({ element }) => place.contains(element.value))
  if (card) card.takeFocus()
  else place.querySelector<HTMLElement>('a[href], button, input, textarea, [tabindex]')?.focus()
  // What is higher than the view is read from its beginning.
  const block = place.offsetHeight > innerHeight / 2 ? 'start' : 'center'
  place.scrollIntoView({ block })
  return true
}
