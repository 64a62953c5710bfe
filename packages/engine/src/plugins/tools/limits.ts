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
  const bytes = encoder.encode(text)
  const totalLines = countLines(text)
  if (bytes.length <= bounds.maxBytes && totalLines <= bounds.maxLines) return { output: whole }
  const shown =
    bounds.keep === 'head'
      ? headOf(text.slice(0, startOfLine(text, bounds.maxLines)), bounds)
      : tailOf(text.slice(startOfLine(text, totalLines - bounds.maxLines)), bounds)
  const cut = {
    shownLines: countLines(shown),
    totalLines,
    shownBytes: encoder.encode(shown).length,
    totalBytes: bytes.length,
  }
  const notice =
    `[Output cut: the ${bounds.keep === 'head' ? 'first' : 'last'} ${cut.shownLines} of ${totalLines} lines, ` +
    `${cut.shownBytes} of ${cut.totalBytes} bytes are shown.]`
  return {
    output:
      bounds.keep === 'head'
        ? `${shown}${shown.endsWith('\n') ? '' : '\n'}${notice}`
        : `${notice}\n${shown}`,
    cut,
  }
}

function headOf(lines: string, { maxBytes }: OutputBounds): string {
  const bytes = encoder.encode(lines)
  if (bytes.length <= maxBytes) return lines
  let end = maxBytes
  // Back over the bytes that continue a character (10xxxxxx).
  while (end > 0 && isContinuation(bytes[end])) end--
  const shown = decoder.decode(bytes.subarray(0, end))
  const lastLine = shown.lastIndexOf('\n') + 1
  return lastLine > 0 ? shown.slice(0, lastLine) : shown
}

function tailOf(lines: string, { maxBytes }: OutputBounds): string {
  const bytes = encoder.encode(lines)
  if (bytes.length <= maxBytes) return lines
  let start = bytes.length - maxBytes
  while (start < bytes.length && isContinuation(bytes[start])) start++
  const shown = decoder.decode(bytes.subarray(start))
  const isAtLineStart = bytes[start - 1] === 0x0a
  const firstLine = shown.indexOf('\n') + 1
  return isAtLineStart || firstLine === 0 || firstLine === shown.length
    ? shown
    : shown.slice(firstLine)
}

/** Where line number `index`, counted from 0, starts; the end of the text when there is none. */
function startOfLine(text: string, index: number): number {
  let start = 0
  for (let line = 0; line < index && start < text.length; line++) {
    start = text.indexOf('\n', start) + 1 || text.length
  }
  return start
}

function countLines(text: string): number {
  let count = 0
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count++
  return text === '' || text.endsWith('\n') ? count : count + 1
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80
}

function toJson(output: unknown): string | undefined {
  try {
    return JSON.stringify(output)
  } catch (cause) {
    throw new EngineError(
      'tool_output_invalid',
      'The tool returned something that JSON cannot express (a cycle or a BigInt).',
      { cause },
    )
  }
}
