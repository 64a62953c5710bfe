import { isToolCallPart, type ToolCallPart, type ToolCallRef } from '@assent/engine'
import type { UIMessage } from 'ai'

/** The call that a reference names, if its message has it. */
export function findCall(message: UIMessage, ref: ToolCallRef): ToolCallPart | undefined {
  return stepsOf(message, ref.toolCallId).get(ref.step)
}

/** Whether a later step of the message has another call of the same id, as some providers do. */
export function isOvertaken(message: UIMessage, { toolCallId, step }: ToolCallRef): boolean {
  return [...stepsOf(message, toolCallId).keys()].some((other) => other > step)
}

/** The calls of one id in a message, by step. */
function stepsOf(message: UIMessage, toolCallId: string): ReadonlyMap<number, ToolCallPart> {
  const calls = new Map<number, ToolCallPart>()
  let step = 0
  for (const part of message.parts) {
    if (part.type === 'step-start') step++
    if (isToolCallPart(part) && part.toolCallId === toolCallId) calls.set(step, part)
  }
  return calls
}
