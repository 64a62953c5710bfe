/** What a person fills in among the messages, while it is open. */
const FORMS = '[data-form], [data-slot="message-editor"]'
/** What is left free above a card that has to stay in view, in pixels. */
const MARGIN_PX = 12

/** The form that has the focus. */
function focusedForm(column: Element | null): Element | undefined {
  const found = document.activeElement?.closest(FORMS)
  return found && column?.contains(found) ? found : undefined
}

/** Whether the reader is at a form among the messages. */
export function isFillingIn(column: Element | null): boolean {
  return focusedForm(column) !== undefined
}

/** Brings the form in the foot of a card into view, as far as it is not. */
export function showForm(column: Element | null): void {
  const card = focusedForm(column)
  card?.querySelector('.as-ask-foot')?.lastElementChild?.scrollIntoView({ block: 'nearest' })
}

/** How far the view may go for a card to stay in it. */
export function mostForCard(scroller: Element, card: Element | null | undefined): number {
  if (!card) return Infinity
  const { top } = card.getBoundingClientRect()
  return scroller.scrollTop + top - scroller.getBoundingClientRect().top - MARGIN_PX
}
