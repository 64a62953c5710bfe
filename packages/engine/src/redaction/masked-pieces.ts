/** UTF-16 code units. */
export interface SliceSizes {
  /** Of a slice, where it can be cut. */
  readonly slice: number
  /** How far behind a cut a secret is looked for that goes over it. */
  readonly ahead: number
}

/** How a long text is masked. */
export interface SlicedMasking {
  /** Masks a text by itself; the last slice may still go on. */
  mask(text: string, isLast: boolean): string
  /** Lets others have their turn, e.g. `setImmediate` of `node:timers/promises`. */
  pause(): Promise<unknown>
  readonly sizes?: SliceSizes
}

/** A piece of a text, and what is shown of it: no secret goes over its ends. */
export interface MaskedPiece {
  readonly text: string
  readonly masked: string
}

/** What is masked at once, in UTF-16 code units: a few milliseconds. */
export const SLICE_SIZES: SliceSizes = { slice: 32_768, ahead: 16_384 }
/** Tries near a wanted place before the slice is made twice as long. */
const NEAR_TRIES = 4
/** How far a line's end is looked for from where a cut is wanted. */
const LOOK = 65_536
const LONGEST_WORD = 4_096

/**
 * The pieces of a text, masked as in one piece: slice by slice, others may run between. A cut is made only where what is
 * before it and what is behind it are masked as they are together; where there is none, the slice grows.
 */
export async function* maskedPieces(
  text: string,
  { mask, pause, sizes: { slice, ahead } = SLICE_SIZES }: SlicedMasking,
): AsyncGenerator<MaskedPiece> {
  let from = 0
  let size = slice
  for (let tries = 0; text.length - from > size + ahead; tries++) {
    const at = cutNear(text, from + size)
    const before = text.slice(from, at)
    const after = text.slice(at, at + ahead)
    const alone = mask(before, false)
    await pause()
    if (alone + mask(after, false) === mask(before + after, false)) {
      yield { text: before, masked: alone }
      from = at
      size = slice
      tries = -1
    } else {
      size = tries < NEAR_TRIES ? size + 8 ** tries : 2 * size
    }
    await pause()
  }
  const last = text.slice(from)
  yield { text: last, masked: mask(last, true) }
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
