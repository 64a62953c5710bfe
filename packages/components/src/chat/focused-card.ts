/** What a person fills in among the messages, while it is open. */
const FORMS = '[data-form], [data-slot="message-editor"]'
/** What keys decide, while it has the focus. */
const ASKED = '[data-slot="ask"]:not([data-decided])'
/** What is left free above a card that has to stay in view, in pixels. */
const MARGIN_PX = 12

/** What has the focus, within that which a selector finds among the messages. */
function focused(column: Element | null, selector: string): Element | undefined {
  const found = document.activeElement?.closest(selector)
  return found && column?.contains(found) ? found : undefined
}

/** Whether the reader is at a form among the messages. */
export function isFillingIn(column: Element | null): boolean {
  return focused(column, FORMS) !== undefined
}

/** Brings the form in the foot of a card into view, as far as it is not. */
export function showForm(column: Element | null): void {
  const card = focused(column, FORMS)
  card?.querySelector('.as-ask-foot')?.lastElementChild?.scrollIntoView({ block: 'nearest' })
}

/** How far the view may go for the card that keys act on to stay in it. */
export function mostForFocus(scroller: Element, column: Element | null): number {
  const card = focused(column, ASKED)
  if (!card) return Infinity
  const { top } = card.getBoundingClientRect()
  return scroller.scrollTop + top - scroller.getBoundingClientRect().top - MARGIN_PX
}
