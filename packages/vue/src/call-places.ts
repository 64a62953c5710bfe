import { isToolCallPart, type ToolCallPart, type ToolCallRef } from '@assent/engine'
import type { UIMessage } from 'ai'

/** The call that a reference names, if its message has it. */
export function findCall(
  { parts }: UIMessage,
  { toolCallId, step }: ToolCallRef,
): ToolCallPart | undefined {
  let at = 0
  for (const part of parts) {
    if (part.type === 'step-start') at++
    else if (at === step && isToolCallPart(part) && part.toolCallId === toolCallId) return part
  }
  return undefined
}
