import { given, invalidChunk, type ChunkOf } from './chunk.ts'
import type { ReducerState } from './reducer-state.ts'
import { callNamedBy, changeCall, factsOf } from './tool-call-draft.ts'
import { isLocalApproval } from './tool-part.ts'

/**
 * The server asks for a decision. Only a call with a complete input and without a decision or result
 * can be asked about: whatever was decided or done cannot be opened again from outside.
 */
export function requestApproval(
  state: ReducerState,
  chunk: ChunkOf<'tool-approval-request'>,
): void {
  const { toolCallId, approvalId, approvalDescriptor, inputSchemaInput } = chunk
  const { reason, isAutomatic, signature } = chunk
  const slot = callNamedBy(state, chunk)
  if (!['input-available', 'approval-requested'].includes(slot.part.state)) {
    throw invalidChunk(
      chunk,
      toolCallId,
      `The call is ${slot.part.state}. Ask once its input is available and before it is decided.`,
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

/**
 * The decision on a request of this message. It stands: only the same one may come again. What the
 * engine asked itself is for a person to decide, not for the stream.
 */
export function respondToApproval(
  state: ReducerState,
  chunk: ChunkOf<'tool-approval-response'>,
): void {
  const { approvalId, approved, reason } = chunk
  const slot = state.approvals.get(approvalId)
  // A call that was asked about again has another approval.
  if (!slot || slot.part.approval?.id !== approvalId || isLocalApproval(approvalId)) {
    throw invalidChunk(
      chunk,
      approvalId,
      'The stream did not ask for it. Send its tool-approval-request first.',
    )
  }
  const { part } = slot
  const isOpen = part.state === 'approval-requested'
  const isRepeated = part.state === 'approval-responded' && part.approval.approved === approved
  if (!isOpen && !isRepeated) {
    throw invalidChunk(
      chunk,
      approvalId,
      `The call is ${part.state}, so it was decided otherwise or has its result already.`,
    )
  }
  changeCall(state, slot, {
    ...factsOf(chunk, part, false),
    state: 'approval-responded',
    approval: { ...part.approval, approved, ...given({ reason }) },
  })
}
