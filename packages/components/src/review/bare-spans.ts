import type { Span } from './spans.ts'

/** How far apart rows of points are: less than the height of a line. */
const STEP_PX = 8
/** How many points of a row are asked about. */
const POINTS = 5
/** Rows ask at other places than those before, so that what is narrow is met by one of them. */
const PHASES = 4
/** Corners are round, and borders are nothing to read. */
const INSET_PX = 12

/** What of a page is asked about, in pixels from its top left corner. */
export interface Area {
  readonly top: number
  readonly bottom: number
  readonly left: number
  readonly right: number
}

/**
 * Which stretches of an area nothing lies over, in pixels from `origin`. The page itself is asked what is
 * on top at many points, because anything may cover what is to be read: feet that stick, panels, dialogs,
 * what an app floats over its page, and what clips.
 *
 * @param isBare whether what is on top at a point belongs to what is to be read
 */
export function bareSpans(
  page: DocumentOrShadowRoot,
  area: Area,
  origin: number,
  isBare: (top: Element) => boolean,
): Span[] {
  const spans: Span[] = []
  const left = area.left + INSET_PX
  const gap = (area.right - INSET_PX - left) / POINTS
  const isRowBare = (y: number, phase: number): boolean => {
    for (let point = 0; point < POINTS; point += 1) {
      const top = page.elementFromPoint(left + gap * (point + (phase + 0.5) / PHASES), y)
      if (!top || !isBare(top)) return false
    }
    return true
  }
  let row = 0
  for (let from = area.top; from < area.bottom; from += STEP_PX) {
    const to = Math.min(from + STEP_PX, area.bottom)
    if (isRowBare((from + to) / 2, row % PHASES)) spans.push([from - origin, to - origin])
    row += 1
  }
  return spans
}
