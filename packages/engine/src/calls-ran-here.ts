import type { UIMessage, UIMessageChunk } from 'ai'
import { EngineError } from './errors.ts'
import { assentMetadata, isToolCallPart, type MessagePart } from './message/tool-part.ts'
import type { StepMark } from './state.ts'

/** Whether a step has come to its end, and calls of it have begun to run here since. */
export function callsRanHere(step: StepMark | undefined, message: UIMessage | undefined): boolean {
  if (!step?.isEnded || !message) return false
  return message.parts.slice(step.partCount).some(hasRunHere)
}

/**
 * An answer that is taken up should be the one that is missed. Throws `stream_invalid` when it brings
 * a call that has run here already, as the message was before: it would run again.
 */
export function refuseEarlierCall(chunk: UIMessageChunk, { parts }: UIMessage): void {
  if (chunk.type !== 'tool-input-available') return
  const { toolCallId } = chunk
  const isEarlier = parts.some(
    (part) => isToolCallPart(part) && part.toolCallId === toolCallId && hasRunHere(part),
  )
  if (!isEarlier) return
  throw new EngineError(
    'stream_invalid',
    'The server sent an answer again that has come to its end. Retry.',
    { retryable: true, details: { toolCallId } },
  )
}

function hasRunHere(part: MessagePart): boolean {
  return isToolCallPart(part) && assentMetadata(part).startedAt !== undefined
}
