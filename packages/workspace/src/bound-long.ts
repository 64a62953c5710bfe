import { boundOutput, type OutputBounds } from '@assent/engine/bounds'
import { countText } from './safe-cut.ts'

/** An output within its bounds, and the text of which it is a part when it was cut. */
export interface Bounded {
  readonly output: string
  readonly whole?: string | undefined
}

/** UTF-16 code units beside what can be shown: of a grapheme that goes over the cut. */
const BESIDE = 131_072

/**
 * Bounds a text of which the beginning may be gone. Only the end that is kept is looked at closely: the
 * rest of a long one is counted.
 */
export function boundLong(
  text: string,
  gone: { readonly lines: number; readonly bytes: number } | undefined,
  bounds: OutputBounds,
): Bounded {
  const { maxBytes, keep, name } = bounds
  const near = maxBytes + BESIDE
  const isLong = text.length > near
  // What is longer is over the bounds, and so is the piece of it.
  const piece = !isLong ? text : keep === 'head' ? text.slice(0, near) : text.slice(-near)
  const bounded = boundOutput(piece, bounds)
  const output = String(bounded.output)
  const { cut } = bounded
  if (!cut) {
    if (!gone) return { output }
    return { output: `[Output cut: the first ${gone.bytes} bytes are not kept.]\n${output}` }
  }
  if (!isLong && !gone) return { output, whole: text }
  const { lines, bytes } = countText(text)
  const isPartLine = text !== '' && !text.endsWith('\n')
  const totalLines = lines + Number(isPartLine) + (gone?.lines ?? 0)
  const totalBytes = bytes + (gone?.bytes ?? 0)
  const { shownLines, shownBytes } = cut
  const where = name === undefined ? '' : ` of output ${name}`
  const rest = gone
    ? `The last ${bytes} bytes can be read with readToolOutput from byte offset 0${where}.`
    : `The rest can be read with readToolOutput from byte offset ${keep === 'head' ? shownBytes : 0}${where}.`
  const notice =
    `[Output cut: the ${keep === 'head' ? 'first' : 'last'} ${shownLines} of ${totalLines} lines, ` +
    `${shownBytes} of ${totalBytes} bytes are shown. ${rest}]`
  const shown =
    keep === 'head'
      ? `${output.replace(HEAD_NOTICE, '')}\n${notice}`
      : output.replace(TAIL_NOTICE, () => `${notice}\n`)
  return { output: shown, whole: text }
}

const HEAD_NOTICE = /\n?\[Output cut: the [^\]\n]*\]$/
const TAIL_NOTICE = /^\[Output cut: the [^\]\n]*\]\n/
