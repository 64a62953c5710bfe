/** Why not all of what a card shows can be read where it is. */
export type HiddenInside = 'loading' | 'inside' | 'aside' | 'folded'

const SHOWN = ':is([data-slot="evidence"], [data-slot="preview"])'
/** What of a card is to be read, as a selector. */
export const EVIDENCE = `${SHOWN}, ${SHOWN} *`
const SCROLLING = /auto|scroll/
/** Distances up to this are roundings. */
const TOLERANCE = 2

/** How far boxes inside of cards were scrolled. */
const reached = new WeakMap<Element, { bottom: number; side: number }>()

/** Notes how far a box is scrolled now. */
export function noteReached(box: Element): void {
  const former = reached.get(box)
  reached.set(box, {
    bottom: Math.max(former?.bottom ?? 0, box.scrollTop + box.clientHeight),
    // Negative where text runs from right to left
    side: Math.max(former?.side ?? 0, Math.abs(box.scrollLeft) + box.clientWidth),
  })
}

/** Whether evidence is still on its way, in a box that was not scrolled to its end, or folded. */
export function hiddenInside(card: Element): HiddenInside | undefined {
  if (card.querySelector('[data-loading]')) return 'loading'
  const parts = [...card.querySelectorAll(EVIDENCE)]
  const way = parts.map(unreached).find(Boolean)
  if (way) return way
  return parts.some((part) => part.hasAttribute('data-folded')) ? 'folded' : undefined
}

/** How many lines the folded texts of a card have. */
export function foldedLines(card: Element): number {
  const folds = [...card.querySelectorAll<HTMLElement>('[data-folded]')]
  return folds.reduce((sum, { dataset }) => sum + Number(dataset['folded']), 0)
}

/** Where a box has something that it was not scrolled to. */
export function unreached(part: Element): 'inside' | 'aside' | undefined {
  const { scrollHeight, clientHeight, scrollWidth, clientWidth } = part
  const isTall = scrollHeight - clientHeight > TOLERANCE
  const isWide = scrollWidth - clientWidth > TOLERANCE
  if (!isTall && !isWide) return undefined
  const { overflowX, overflowY } = getComputedStyle(part)
  const { bottom = clientHeight, side = clientWidth } = reached.get(part) ?? {}
  if (isTall && SCROLLING.test(overflowY) && scrollHeight - bottom > TOLERANCE) return 'inside'
  if (isWide && SCROLLING.test(overflowX) && scrollWidth - side > TOLERANCE) return 'aside'
  return undefined
}
