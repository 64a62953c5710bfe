/** What the keys of a card that asks do. */
export interface AskKeys {
  /** Whether the letters act; Escape always does. */
  hasLetters: () => boolean
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
  return (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return
    if (event.type === 'keyup') {
      if (isLetter(event, 'a')) keys.approveUp()
      return
    }
    if (event.key === 'Escape') return handle(event, keys.back)
    if (!keys.hasLetters() || event.repeat || isInField(event.target)) return
    if (isLetter(event, 'a')) handle(event, keys.approveDown)
    else if (isLetter(event, 'd')) handle(event, keys.deny)
    else if (isLetter(event, 'l')) handle(event, keys.always)
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
