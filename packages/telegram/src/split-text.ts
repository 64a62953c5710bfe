import { sliceRich, trimRich, type RichText } from './rich-text.ts'

/** UTF-16 code units that Telegram takes in one message. */
export const MAX_MESSAGE_LENGTH = 4_096
/** Formatted stretches of one message; Telegram drops further ones. */
const MAX_ENTITIES = 100

/**
 * Cuts a text into messages: where a paragraph ends, else a line, else a word, never inside of a
 * character as it is seen. A block of code is cut only when it fills more than a message, and then each
 * piece is a block of its own. White space at the cuts is left out.
 *
 * @param maxLength UTF-16 code units of a message, at least 16
 * @returns no message for a text of white space
 */
export function splitRich(whole: RichText, maxLength: number = MAX_MESSAGE_LENGTH): RichText[] {
  if (!(maxLength >= 16)) throw new RangeError('maxLength must be at least 16.')
  const parts: RichText[] = []
  let rest = trimRich(whole)
  while (rest.text !== '') {
    const end = endOfPart(rest, maxLength)
    const part = trimRich(sliceRich(rest, 0, end))
    if (part.text !== '') parts.push(part)
    rest = trimRich(sliceRich(rest, end, rest.text.length))
  }
  return parts
}

function endOfPart(rest: RichText, maxLength: number): number {
  const overflowing = rest.entities.toSorted((a, b) => a.offset - b.offset)[MAX_ENTITIES]
  // A part holds something, whatever lies on it.
  const bound = Math.min(maxLength, Math.max(overflowing?.offset ?? Infinity, 1))
  if (rest.text.length <= bound) return rest.text.length
  const cutBlock = rest.entities.find(
    ({ type, offset, length }) =>
      type === 'pre' && offset > 0 && offset < bound && offset + length > bound,
  )
  if (cutBlock !== undefined && cutBlock.length <= maxLength) return cutBlock.offset
  return bestBoundary(rest.text, bound)
}

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })
/** Looked at beyond the bound, to know whether a character ends there. */
const LOOK_AHEAD = 64

function bestBoundary(text: string, bound: number): number {
  let last = 0
  let best = { rank: 0, end: 0 }
  for (const { index, segment } of graphemes.segment(text.slice(0, bound + LOOK_AHEAD))) {
    const end = index + segment.length
    if (end > bound) break
    last = end
    const rank = rankOf(text, end)
    // A part that is nearly empty is worse than one that ends in the middle of a line.
    if (rank > 0 && end >= bound / 2 && rank >= best.rank) best = { rank, end }
  }
  if (best.end > 0) return best.end
  if (last > 0) return last
  // One character that fills more than a message: at least not within a pair of surrogates.
  const unit = text.charCodeAt(bound - 1)
  return bound > 1 && unit >= 0xd800 && unit <= 0xdbff ? bound - 1 : bound
}

function rankOf(text: string, end: number): number {
  const before = text.charAt(end - 1)
  if (before === '\n') return text.charAt(end - 2) === '\n' ? 3 : 2
  return before === ' ' || before === '\t' ? 1 : 0
}
