/** A piece of a text that is a secret: UTF-16 places, without the end. */
export interface Span {
  readonly start: number
  readonly end: number
  /** What it is, e.g. `github token`. */
  readonly kind: string
}

/** Finds secrets of one sort. In linear time, whatever the text. */
export interface Finder {
  find(text: string): Span[]
  /**
   * Where the end of a partial text begins that can become a secret when more follows; the length of
   * the text when it cannot.
   */
  holdFrom(text: string): number
}

/** Every piece of text that is covered by spans, once; overlapping ones become one. */
export function mergeSpans(spans: readonly Span[]): Span[] {
  const merged: Span[] = []
  for (const span of spans.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const last = merged.at(-1)
    if (!last || span.start >= last.end) merged.push(span)
    else if (span.end > last.end) merged[merged.length - 1] = { ...last, end: span.end }
  }
  return merged
}

/** The text with a mask in the place of every span. What begins after `end` is left out. */
export function maskSpans(
  text: string,
  spans: readonly Span[],
  mask: (kind: string) => string,
  end = text.length,
): string {
  const pieces: string[] = []
  let from = 0
  for (const span of mergeSpans(spans)) {
    if (span.start >= end) break
    pieces.push(text.slice(from, span.start), mask(span.kind))
    from = span.end
  }
  if (from < end) pieces.push(text.slice(from, end))
  return pieces.join('')
}
