import { isDevelopment } from '../development.ts'
import { invalidChunk, type ChunkOf } from './chunk.ts'
import { isEqualJson } from './json-equality.ts'
import type { Slot } from './message-draft.ts'
import type { ReducerState } from './reducer-state.ts'
import { changeCall, factsOf, NO_LONGER, type CallChanges } from './tool-call-draft.ts'
import { toolNameOf, type ToolCallPart } from './tool-part.ts'

type InputChunk = ChunkOf<'tool-input-start' | 'tool-input-available' | 'tool-input-error'>

/**
 * The input of a call begins to stream, for a new call or again, or is complete; the tool may not
 * accept it.
 */
export function setInput(state: ReducerState, chunk: InputChunk): void {
  const { inputs } = state
  const { toolCallId, toolName, dynamic } = chunk
  const isStart = chunk.type === 'tool-input-start'
  const isResult = chunk.type === 'tool-input-error'
  const known = knownCall(state, chunk)
  // The server calls a rejected input dynamic, whatever the tool is.
  const isDynamic = isResult && known ? known.part.type === 'dynamic-tool' : dynamic
  const slot = known ?? addCall(state, chunk)
  inputs.close(toolCallId)
  changeCall(state, slot, {
    ...NO_LONGER,
    ...factsOf(chunk, slot.part, isResult),
    // A call keeps its one part, also when a repair changes its tool, or a static tool for another.
    type: isDynamic ? 'dynamic-tool' : `tool-${toolName}`,
    toolName: isDynamic ? toolName : undefined,
    ...stateOf(chunk),
  })
  if (chunk.type === 'tool-input-available') state.complete.add(slot)
  if (isStart) inputs.open(toolCallId, slot, chunk.inputEncoding)
}

/** A piece of the input's text. */
export function appendInput({ inputs }: ReducerState, chunk: ChunkOf<'tool-input-delta'>): void {
  if (inputs.append(chunk.toolCallId, chunk.inputTextDelta)) return
  throw invalidChunk(
    chunk,
    isDevelopment && 'No such input is open. Send its tool-input-start first.',
  )
}

/** The open call whose input a chunk brings; none for a new call. Throws for a second one. */
function knownCall(
  { calls, draft, inputs, complete }: ReducerState,
  chunk: InputChunk,
): Slot<ToolCallPart> | undefined {
  const { toolCallId, type } = chunk
  const open = type === 'tool-input-start' ? undefined : inputs.slotOf(toolCallId)
  const slot = open ?? calls.get(toolCallId)
  if (!slot || slot === open || slot.index < draft.stepStart) return open
  if (slot.part.state === 'input-streaming') return slot
  // A response may say again what an earlier one has said; within one it is a second call.
  const isSecond = type === 'tool-input-available' && complete.has(slot)
  if (!isSecond && isRepeated(slot.part, chunk)) return slot
  // What was decided or done was decided or done for the input that is there.
  throw invalidChunk(
    chunk,
    isDevelopment && 'The step has such a call already. Give every call another id.',
  )
}

/** Whether the same complete input comes again. */
function isRepeated(part: ToolCallPart, chunk: InputChunk): boolean {
  return (
    chunk.type !== 'tool-input-start' &&
    part.state === 'input-available' &&
    toolNameOf(part) === chunk.toolName &&
    isEqualJson(part.input, chunk.input)
  )
}

function stateOf(chunk: InputChunk): CallChanges {
  switch (chunk.type) {
    case 'tool-input-start':
      return {
        state: 'input-streaming',
        input: undefined,
        inputEncoding: chunk.inputEncoding,
      }
    case 'tool-input-available':
      return { state: 'input-available', input: chunk.input }
    case 'tool-input-error':
      return { state: 'output-error', input: chunk.input, errorText: chunk.errorText }
  }
}

function addCall(
  { draft, calls }: ReducerState,
  { toolCallId, toolName }: InputChunk,
): Slot<ToolCallPart> {
  const slot = draft.append<ToolCallPart>({
    type: `tool-${toolName}`,
    toolCallId,
    state: 'input-streaming',
  })
  calls.set(toolCallId, slot)
  return slot
}
