/** What the keys of a card that asks do. */
export interface AskKeys {
  isOn: () => boolean
  approveDown: () => unknown
  approveUp: () => unknown
  deny: () => unknown
  back: () => unknown
}

/**
 * The single keys of a card: A approves, D denies, Escape goes back. They act only while the focus is
 * inside the card, and never in a field that is written in.
 */
export function useAskKeys(keys: AskKeys): (event: KeyboardEvent) => void {
  return (event) => {
    if (!keys.isOn() || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return
    if (event.type === 'keyup') {
      if (isLetter(event, 'a')) keys.approveUp()
      return
    }
    if (event.key === 'Escape') return handle(event, keys.back)
    if (event.repeat || isWriting(event.target)) return
    if (isLetter(event, 'a')) handle(event, keys.approveDown)
    else if (isLetter(event, 'd')) handle(event, keys.deny)
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

function isWriting(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches('input, textarea, [contenteditable]')
}
