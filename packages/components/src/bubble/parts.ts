import { isToolCallPart, type MessagePart } from '@assent/engine'
import type { SourcePart } from '../markdown/sources.ts'

/** Whether a part names a source of the answer. */
export function isSourcePart(part: MessagePart): part is SourcePart {
  return part.type === 'source-url' || part.type === 'source-document'
}

/**
 * A key for a part. Calls have their id in it: a card must never pass on what was typed or armed to
 * another call in its place.
 */
export function partKey(part: MessagePart, index: number): string {
  return isToolCallPart(part) ? `${index} ${part.toolCallId}` : `${index} ${part.type}`
}

/** Whether a step begins between two texts, which would look like one. */
export function isStepBreak(parts: readonly MessagePart[], index: number): boolean {
  return parts[index - 1]?.type === 'text' && parts[index + 1]?.type === 'text'
}
