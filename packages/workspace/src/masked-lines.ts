import { setImmediate } from 'node:timers/promises'
import { maskedPieces, type Redact } from '@assent/engine/redaction'
import { sliced } from './redact-in-slices.ts'

/** Lines that are masked by themselves before others have their turn. */
const AT_ONCE = 200

/** A line of a text whose secrets are masked, and the lines of the file for which it stands, from 1. */
export interface MaskedLine {
  /** With its end. */
  readonly text: string
  readonly first: number
  readonly last: number
}

/**
 * The lines of a text, without its secrets. They are looked for in the whole of it, since one line of a key
 * does not look like a secret; what is shown of a secret of several lines stands for all of them.
 */
export async function* maskedLines(
  text: string,
  toolName: string,
  redact: Redact,
): AsyncGenerator<MaskedLine> {
  const mask = (line: string) => redact(line, { toolName, isPartial: false })
  let number = 1
  let before = ''
  let masked = ''
  for await (const piece of maskedPieces(text, sliced(toolName, redact))) {
    before += piece.text
    masked += piece.masked
    // A piece may end within a line.
    if (!before.endsWith('\n')) continue
    const lines = linesOf(before)
    yield* await pairLines(lines, linesOf(masked), number, mask)
    number += lines.length
    before = masked = ''
  }
  yield* await pairLines(linesOf(before), linesOf(masked), number, mask)
}

function linesOf(text: string): string[] {
  return text === '' ? [] : text.split(/(?<=\n)/)
}

/** Finds which lines of a file a masked line stands for. Whatever it finds, only masked lines are shown. */
async function pairLines(
  lines: readonly string[],
  masked: readonly string[],
  number: number,
  mask: (line: string) => string,
): Promise<MaskedLine[]> {
  if (lines.length === masked.length) {
    return masked.map((text, at) => ({ text, first: number + at, last: number + at }))
  }
  // A line without a part of a longer secret is masked by itself as it is in the text.
  const alone: string[] = []
  for (const line of lines) {
    if (alone.push(mask(line)) % AT_ONCE === 0) await setImmediate()
  }
  const places = placesOf(alone)
  const begins: number[] = []
  let line = 0
  for (let at = 0; at < masked.length;) {
    // Up to the next line that is known, some stand for more than themselves.
    let stop = at
    let next: number | undefined
    for (; stop < masked.length && next === undefined; stop++) {
      next = placeFrom(places.get(masked[stop] ?? ''), line + (stop - at))
    }
    const end = next === undefined ? stop : stop - 1
    while (at < end) begins[at++] = line
    line = next ?? lines.length
    if (next !== undefined) begins[at++] = line++
  }
  let after = lines.length
  return masked
    .map((text, at) => ({ text, begin: begins[at] ?? 0, next: begins[at + 1] ?? lines.length }))
    .toReversed()
    .map(({ text, begin, next }) => {
      if (next > begin) after = next
      return { text, first: number + begin, last: number + after - 1 }
    })
    .toReversed()
}

/** Where each line stands, in order. */
function placesOf(lines: readonly string[]): Map<string, number[]> {
  const places = new Map<string, number[]>()
  lines.forEach((line, at) => {
    const known = places.get(line)
    if (known) known.push(at)
    else places.set(line, [at])
  })
  return places
}

/** The first place from one on; those before it are not asked for any more. */
function placeFrom(places: number[] | undefined, from: number): number | undefined {
  if (!places) return undefined
  let low = 0
  let high = places.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((places[middle] ?? 0) < from) low = middle + 1
    else high = middle
  }
  return places[low]
}
