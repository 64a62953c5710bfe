/** Milliseconds between keys of one who is typing. */
const TYPING_MS = 300

/** What the keys of a card that asks do. */
export interface AskKeys {
  /** Whether the letters act; Escape always does. */
  hasLetters: () => boolean
  /**
   * Takes letters that turn out to be words, as they are meant for a field: what came before the key that
   * is down, and that key, which goes to what has the focus then. `undefined` where nobody may mean that.
   */
  takeWords?: () => ((typed: string, key: KeyboardEvent) => void) | undefined
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
  /** A letter that may be the beginning of a word. */
  let begun = ''
  let timer: ReturnType<typeof setTimeout> | undefined

  function approve(): unknown {
    const taken = keys.approveDown()
    // It was let go before anybody knew that it was no word.
    if (!isDown) keys.approveUp()
    return taken
  }

  function handleLetter(event: KeyboardEvent, act: () => unknown): void {
    if (!keys.takeWords?.()) return handle(event, act)
    event.preventDefault()
    event.stopPropagation()
    begun = event.key
    timer = setTimeout(() => {
      begun = ''
      act()
    }, TYPING_MS)
  }

  /** Gives away what is no key of the card, and with it the letter that came right before it. */
  function giveAway(event: KeyboardEvent): boolean {
    const { key } = event
    const before = begun
    begun = ''
    clearTimeout(timer)
    const isLetterAlone = before === '' && (/[adl]/i.test(key) || key === ' ')
    const take =
      key.length > 1 || (isLetterAlone && keys.hasLetters()) ? undefined : keys.takeWords?.()
    take?.(before, event)
    return take !== undefined
  }

  return (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return
    if (isLetter(event, 'a')) isDown = event.type === 'keydown'
    if (event.type === 'keyup') {
      if (isLetter(event, 'a')) keys.approveUp()
      return
    }
    if (event.key === 'Escape') return handle(event, keys.back)
    if (event.repeat || isInField(event.target) || giveAway(event) || !keys.hasLetters()) return
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
