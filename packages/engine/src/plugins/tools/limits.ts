import { EngineError } from '../../errors.ts'
import type { AssentCallMetadata } from '../../message/tool-part.ts'
import { MAX_KEPT_LENGTH } from './kept-outputs.ts'
import { fromUtf8, isContinuation, toUtf8 } from './utf-8.ts'

/** The bounds of one output. Lines are counted as `wc -l` does, plus a last one without its end. */
export interface OutputBounds {
  maxLines: number
  /** UTF-8 bytes. */
  maxBytes: number
  /** Which end is kept. */
  keep: 'head' | 'tail'
  /** What the whole is called where it is kept, when the notice is to say so. */
  name?: string
}

/** An output within its bounds, and what was cut when it was not. */
export interface BoundedOutput {
  output: unknown
  cut?: NonNullable<AssentCallMetadata['cut']>
  /** The text of which this is a part, when it was cut. */
  whole?: string
}

const LINE_FEED = 0x0a

/**
 * Keeps an output within its bounds. A text is cut at a line where one ends, else at a character;
 * anything else whose JSON is too long becomes that JSON as text, cut likewise. The cut says what
 * is shown and what there was, and where to read on; the notice itself does not count. What was cut
 * to these bounds before stays as it is.
 * Throws `tool_output_invalid` for what JSON cannot express.
 */
export function boundOutput(output: unknown, bounds: OutputBounds): BoundedOutput {
  if (typeof output === 'string') return boundText(output, bounds, output)
  const value = toJsonValue(output)
  return typeof value === 'string'
    ? boundText(value, bounds, value)
    : boundText(JSON.stringify(value), { ...bounds, maxLines: Infinity }, value)
}

/**
 * A value as every request and every reload will see it: after one pass of JSON.
 * Throws `tool_output_invalid` for what JSON cannot express.
 */
export function toJsonValue(output: unknown): unknown {
  if (typeof output === 'string') return output
  try {
    return JSON.parse(JSON.stringify(output) ?? 'null')
  } catch (cause) {
    throw new EngineError(
      'tool_output_invalid',
      'JSON cannot express the output: it has a cycle or a BigInt.',
      { cause },
    )
  }
}

function boundText(text: string, bounds: OutputBounds, whole: unknown): BoundedOutput {
  const { maxLines, maxBytes, keep } = bounds
  const isWithin = (size: TextSize) => size.totalBytes <= maxBytes && size.totalLines <= maxLines
  const size = sizeOfText(text)
  if (isWithin(size)) return { output: whole }

  const { bytes, totalBytes, ends, totalLines } = size
  const isHead = keep === 'head'
  // What is shown beside a notice, if the text has one.
  const shownBefore = text.replace(isHead ? HEAD_NOTICE : TAIL_NOTICE, '')
  if (shownBefore !== text && isWithin(sizeOfText(shownBefore))) return { output: whole }
  /** A place in the text, counted from the end that is kept; and back again. */
  const fromKept = (place: number) => (isHead ? place : totalBytes - place)
  const sizeOf = (lines: number) => fromKept(ends[isHead ? lines : totalLines - lines] ?? 0)
  let shownLines = 0
  while (shownLines < maxLines && sizeOf(shownLines + 1) <= maxBytes) shownLines++
  let shownBytes = sizeOf(shownLines)
  if (shownLines === 0 && maxLines > 0) {
    // Not even one line fits, so it is cut itself, but never inside of what is seen as a character.
    shownBytes = maxBytes
    while (isContinuation(bytes[fromKept(shownBytes)])) shownBytes--
    const part = isHead ? bytes.subarray(0, shownBytes) : bytes.subarray(totalBytes - shownBytes)
    shownBytes = toUtf8(wholeGraphemes(text, fromUtf8(part), isHead)).length
    shownLines = Math.min(1, shownBytes)
  }
  const from = isHead ? 0 : totalBytes - shownBytes
  const shown = fromUtf8(bytes.subarray(from, from + shownBytes))
  const notice =
    `[Output cut: the ${isHead ? 'first' : 'last'} ${shownLines} of ${totalLines} lines, ` +
    `${shownBytes} of ${totalBytes} bytes are shown.` +
    // Nothing is promised that will not be there.
    (text.length > MAX_KEPT_LENGTH
      ? ']'
      : ` The rest can be read with readToolOutput from byte offset ${isHead ? shownBytes : 0}` +
        `${bounds.name === undefined ? '' : ` of output ${bounds.name}`}.]`)
  const gap = isHead && shown.endsWith('\n') ? '' : '\n'
  return {
    output: isHead ? shown + gap + notice : notice + gap + shown,
    cut: { shownLines, totalLines, shownBytes, totalBytes },
    whole: text,
  }
}

/** How far back a grapheme is looked for that goes over the cut at the beginning of what is kept. */
const LONGEST_LOOK = 65_536

/**
 * What is left of a part of a text when what was cut through at its inner end is left out: a letter
 * and its accents, a family of emoji, a flag.
 */
function wholeGraphemes(text: string, part: string, isHead: boolean): string {
  const cut = isHead ? part.length : text.length - part.length
  const from = isHead ? 0 : beginOfLook(text, cut)
  // Whether one ends here depends on what is before it, and on one character behind it.
  const next = text.codePointAt(cut) ?? 0
  const to = isHead ? cut + (next > 0xffff ? 2 : 1) : text.length
  const segments = new Intl.Segmenter().segment(text.slice(from, to))
  const over = segments.containing(cut - from)
  if (!over || over.index === cut - from) return part
  if (isHead) return text.slice(0, over.index)
  return text.slice(from + over.index + over.segment.length)
}

/** A place before the cut at which a grapheme begins for certain, if one is near enough. */
function beginOfLook(text: string, cut: number): number {
  const furthest = Math.max(0, cut - LONGEST_LOOK)
  let from = cut
  while (from > furthest && !/[\w.,:;/ -]/.test(text.charAt(from))) from--
  return from
}

const HEAD_NOTICE = /\n?\[Output cut: the [^\]\n]{1,200}\]$/
const TAIL_NOTICE = /^\[Output cut: the [^\]\n]{1,200}\]\n/

/** A text in UTF-8. */
interface TextSize {
  readonly bytes: Uint8Array
  readonly totalBytes: number
  /** Where each line ends, after the 0 at which the first one begins. */
  readonly ends: readonly number[]
  readonly totalLines: number
}

function sizeOfText(text: string): TextSize {
  const bytes = toUtf8(text)
  const { length: totalBytes } = bytes
  const ends = [0]
  bytes.forEach((byte, index) => {
    if (byte === LINE_FEED || index === totalBytes - 1) ends.push(index + 1)
  })
  return { bytes, totalBytes, ends, totalLines: ends.length - 1 }
}
