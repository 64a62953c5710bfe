import { nextTick, onMounted, watch, type ShallowRef } from 'vue'
import type { AskPlace } from '../context/ask-board.ts'

/** Milliseconds since the last key in the composer after which nobody is about to type. */
const IDLE_MS = 1_500

/**
 * Where the focus goes: to a card that comes while the composer is empty and has it, from one that was
 * decided to the next that waits, else to its receipt; and to the field of a card that wants an answer.
 * It is never taken from anything else.
 */
export function useAskFocus(options: {
  element: Readonly<ShallowRef<HTMLElement | null>>
  place: AskPlace
  isOpen: () => boolean
  isForAnswer: () => boolean
  /** Gives this card the focus, with its buttons not armed yet. */
  takeFocus: () => void
}): void {
  const { element, place, isOpen, isForAnswer, takeFocus } = options
  const hasFocus = (): boolean => element.value?.contains(document.activeElement) === true

  onMounted(() => {
    if (isOpen() && isComposerIdle(element.value)) takeFocus()
  })
  watch(isOpen, async (isStillOpen) => {
    if (isStillOpen) return
    const had = hasFocus()
    await nextTick()
    if (!had) return
    const next = place.next()
    if (next) next.takeFocus()
    else element.value?.querySelector<HTMLElement>('[data-slot="receipt"]')?.focus()
  })
  watch(isForAnswer, async () => {
    if (!isOpen() || !hasFocus()) return
    await nextTick()
    element.value?.querySelector('textarea')?.focus()
  })
}

let lastKeyAt = -Infinity

/** Whether the person has written nothing in the composer that has the focus, and is not about to. */
function isComposerIdle(card: HTMLElement | null): boolean {
  const { activeElement } = document
  if (!(activeElement instanceof HTMLTextAreaElement) || activeElement.value !== '') return false
  const chat = card?.closest('[data-slot="chat"]')
  const isComposer = chat?.querySelector('[data-slot="composer-field"]') === activeElement
  return isComposer && performance.now() - lastKeyAt > IDLE_MS
}

/** Notes when a person last typed, for as long as a card might want the focus. */
export function followTyping(): void {
  onMounted(() => {
    if (isFollowing) return
    isFollowing = true
    document.addEventListener('keydown', () => (lastKeyAt = performance.now()), {
      capture: true,
      passive: true,
    })
  })
}
let isFollowing = false
