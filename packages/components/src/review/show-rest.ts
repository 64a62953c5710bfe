import { announceReveal } from '../context/reveal-event.ts'
import { scrollParentOf } from '../context/scroll-parent.ts'
import { scrollInside } from './hidden-inside.ts'
import type { Span } from './spans.ts'

/** What is left free above what is scrolled to, in pixels. */
const MARGIN_PX = 8

/**
 * Scrolls to a stretch of a card, to its beginning where it is higher than the view; inside of the boxes
 * of the card when there is none.
 *
 * @param end where the view of it ends now; all in pixels from the top of the page
 */
export function scrollToRest(card: HTMLElement, [from, to]: Span, end: number): void {
  if (to - from < 1) return scrollInside(card)
  // Whoever reads here does not follow the end.
  announceReveal(card)
  const scroller = scrollParentOf(card)
  const isPage = scroller === document.documentElement
  const start = (isPage ? 0 : scroller.getBoundingClientRect().top) + MARGIN_PX
  const toStart = from - start
  const toEnd = to + MARGIN_PX - end
  scroller.scrollBy({ top: toStart > 0 && toEnd > 0 ? Math.min(toStart, toEnd) : toStart })
}
