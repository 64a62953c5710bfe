import type { UIMessageChunk } from 'ai'
import { EngineError } from '../errors.ts'

/** The data of one event, `source` from `from` to `to`, to its chunk. Throws `stream_malformed`. */
export type ChunkParser = (source: string, from: number, to: number) => UIMessageChunk

/** How the deltas of one part look on the wire: all up to the quote that opens the delta. */
interface DeltaTemplate {
  prefix: string
  chunk: (delta: string) => UIMessageChunk
}

/** Parts that stream at the same time, each with a template of its own; more of them cost time. */
const MAX_TEMPLATES = 4

/**
 * Makes a parser for the events of one stream. A chunk is any object with a string `type`: unknown
 * types pass, and fields are not validated.
 *
 * Nearly all events of a stream differ from the one before only in the string at their end. Such an
 * event is read by comparing the part before that string, at a third of the price of `JSON.parse`,
 * which pays for the stream around it (see `sse.ts`). All else goes through `JSON.parse`.
 */
export function createChunkParser(): ChunkParser {
  const templates: DeltaTemplate[] = []

  const readWhole = (text: string): UIMessageChunk => {
    const chunk = parseEvent(text)
    const template = templateOf(text, chunk)
    if (template !== undefined) {
      templates.unshift(template)
      templates.splice(MAX_TEMPLATES)
    }
    return chunk
  }

  return (source, from, to) =>
    readDelta(templates, source, from, to) ?? readWhole(source.slice(from, to))
}

function readDelta(
  templates: readonly DeltaTemplate[],
  source: string,
  from: number,
  to: number,
): UIMessageChunk | undefined {
  const end = to - 2
  if (source.charCodeAt(end) !== QUOTE || source.charCodeAt(end + 1) !== CLOSING_BRACE) {
    return undefined
  }
  for (const { prefix, chunk } of templates) {
    // Comparing a slice is 3 times as fast as `startsWith` here.
    const start = from + prefix.length
    if (end < start || source.slice(from, start) !== prefix) continue
    const delta = readString(source, start, end)
    return delta === undefined ? undefined : chunk(delta)
  }
  return undefined
}

const QUOTE = 34
const BACKSLASH = 92
const CLOSING_BRACE = 125
const FIRST_PRINTABLE = 32

/** What stands between two quotes. `undefined` when that is more than one string. */
function readString(text: string, start: number, end: number): string | undefined {
  if (isPlain(text, start, end)) return text.slice(start, end)
  try {
    const value: unknown = JSON.parse(text.slice(start - 1, end + 1))
    if (typeof value === 'string') return value
  } catch {
    // Two strings, or the end of one that goes on.
  }
  return undefined
}

/** Whether characters mean themselves in a JSON string (RFC 8259 §7). */
function isPlain(text: string, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) {
    const code = text.charCodeAt(at)
    if (code < FIRST_PRINTABLE || code === QUOTE || code === BACKSLASH) return false
  }
  return true
}

function parseEvent(text: string): UIMessageChunk {
  let cause: unknown
  try {
    const value: unknown = JSON.parse(text)
    if (isChunk(value)) return value
  } catch (error) {
    cause = error
  }
  throw new EngineError(
    'stream_malformed',
    'The server must send UI message chunks: an event is not a JSON object with a "type".',
    { cause, details: { event: text.slice(0, 200) } },
  )
}

/** By `type` alone, as the protocol is open: readers ignore the types that they do not know. */
function isChunk(value: unknown): value is UIMessageChunk {
  return value instanceof Object && 'type' in value && typeof value.type === 'string'
}

/** The template of a delta chunk that is written as `JSON.stringify` writes it, without more keys. */
function templateOf(text: string, value: UIMessageChunk): DeltaTemplate | undefined {
  let chunk: DeltaTemplate['chunk']
  // An id that is no string is written otherwise, so it makes no template.
  if ('delta' in value) {
    const { type } = value
    const id = String(value.id)
    chunk = (delta) => ({ type, id, delta })
  } else if ('inputTextDelta' in value) {
    const { type } = value
    const toolCallId = String(value.toolCallId)
    chunk = (inputTextDelta) => ({ type, toolCallId, inputTextDelta })
  } else {
    return undefined
  }
  const empty = JSON.stringify(chunk(''))
  // A slice of the text, as strings of the same width (8 or 16 bits) are compared sooner.
  const prefix = text.slice(0, empty.length - 2)
  return `${prefix}"}` === empty ? { prefix, chunk } : undefined
}
