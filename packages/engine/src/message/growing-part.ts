import { isEqualJson } from './json-equality.ts'
import { createPartialJson } from './partial-json.ts'
import { isToolCallPart, type MessagePart } from './tool-part.ts'

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

/** What came to the growing text of a part. */
export interface TextGrowth {
  /** All of it, as it is now. */
  readonly text: string
  /** The end of it, which is new. */
  readonly added: string
  /** Nothing else of the part changed. */
  readonly isSameElse: boolean
}

/** What came to a part; `undefined` when its text did not grow, or there is none that does. */
export function growthBetween(before: MessagePart, part: MessagePart): TextGrowth | undefined {
  const text = growingTextOf(part)
  const former = growingTextOf(before)
  if (text === undefined || former === undefined || stateOf(part) !== stateOf(before))
    return undefined
  if (text.length === former.length || !text.startsWith(former)) return undefined
  const isSameElse = isEqualJson(withGrowingText(before, ''), withGrowingText(part, ''))
  return { text, added: text.slice(former.length), isSameElse }
}

/** What decides which text of a part grows. */
function stateOf(part: MessagePart): unknown {
  return 'state' in part ? part.state : undefined
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
