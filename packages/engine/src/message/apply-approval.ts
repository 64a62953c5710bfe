import { invalidChunk, type ChunkOf } from './chunk.ts'
import { nameApproval, type ReducerState } from './reducer-state.ts'
import { callNamedBy, changeCall } from './tool-call-draft.ts'
import { isLocalApproval } from './tool-part.ts'

/**
 * The server asks for a decision. Only a call with a complete input and without a decision or result
 * can be asked about: whatever was decided or done cannot be opened again from outside.
 */
export function requestApproval(
  state: ReducerState,
  chunk: ChunkOf<'tool-approval-request'>,
): void {
  const slot = callNamedBy(state, chunk)
  if (!['input-available', 'approval-requested'].includes(slot.part.state)) {
    throw invalidChunk(
      chunk,
      chunk.toolCallId,
      `The call is ${slot.part.state}. Ask once its input is available and before it is decided.`,
    )
  }
  const { approvalId, approvalDescriptor, reason, isAutomatic, signature } = chunk
  nameApproval(state, slot, approvalId)
  changeCall(state, slot, {
    state: 'approval-requested',
    approval: {
      id: approvalId,
      ...(isPresent(approvalDescriptor) && { descriptor: approvalDescriptor }),
      ...('inputSchemaInput' in chunk && { inputSchemaInput: chunk.inputSchemaInput }),
      ...(isPresent(reason) && { requestReason: reason }),
      ...(isAutomatic === true && { isAutomatic }),
      ...(isPresent(signature) && { signature }),
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
  const { approvalId, approved, reason, providerExecuted, providerMetadata } = chunk
  const slot = isLocalApproval(approvalId) ? undefined : state.approvals.get(approvalId)
  if (!slot) {
    throw invalidChunk(
      chunk,
      approvalId,
      'The stream has asked for no approval with that id. Send its tool-approval-request first.',
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
    state: 'approval-responded',
    approval: { ...part.approval, approved, ...(isPresent(reason) && { reason }) },
    ...(isPresent(providerExecuted) && { providerExecuted }),
    ...(isPresent(providerMetadata) && { callProviderMetadata: providerMetadata }),
  })
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null
}
