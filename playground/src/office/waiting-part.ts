import type { ToolCallPart } from '@assent/engine'
import type { WaitingCallBody } from './office-bodies.ts'

/** A call that a task waits for, as the cards of the chat show it. */
export function waitingPart({
  toolCallId,
  toolName,
  kind,
  input,
  requestReason,
  summary,
  preview,
  risk,
}: WaitingCallBody): ToolCallPart {
  const assent = {
    ...(summary !== undefined && { summary }),
    ...(preview !== undefined && { preview }),
    ...(risk !== undefined && { risk }),
    ...(kind === 'output' && { awaitsOutput: true }),
  }
  const call = {
    type: 'dynamic-tool',
    toolCallId,
    toolName,
    input,
    toolMetadata: { assent },
  } as const
  if (kind === 'output') return { ...call, state: 'input-available' }
  return {
    ...call,
    state: 'approval-requested',
    approval: {
      id: `assent-${toolCallId}`,
      ...(requestReason !== undefined && { requestReason }),
    },
  }
}
