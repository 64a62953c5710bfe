/** Milliseconds after a composition in which Enter still belongs to it. */
const COMPOSITION_TAIL_MS = 60
/** What `keyCode` says of any key that an input method takes. */
const IME_KEY_CODE = 229

/** Tells the Enter that sends from the one that ends a composition of an input method. */
export interface SubmitKey {
  onCompositionEnd(event: CompositionEvent): void
  /** Whether this key press means "send": the send key alone, outside of any composition. */
  isSubmit(event: KeyboardEvent): boolean
}

/** What sends: Enter, or Enter with Ctrl or ⌘. */
export type SendKey = 'enter' | 'mod+enter'

/**
 * Enter sends, Shift+Enter does not, and neither does the Enter that picks a word in an input method:
 * it is marked `isComposing`, has key code 229, or (Safari) comes right after `compositionend`.
 */
export function useSubmitKey(sendKey: () => SendKey = () => 'enter'): SubmitKey {
  let composedAt = Number.NEGATIVE_INFINITY
  return {
    onCompositionEnd(event) {
      composedAt = event.timeStamp
    },
    isSubmit(event) {
      if (event.key !== 'Enter') return false
      if (event.shiftKey || event.altKey) return false
      if ((event.ctrlKey || event.metaKey) !== (sendKey() === 'mod+enter')) return false
      if (event.isComposing || event.keyCode === IME_KEY_CODE) return false
      return event.timeStamp - composedAt > COMPOSITION_TAIL_MS
    },
  }
}
