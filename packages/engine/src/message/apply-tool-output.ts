import { standingApproval } from './apply-decision.ts'
import type { ChunkOf } from './chunk.ts'
import type { ReducerState } from './reducer-state.ts'
import { callNamedBy, changeCall, factsOf, NO_LONGER, type CallChanges } from './tool-call-draft.ts'
import type { ToolCallPart } from './tool-part.ts'

type OutputChunk = ChunkOf<'tool-output-available' | 'tool-output-error' | 'tool-output-denied'>

/** A call has a result, or so far this much of it; no more input is expected for it. */
export function setOutput(state: ReducerState, chunk: OutputChunk): void {
  const { inputs } = state
  const slot = callNamedBy(state, chunk)
  if (inputs.slotOf(chunk.toolCallId) === slot) inputs.close(chunk.toolCallId)
  changeCall(state, slot, { ...resultOf(chunk, slot.part), ...standingApproval(slot.part) })
}

function resultOf(chunk: OutputChunk, part: ToolCallPart): CallChanges {
  if (chunk.type === 'tool-output-denied') return { state: 'output-denied' }
  const result = { ...NO_LONGER, ...factsOf(chunk, part, true) }
  if (chunk.type === 'tool-output-available') {
    const { output, preliminary } = chunk
    return { ...result, state: 'output-available', output, preliminary }
  }
  const { errorText } = chunk
  // A static call still shows the text of an input that was rejected.
  const rawInput = part.type !== 'dynamic-tool' && 'rawInput' in part ? part.rawInput : undefined
  return { ...result, state: 'output-error', errorText, rawInput }
}
