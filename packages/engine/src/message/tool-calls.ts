import type { UIMessage } from 'ai'
import {
  isAwaitingApproval,
  isRecord,
  isSettled,
  isToolCallPart,
  type ToolCallPart,
  type ToolCallRef,
} from './tool-part.ts'

/** A tool call and where it stands. */
export interface ToolCallEntry extends ToolCallRef {
  readonly part: ToolCallPart
  /** Index among the parts of its message. */
  readonly index: number
}

/** The tool calls of a message, in call order. */
export function toolCallsOf(message: UIMessage): ToolCallEntry[] {
  const calls: ToolCallEntry[] = []
  let step = 0
  for (const [index, part] of message.parts.entries()) {
    if (part.type === 'step-start') step++
    else if (isToolCallPart(part)) {
      calls.push({ messageId: message.id, step, toolCallId: part.toolCallId, part, index })
    }
  }
  return calls
}

/** The reference alone. */
export function refOf({ messageId, step, toolCallId }: ToolCallRef): ToolCallRef {
  return { messageId, step, toolCallId }
}

/** What calls wait for: decisions, or only outputs that a person or the app has to give. */
export interface WaitingReason {
  readonly type: 'approval' | 'output'
  readonly toolCalls: readonly ToolCallRef[]
}

/** Why a turn pauses in which these calls wait. */
export function waitingReason(calls: readonly ToolCallEntry[]): WaitingReason {
  const isAsking = calls.some(({ part }) => isAwaitingApproval(part))
  return { type: isAsking ? 'approval' : 'output', toolCalls: calls.map(refOf) }
}

/** Whether a value names a tool call. */
export function isToolCallRef(value: unknown): value is ToolCallRef & Record<string, unknown> {
  return (
    isRecord(value) &&
    typeof value['messageId'] === 'string' &&
    Number.isInteger(value['step']) &&
    Number(value['step']) >= 0 &&
    typeof value['toolCallId'] === 'string'
  )
}

/** One string per call, for keys of maps. */
export function keyOf(call: ToolCallRef): string {
  return JSON.stringify(refOf(call))
}

/** The call that a reference names, if its message has it. */
export function findToolCall(message: UIMessage, ref: ToolCallRef): ToolCallEntry | undefined {
  if (message.id !== ref.messageId) return undefined
  return toolCallsOf(message).find(
    ({ step, toolCallId }) => step === ref.step && toolCallId === ref.toolCallId,
  )
}

/** The message with one call changed; the same message when nothing changed. */
export function replaceToolCall<MESSAGE extends UIMessage>(
  message: MESSAGE,
  ref: ToolCallRef,
  change: (part: ToolCallPart) => ToolCallPart,
): MESSAGE {
  const call = findToolCall(message, ref)
  if (!call) return message
  const part = change(call.part)
  return part === call.part ? message : { ...message, parts: message.parts.with(call.index, part) }
}

/**
 * Whether the provider has run something in these calls, or does: what comes of an approval of its own
 * arrives as another call, which has no result yet when it paused there.
 */
export function hasProviderRun(calls: readonly ToolCallEntry[]): boolean {
  return calls.some(
    ({ part }) => part.providerExecuted && (isSettled(part) || part.state === 'input-available'),
  )
}
