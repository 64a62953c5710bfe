/** A stretch of something, from and to, in pixels from its top. */
export type Span = readonly [from: number, to: number]

/** Distances up to this are roundings. */
const TOLERANCE = 2

/** Stretches with one more, joined where they touch, in order. */
export function addSpan(spans: readonly Span[], [from, to]: Span): Span[] {
  const apart: Span[] = []
  let joined: Span = [from, to]
  for (const span of spans) {
    const touches = span[0] <= joined[1] + TOLERANCE && span[1] >= joined[0] - TOLERANCE
    if (touches) joined = [Math.min(span[0], joined[0]), Math.max(span[1], joined[1])]
    else apart.push(span)
  }
  return [...apart, joined].toSorted((a, b) => a[0] - b[0])
}

/** Whether stretches leave no gap from 0 to `end`. */
export function coversAll(spans: readonly Span[], end: number): boolean {
  const [only] = spans
  return only !== undefined && only[0] <= TOLERANCE && only[1] >= end - TOLERANCE
}

/** The first stretch from 0 to `end` that is left out; empty when there is none. */
export function firstGap(spans: readonly Span[], end: number): Span {
  const [first, second] = spans
  if (!first || first[0] > TOLERANCE) return [0, first?.[0] ?? end]
  return [Math.min(first[1], end), second?.[0] ?? end]
}
