import { EngineError } from '../../errors.ts'
import type { AssentCallMetadata } from '../../message/tool-part.ts'

/** The bounds of one output. Lines are counted as `wc -l` does, plus a last one without its end. */
export interface OutputBounds {
  maxLines: number
  /** UTF-8 bytes. */
  maxBytes: number
  /** Which end is kept. */
  keep: 'head' | 'tail'
}

/** An output within its bounds, and what was cut when it was not. */
export interface BoundedOutput {
  output: unknown
  cut?: NonNullable<AssentCallMetadata['cut']>
}

const LINE_FEED = 0x0a
const encoder = new TextEncoder()
// A byte order mark is a character like any other here.
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/**
 * Keeps an output within its bounds. A text is cut at a line where one ends, else at a character;
 * anything else whose JSON is too long becomes that JSON as text, cut likewise. The cut says what
 * is shown and what there was; the notice itself does not count.
 * Throws `tool_output_invalid` for what JSON cannot express.
 */
export function boundOutput(output: unknown, bounds: OutputBounds): BoundedOutput {
  if (typeof output === 'string') return boundText(output, bounds, output)
  const json = toJson(output) ?? 'null'
  // One pass of JSON is the value as every request and every reload will see it.
  const value: unknown = JSON.parse(json)
  return typeof value === 'string'
    ? boundText(value, bounds, value)
    : boundText(json, { ...bounds, maxLines: Infinity }, value)
}

function boundText(text: string, bounds: OutputBounds, whole: unknown): BoundedOutput {
  const { maxLines, maxBytes, keep } = bounds
  const bytes = encoder.encode(text)
  const { length: totalBytes } = bytes
  const ends = endsOfLines(bytes)
  const totalLines = ends.length - 1
  if (totalBytes <= maxBytes && totalLines <= maxLines) return { output: whole }

  const isHead = keep === 'head'
  /** A place in the text, counted from the end that is kept; and back again. */
  const fromKept = (place: number) => (isHead ? place : totalBytes - place)
  const sizeOf = (lines: number) => fromKept(ends[isHead ? lines : totalLines - lines] ?? 0)
  let shownLines = 0
  while (shownLines < maxLines && sizeOf(shownLines + 1) <= maxBytes) shownLines++
  let shownBytes = sizeOf(shownLines)
  if (shownLines === 0 && maxLines > 0) {
    // Not even one line fits, so it is cut itself, but never inside a character.
    shownBytes = maxBytes
    while (isContinuation(bytes[fromKept(shownBytes)])) shownBytes--
    shownLines = Math.min(1, shownBytes)
  }
  const from = isHead ? 0 : totalBytes - shownBytes
  const shown = decoder.decode(bytes.subarray(from, from + shownBytes))
  const notice =
    `[Output cut: the ${isHead ? 'first' : 'last'} ${shownLines} of ${totalLines} lines, ` +
    `${shownBytes} of ${totalBytes} bytes are shown.]`
  const gap = isHead && shown.endsWith('\n') ? '' : '\n'
  return {
    output: isHead ? shown + gap + notice : notice + gap + shown,
    cut: { shownLines, totalLines, shownBytes, totalBytes },
  }
}

/** Where each line of a text in UTF-8 ends, after the 0 at which the first one begins. */
function endsOfLines(bytes: Uint8Array): number[] {
  const ends = [0]
  bytes.forEach((byte, index) => {
    if (byte === LINE_FEED || index === bytes.length - 1) ends.push(index + 1)
  })
  return ends
}

/** Whether a byte continues a character (10xxxxxx). */
function isContinuation(byte = 0): boolean {
  return (byte & 0xc0) === 0x80
}

function toJson(output: unknown): string | undefined {
  try {
    return JSON.stringify(output)
  } catch (cause) {
    throw new EngineError(
      'tool_output_invalid',
      'JSON cannot express the output: it has a cycle or a BigInt.',
      { cause },
    )
  }
}
