/** Told to what scrolls when a list has given itself another height. */
export const SIZE_EVENT = 'assent-size'

/** Tells it, from the list. */
export function announceSize(list: Element | null | undefined): void {
  list?.dispatchEvent(new Event(SIZE_EVENT, { bubbles: true }))
}
