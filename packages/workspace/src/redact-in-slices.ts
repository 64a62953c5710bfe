import { setImmediate } from 'node:timers/promises'
import type { Redact } from '@assent/engine/redaction'
import { cutNear } from './safe-cut.ts'

/** UTF-16 code units. */
export interface SliceSizes {
  /** Of a slice, where it can be cut. */
  readonly slice: number
  /** How far behind a cut a secret is looked for that goes over it. */
  readonly ahead: number
}

const SIZES: SliceSizes = { slice: 32_768, ahead: 16_384 }
/** Tries near a wanted place before the slice is made twice as long. */
const NEAR_TRIES = 4

/** A piece of a text, and what is shown of it: no secret goes over its ends. */
export interface MaskedPiece {
  readonly text: string
  readonly masked: string
}

/** Masks a text as in one piece, without holding the process for long. */
export async function redactInSlices(
  text: string,
  toolName: string,
  redact: Redact,
  sizes: SliceSizes = SIZES,
): Promise<string> {
  const masked: string[] = []
  for await (const piece of maskedPieces(text, toolName, redact, sizes)) masked.push(piece.masked)
  return masked.join('')
}

/**
 * The pieces of a text, masked as in one piece: slice by slice, others may run between. A cut is made
 * only where what is before it and what is behind it are masked as they are together; where there is
 * none, the slice grows.
 */
export async function* maskedPieces(
  text: string,
  toolName: string,
  redact: Redact,
  { slice, ahead }: SliceSizes = SIZES,
): AsyncGenerator<MaskedPiece> {
  const mask = (part: string) => redact(part, { toolName, isPartial: false })
  let from = 0
  let size = slice
  for (let tries = 0; text.length - from > size + ahead; tries++) {
    const at = cutNear(text, from + size)
    const before = text.slice(from, at)
    const after = text.slice(at, at + ahead)
    const alone = mask(before)
    await setImmediate()
    if (alone + mask(after) === mask(before + after)) {
      yield { text: before, masked: alone }
      from = at
      size = slice
      tries = -1
    } else {
      size = tries < NEAR_TRIES ? size + 8 ** tries : 2 * size
    }
    await setImmediate()
  }
  const last = text.slice(from)
  yield { text: last, masked: mask(last) }
}
