import { isTyping, unlessTyping } from './use-ask-focus.ts'

/** What the keys of a card that asks do. */
export interface AskKeys {
  /** Whether the letters act; Escape always does. */
  hasLetters: () => boolean
  /** Whether a letter may be the beginning of words that are meant for the composer. Default: never. */
  mayBeWords?: () => boolean
  approveDown: () => unknown
  approveUp: () => unknown
  deny: () => unknown
  always: () => unknown
  back: () => unknown
}

/**
 * The single keys of a card: A approves, D denies, L asks what to allow always, Escape goes back. They
 * act only while the focus is inside the card, and never in a field.
 */
export function useAskKeys(keys: AskKeys): (event: KeyboardEvent) => void {
  let isDown = false

  function approve(): unknown {
    const taken = keys.approveDown()
    // It was let go before anybody knew that it was no word.
    if (!isDown) keys.approveUp()
    return taken
  }

  function handleLetter(event: KeyboardEvent, act: () => unknown): void {
    if (keys.mayBeWords?.() !== true) return handle(event, act)
    event.preventDefault()
    event.stopPropagation()
    if (!isTyping()) unlessTyping(act)
  }

  return (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return
    if (isLetter(event, 'a')) isDown = event.type === 'keydown'
    if (event.type === 'keyup') {
      if (isLetter(event, 'a')) keys.approveUp()
      return
    }
    if (event.key === 'Escape') return handle(event, keys.back)
    if (!keys.hasLetters() || event.repeat || isInField(event.target)) return
    if (isLetter(event, 'a')) handleLetter(event, approve)
    else if (isLetter(event, 'd')) handleLetter(event, keys.deny)
    else if (isLetter(event, 'l')) handleLetter(event, keys.always)
  }
}

function handle(event: KeyboardEvent, act: () => unknown): void {
  if (act() === false) return
  event.preventDefault()
  event.stopPropagation()
}

/** By the letter typed, or by its place where the keyboard writes another script. */
function isLetter(event: KeyboardEvent, letter: string): boolean {
  const key = event.key.toLowerCase()
  return key === letter || (!/^[a-z]$/.test(key) && event.code === `Key${letter.toUpperCase()}`)
}

function isInField(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches('input, textarea, [contenteditable]')
}
