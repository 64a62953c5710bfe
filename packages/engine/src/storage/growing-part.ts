import { createPartialJson } from '../message/partial-json.ts'
import { isToolCallPart, type MessagePart } from '../message/tool-part.ts'

/**
 * The text of a part to which more may come: a text that streams, the input of a call, an output so far.
 * `undefined` when the part is whole.
 */
export function growingTextOf(part: MessagePart): string | undefined {
  if (part.type === 'text' || part.type === 'reasoning') {
    return part.state === 'streaming' ? part.text : undefined
  }
  if (!isToolCallPart(part)) return undefined
  if (part.state === 'input-streaming') return textOr(part.rawInput, '')
  return part.state === 'output-available' && part.preliminary === true
    ? textOr(part.output, undefined)
    : undefined
}

/** The part with another growing text. The input of a call is what its text says so far. */
export function withGrowingText(part: MessagePart, text: string): MessagePart {
  if (part.type === 'text' || part.type === 'reasoning') return { ...part, text }
  if (!isToolCallPart(part)) return part
  if (part.state === 'input-streaming') {
    return { ...part, rawInput: text, input: readInput(text, part.inputEncoding) }
  }
  return part.state === 'output-available' ? { ...part, output: text } : part
}

function readInput(text: string, encoding: 'json' | 'text' | undefined): unknown {
  if (encoding === 'text') return text
  const json = createPartialJson()
  json.feed(text)
  return json.value()
}

function textOr<T>(value: unknown, otherwise: T): string | T {
  return typeof value === 'string' ? value : otherwise
}
