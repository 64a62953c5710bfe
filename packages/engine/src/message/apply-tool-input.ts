import { invalidChunk, type ChunkOf } from './chunk.ts'
import { isEqualJson } from './json-equality.ts'
import type { Slot } from './message-draft.ts'
import type { ReducerState } from './reducer-state.ts'
import { changeCall, factsOf, NO_LONGER, type CallChanges } from './tool-call-draft.ts'
import { toolNameOf, type ToolCallPart } from './tool-part.ts'

type WholeInputChunk = ChunkOf<'tool-input-available' | 'tool-input-error'>
type InputChunk = ChunkOf<'tool-input-start'> | WholeInputChunk

/** The input of a call begins to stream: a new call, or the same one from its beginning. */
export function startInput(state: ReducerState, chunk: ChunkOf<'tool-input-start'>): void {
  const { toolCallId, inputEncoding } = chunk
  const known = callOfThisStep(state, toolCallId)
  if (known && known.part.state !== 'input-streaming') throw secondCall(chunk)
  const slot = writeCall(state, known, chunk, {
    state: 'input-streaming',
    input: undefined,
    inputEncoding,
  })
  state.inputs.open(toolCallId, slot, inputEncoding)
}

/** A piece of the input's text. */
export function appendInput({ inputs }: ReducerState, chunk: ChunkOf<'tool-input-delta'>): void {
  const { toolCallId, inputTextDelta } = chunk
  if (inputs.append(toolCallId, inputTextDelta)) return
  throw invalidChunk(
    chunk,
    toolCallId,
    'No such input is open. Send deltas after tool-input-start and before tool-input-available.',
  )
}

/** The input is complete; the tool may not accept it. */
export function completeInput(state: ReducerState, chunk: WholeInputChunk): void {
  const { toolCallId, input } = chunk
  const known = state.inputs.slotOf(toolCallId) ?? callOfThisStep(state, toolCallId)
  // What was decided or done was decided or done for the input that is there.
  if (known && known.part.state !== 'input-streaming' && !isRepeated(known.part, chunk)) {
    throw secondCall(chunk)
  }
  writeCall(
    state,
    known,
    chunk,
    chunk.type === 'tool-input-available'
      ? { state: 'input-available', input }
      : { state: 'output-error', input, errorText: chunk.errorText },
  )
}

function callOfThisStep(
  { calls, draft }: ReducerState,
  toolCallId: string,
): Slot<ToolCallPart> | undefined {
  const slot = calls.get(toolCallId)
  return slot && slot.index >= draft.stepStart ? slot : undefined
}

/** Whether the same complete input comes again. */
function isRepeated(part: ToolCallPart, { toolName, input }: WholeInputChunk): boolean {
  return (
    part.state === 'input-available' &&
    toolNameOf(part) === toolName &&
    isEqualJson(part.input, input)
  )
}

/** Writes what all chunks about an input say; what belongs to another state goes. */
function writeCall(
  state: ReducerState,
  known: Slot<ToolCallPart> | undefined,
  chunk: InputChunk,
  changes: CallChanges,
): Slot<ToolCallPart> {
  const { type, toolCallId, toolName, dynamic } = chunk
  const isResult = type === 'tool-input-error'
  // The server calls a rejected input dynamic, whatever the tool is.
  const isDynamic = isResult && known ? known.part.type === 'dynamic-tool' : dynamic
  const slot = known ?? addCall(state, chunk)
  state.inputs.close(toolCallId)
  changeCall(state, slot, {
    ...NO_LONGER,
    ...factsOf(chunk, slot.part, isResult),
    // A call keeps its one part, also when a repair changes its tool, or a static tool for another.
    type: isDynamic ? 'dynamic-tool' : `tool-${toolName}`,
    toolName: isDynamic ? toolName : undefined,
    ...changes,
  })
  return slot
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

function secondCall(chunk: InputChunk): Error {
  return invalidChunk(
    chunk,
    chunk.toolCallId,
    'This step has a call with that id and a complete input. Give every call its own id.',
  )
}
