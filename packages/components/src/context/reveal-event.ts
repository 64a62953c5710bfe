/** Told to what scrolls before a message is brought into view: the end is not to be followed then. */
export const REVEAL_EVENT = 'assent-reveal'

/** Tells it, from the list that the message is in. */
export function announceReveal(list: Element | null | undefined): void {
  list?.dispatchEvent(new Event(REVEAL_EVENT, { bubbles: true }))
}
