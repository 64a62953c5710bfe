import type { Redact } from '@assent/engine/redaction'

/** How far a line's end is looked for from where a cut is wanted. */
const LOOK = 65_536
const LONGEST_WORD = 4_096
/** How far a secret is looked for on both sides of a cut. */
const BESIDE = 32_768
const MOST_TRIES = 6
const CONTEXT = { toolName: 'bash', isPartial: false }

/**
 * Where a text can be cut: at a line, where there are lines, and never inside of a secret. `undefined`
 * when no such place is near.
 */
export function safeCutFrom(text: string, earliest: number, redact: Redact): number | undefined {
  let place = earliest
  for (let tries = 0; tries < MOST_TRIES && place < text.length; tries++) {
    place = cutNear(text, place)
    const before = text.slice(Math.max(0, place - BESIDE), place)
    const after = text.slice(place, place + BESIDE)
    // Without a secret that goes over it, both sides are masked as they are together.
    if (redact(before, CONTEXT) + redact(after, CONTEXT) === redact(before + after, CONTEXT)) {
      return place
    }
    place += 8 ** tries
  }
  return undefined
}

/** The end of a line from a place on, else the end of a word, else that of a character. */
export function cutNear(text: string, place: number): number {
  const line = text.indexOf('\n', place)
  if (line !== -1 && line - place < LOOK) return line + 1
  const word = text.slice(place, place + LONGEST_WORD).search(/[ \t,;]/)
  if (word !== -1) return place + word + 1
  const code = text.charCodeAt(place + 1)
  return Math.min(text.length, code >= 0xdc00 && code <= 0xdfff ? place + 2 : place + 1)
}

/** Lines that end in a text, and its UTF-8 bytes. */
export function countText(text: string): { lines: number; bytes: number } {
  let lines = 0
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines++
  return { lines, bytes: Buffer.byteLength(text) }
}
