import { invalidChunk, type ChunkOf } from './chunk.ts'
import { isEqualJson } from './json-equality.ts'
import type { Slot } from './message-draft.ts'
import type { ReducerState } from './reducer-state.ts'
import { changeCall, nextToolMetadata, type CallChanges } from './tool-call-draft.ts'
import { toolNameOf, type ToolCallPart } from './tool-part.ts'

type InputChunk = ChunkOf<'tool-input-start' | 'tool-input-available' | 'tool-input-error'>

/** The input of a call begins to stream: a new call, or the same one from its beginning. */
export function startInput(state: ReducerState, chunk: ChunkOf<'tool-input-start'>): void {
  const { toolCallId, inputEncoding } = chunk
  const known = callOfThisStep(state, toolCallId)
  if (known && known.part.state !== 'input-streaming') throw secondCall(chunk)
  state.inputs.close(toolCallId)
  const slot = writeCall(state, known, chunk, {
    ...kindOf(chunk),
    state: 'input-streaming',
    input: undefined,
    inputEncoding,
  })
  state.inputs.open(toolCallId, slot, inputEncoding)
}

/** A piece of the input's text. */
export function appendInput(state: ReducerState, chunk: ChunkOf<'tool-input-delta'>): void {
  if (state.inputs.append(chunk.toolCallId, chunk.inputTextDelta)) return
  throw invalidChunk(
    chunk,
    chunk.toolCallId,
    'The input of no such call is open. Send tool-input-start before its deltas, and none after ' +
      'its tool-input-available.',
  )
}

/** The input is complete. */
export function completeInput(state: ReducerState, chunk: ChunkOf<'tool-input-available'>): void {
  const known = openCall(state, chunk)
  state.inputs.close(chunk.toolCallId)
  writeCall(state, known, chunk, { ...kindOf(chunk), state: 'input-available', input: chunk.input })
}

/** The input is complete, and the tool does not accept it. */
export function rejectInput(state: ReducerState, chunk: ChunkOf<'tool-input-error'>): void {
  const known = openCall(state, chunk)
  // The server calls a rejected input dynamic, whatever the tool is.
  const isDynamic = known ? known.part.type === 'dynamic-tool' : chunk.dynamic
  const { input, errorText, toolName } = chunk
  state.inputs.close(chunk.toolCallId)
  writeCall(state, known, chunk, {
    ...kindOf({ toolName, dynamic: isDynamic }),
    state: 'output-error',
    input,
    errorText,
  })
}

/** The call whose complete input a chunk brings; none for a new call. */
function openCall(
  state: ReducerState,
  chunk: ChunkOf<'tool-input-available' | 'tool-input-error'>,
): Slot<ToolCallPart> | undefined {
  const { toolCallId } = chunk
  const slot = state.inputs.slotOf(toolCallId) ?? callOfThisStep(state, toolCallId)
  if (!slot || slot.part.state === 'input-streaming') return slot
  // What was decided or done was decided or done for the input that is there.
  if (slot.part.state === 'input-available' && isSameCall(slot.part, chunk)) return slot
  throw secondCall(chunk)
}

function callOfThisStep(state: ReducerState, toolCallId: string): Slot<ToolCallPart> | undefined {
  const slot = state.calls.get(toolCallId)
  return slot && slot.index >= state.draft.stepStart ? slot : undefined
}

/** Writes what all chunks about an input say; what belongs to another state goes. */
function writeCall(
  state: ReducerState,
  known: Slot<ToolCallPart> | undefined,
  chunk: InputChunk,
  changes: CallChanges,
): Slot<ToolCallPart> {
  const { providerExecuted, providerMetadata } = chunk
  const slot = known ?? addCall(state, chunk)
  const isResult = chunk.type === 'tool-input-error'
  const title = isResult ? undefined : chunk.title
  changeCall(state, slot, {
    rawInput: undefined,
    inputEncoding: undefined,
    output: undefined,
    errorText: undefined,
    preliminary: undefined,
    ...nextToolMetadata(slot.part.toolMetadata, chunk.toolMetadata),
    ...(title === undefined ? {} : { title }),
    ...(providerExecuted === undefined ? {} : { providerExecuted }),
    ...(providerMetadata && {
      [isResult ? 'resultProviderMetadata' : 'callProviderMetadata']: providerMetadata,
    }),
    ...changes,
  })
  return slot
}

function addCall(state: ReducerState, { toolCallId, toolName }: InputChunk): Slot<ToolCallPart> {
  const slot = state.draft.append<ToolCallPart>({
    type: `tool-${toolName}`,
    toolCallId,
    state: 'input-streaming',
  })
  state.calls.add(toolCallId, slot)
  return slot
}

/** A call keeps its one part, also when a repair changes its tool, or a static tool for another. */
function kindOf({ dynamic, toolName }: { dynamic?: boolean; toolName: string }): CallChanges {
  return dynamic
    ? { type: 'dynamic-tool', toolName }
    : { type: `tool-${toolName}`, toolName: undefined }
}

function isSameCall(
  part: ToolCallPart,
  chunk: ChunkOf<'tool-input-available' | 'tool-input-error'>,
): boolean {
  return toolNameOf(part) === chunk.toolName && isEqualJson(part.input, chunk.input)
}

function secondCall(chunk: InputChunk): Error {
  return invalidChunk(
    chunk,
    chunk.toolCallId,
    'A call with that id is in this step already, and its input is complete. Give every call of a ' +
      'step an id of its own.',
  )
}
