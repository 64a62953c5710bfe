import { cutNear, type Redact } from '@assent/engine/redaction'

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

/** Lines that end in a text, and its UTF-8 bytes. */
export function countText(text: string): { lines: number; bytes: number } {
  let lines = 0
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines++
  return { lines, bytes: Buffer.byteLength(text) }
}
