import type { ChunkOf } from './chunk.ts'
import type { Slot } from './message-draft.ts'
import type { ReducerState } from './reducer-state.ts'
import { callNamedBy, changeCall, nextToolMetadata, type CallChanges } from './tool-call-draft.ts'
import type { ToolCallPart } from './tool-part.ts'

/** The tool has this output, or so far this much of it (`preliminary`). */
export function setOutput(state: ReducerState, chunk: ChunkOf<'tool-output-available'>): void {
  const slot = settledBy(state, chunk)
  changeCall(state, slot, {
    ...resultOf(slot, chunk),
    state: 'output-available',
    output: chunk.output,
    preliminary: chunk.preliminary,
    errorText: undefined,
    rawInput: undefined,
  })
}

/** The tool failed. */
export function setOutputError(state: ReducerState, chunk: ChunkOf<'tool-output-error'>): void {
  const slot = settledBy(state, chunk)
  const { part } = slot
  changeCall(state, slot, {
    ...resultOf(slot, chunk),
    state: 'output-error',
    errorText: chunk.errorText,
    output: undefined,
    preliminary: undefined,
    ...(part.type === 'dynamic-tool' ? { rawInput: undefined } : {}),
  })
}

/** The call was denied: that is its result. */
export function denyOutput(state: ReducerState, chunk: ChunkOf<'tool-output-denied'>): void {
  changeCall(state, settledBy(state, chunk), { state: 'output-denied' })
}

/** The call that a result is for; no more input is expected for it. */
function settledBy(
  state: ReducerState,
  chunk: ChunkOf<'tool-output-available' | 'tool-output-error' | 'tool-output-denied'>,
): Slot<ToolCallPart> {
  const slot = callNamedBy(state, chunk)
  if (state.inputs.slotOf(chunk.toolCallId) === slot) state.inputs.close(chunk.toolCallId)
  return slot
}

function resultOf(
  { part }: Slot<ToolCallPart>,
  chunk: ChunkOf<'tool-output-available' | 'tool-output-error'>,
): CallChanges {
  const { providerExecuted, providerMetadata } = chunk
  return {
    inputEncoding: undefined,
    ...nextToolMetadata(part.toolMetadata, chunk.toolMetadata),
    ...(providerExecuted === undefined ? {} : { providerExecuted }),
    ...(providerMetadata && { resultProviderMetadata: providerMetadata }),
  }
}
