import { announceReveal } from '../context/reveal-event.ts'
import { scrollParentOf } from '../context/scroll-parent.ts'
import { EVIDENCE, unreached } from './hidden-inside.ts'
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

/** Scrolls the first box inside of a card that was not scrolled to its end, by what it shows; else unfolds a text. */
function scrollInside(card: Element): void {
  for (const part of card.querySelectorAll(EVIDENCE)) {
    const way = unreached(part)
    if (!way) continue
    const isMirrored = getComputedStyle(part).direction === 'rtl'
    if (way === 'inside') part.scrollBy({ top: part.clientHeight })
    else part.scrollBy({ left: isMirrored ? -part.clientWidth : part.clientWidth })
    return
  }
  card.querySelector<HTMLElement>('[data-folded] [data-slot="unfold"]')?.click()
}
