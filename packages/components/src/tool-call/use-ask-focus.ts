import { nextTick, onBeforeUnmount, onMounted, watch, type ShallowRef } from 'vue'
import type { AskPlace } from '../context/ask-board.ts'

/** Milliseconds since the last key in the composer after which nobody is about to type. */
const IDLE_MS = 1_500

/**
 * Where the focus goes: to a card that waits while the composer is empty and has it, once nobody is about
 * to type; from one that was decided to the next that waits, else to its receipt; and to the field of a
 * card that wants an answer. It is never taken from anything else.
 */
export function useAskFocus(options: {
  element: Readonly<ShallowRef<HTMLElement | null>>
  place: AskPlace
  isOpen: () => boolean
  isForAnswer: () => boolean
  /** Gives this card the focus, with its buttons not armed yet. */
  takeFocus: () => void
  /** The card has the focus that was the composer's: its next key may be meant for that. */
  onTaken: () => void
}): void {
  const { element, place, isOpen, isForAnswer, takeFocus, onTaken } = options
  const hasFocus = (): boolean => element.value?.contains(document.activeElement) === true

  let timer: ReturnType<typeof setTimeout> | undefined
  function takeWhenIdle(): void {
    // Of several, only the first one that waits.
    if (!place.isActive.value || !isOpen() || !isComposerEmpty(element.value)) return
    const idleMs = performance.now() - lastKeyAt
    if (idleMs < IDLE_MS) {
      timer = setTimeout(takeWhenIdle, IDLE_MS - idleMs)
      return
    }
    takeFocus()
    onTaken()
  }

  onMounted(takeWhenIdle)
  onBeforeUnmount(() => clearTimeout(timer))
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

function composerOf(card: HTMLElement | null): HTMLTextAreaElement | null | undefined {
  return card?.closest('[data-slot="chat"]')?.querySelector('textarea[data-slot="composer-field"]')
}

/** Whether the person has written nothing in the composer that has the focus. */
function isComposerEmpty(card: HTMLElement | null): boolean {
  const composer = composerOf(card)
  return composer?.value === '' && composer === document.activeElement
}

/** Gives the focus back to the composer, with what was typed meanwhile; the key that is down goes there. */
export function giveBackFocus(card: HTMLElement | null, typed: string): void {
  const composer = composerOf(card)
  composer?.focus()
  if (!composer || typed === '') return
  composer.setRangeText(typed, 0, 0, 'end')
  composer.dispatchEvent(new Event('input', { bubbles: true }))
}

/** Notes when a person last typed, from before a card might want the focus. */
export function followTyping(): void {
  onMounted(() => {
    if (isFollowing) return
    isFollowing = true
    const note = ({ key }: KeyboardEvent) => {
      // Who has sent a message waits for what comes of it.
      lastKeyAt = key === 'Enter' ? -Infinity : performance.now()
    }
    document.addEventListener('keydown', note, { capture: true, passive: true })
  })
}
let isFollowing = false
