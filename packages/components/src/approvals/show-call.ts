import type { ToolCallRef } from '@assent/engine'
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
  const find = () => board.places.get(key)
  if (!find() && board.reveal) {
    await board.reveal(messageId)
    return goTo(board, await settled(find))
  }
  await nextTick()
  return goTo(board, find())
}

/**
 * The same for a call that may be over: to its line or card, to its message where it is folded away.
 *
 * @param list the element with the messages
 */
export async function showAnyCall(
  board: AskBoard,
  list: HTMLElement,
  { messageId, toolCallId }: Pick<ToolCallRef, 'messageId' | 'toolCallId'>,
): Promise<boolean> {
  const find = () =>
    [...list.querySelectorAll<HTMLElement>('[data-slot="tool-call"]')].find(
      ({ dataset }) => dataset['call'] === toolCallId && dataset['message'] === messageId,
    )
  await board.reveal?.(messageId)
  const call = await settled(find)
  if (call?.checkVisibility() !== false) return goTo(board, call)
  const bubble = call.closest<HTMLElement>('[data-slot="bubble"]')
  if (bubble) bubble.tabIndex = -1
  bubble?.focus()
  return false
}

/** What is found once it stays: a list that leaves out bubbles may make one twice on the way to it. */
async function settled(find: () => HTMLElement | undefined): Promise<HTMLElement | undefined> {
  let before: HTMLElement | undefined
  for (let frame = 0; frame < FRAMES; frame += 1) {
    await new Promise(requestAnimationFrame)
    const now = find()
    if (now && now === before) return now
    before = now
  }
  return find()
}

function goTo(board: AskBoard, place: HTMLElement | undefined): boolean {
  if (!place) return false
  const card = board.asks.value.find(({ element }) => place.contains(element.value))
  if (card) card.takeFocus()
  else place.querySelector<HTMLElement>('a[href], button, input, textarea, [tabindex]')?.focus()
  // What is higher than the view is read from its beginning.
  const block = place.offsetHeight > innerHeight / 2 ? 'start' : 'center'
  place.scrollIntoView({ block })
  return true
}
