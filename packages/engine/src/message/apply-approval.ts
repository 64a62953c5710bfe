import { isDevelopment } from '../development.ts'
import { invalidChunk, type ChunkOf } from './chunk.ts'
import { given } from './given.ts'
import type { ReducerState } from './reducer-state.ts'
import { callNamedBy, changeCall, factsOf } from './tool-call-draft.ts'
import { isLocalApproval, type ToolCallPart } from './tool-part.ts'

/**
 * The server asks for a decision. Only a call with a complete input and without a decision or result
 * can be asked about: whatever was decided or done cannot be opened again from outside.
 */
export function requestApproval(
  state: ReducerState,
  chunk: ChunkOf<'tool-approval-request'>,
): void {
  const { approvalId, approvalDescriptor, inputSchemaInput } = chunk
  const { reason, isAutomatic, signature } = chunk
  const slot = callNamedBy(state, chunk)
  if (!['input-available', 'approval-requested'].includes(slot.part.state)) {
    throw invalidChunk(
      chunk,
      isDevelopment &&
        `Its call is ${slot.part.state}. Ask while an input is available and not decided on.`,
    )
  }
  state.approvals.set(approvalId, slot)
  changeCall(state, slot, {
    state: 'approval-requested',
    approval: {
      id: approvalId,
      ...given({
        descriptor: approvalDescriptor ?? undefined,
        inputSchemaInput,
        requestReason: reason,
        isAutomatic: isAutomatic || undefined,
        signature,
      }),
    },
  })
}

/** The decision on a request of this message. It stands: only the same one may come again. */
export function respondToApproval(
  state: ReducerState,
  chunk: ChunkOf<'tool-approval-response'>,
): void {
  const { approvalId, approved, reason } = chunk
  const slot = state.approvals.get(approvalId)
  if (!slot || !isDecidedBy(chunk, slot.part)) {
    throw invalidChunk(
      chunk,
      isDevelopment && 'No such approval is open. Send its tool-approval-request first.',
    )
  }
  const { part } = slot
  changeCall(state, slot, {
    ...factsOf(chunk, part, false),
    state: 'approval-responded',
    approval: { ...part.approval, approved, ...given({ reason }) },
  })
}

/** What the engine asked itself is for a person to decide, not for the stream. */
function isDecidedBy(
  { approvalId, approved }: ChunkOf<'tool-approval-response'>,
  { state, approval }: ToolCallPart,
): boolean {
  if (isLocalApproval(approvalId) || approval?.id !== approvalId) return false
  return (
    state === 'approval-requested' ||
    (state === 'approval-responded' && approval.approved === approved)
  )
}
