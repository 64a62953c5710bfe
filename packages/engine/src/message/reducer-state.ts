import type { DataUIPart, ReasoningUIPart, TextUIPart, UIDataTypes } from 'ai'
import type { MessageDraft, Slot } from './message-draft.ts'
import { createToolInputs, type ToolInputs } from './tool-inputs.ts'
import { isToolCallPart, type ToolCallPart } from './tool-part.ts'

type DataPart = DataUIPart<UIDataTypes>

/** The draft and everything by which a chunk finds its part. An id names the latest part. */
export interface ReducerState {
  readonly draft: MessageDraft
  /** Open texts and reasoning, by type and id. */
  readonly texts: Map<string, Slot<TextUIPart | ReasoningUIPart>>
  /** Calls by `toolCallId`; one part per call and step. */
  readonly calls: Map<string, Slot<ToolCallPart>>
  /** Calls by the id of their approval, or of a former one. */
  readonly approvals: Map<string, Slot<ToolCallPart>>
  /** Data parts that have an id, by {@link dataKey}; the first one counts. */
  readonly data: Map<string, Slot<DataPart>>
  readonly inputs: ToolInputs
  /** The calls whose input this response has completed. */
  readonly complete: WeakSet<Slot<ToolCallPart>>
}

/** Goes on with a draft; inputs that were still streaming in its last step are open again. */
export function createReducerState(draft: MessageDraft): ReducerState {
  const state: ReducerState = {
    draft,
    texts: new Map(),
    calls: new Map(),
    approvals: new Map(),
    data: new Map(),
    inputs: createToolInputs(draft),
    complete: new WeakSet(),
  }
  for (const [index, part] of draft.parts.entries()) {
    if (isToolCallPart(part)) takeUpCall(state, { index, part, age: -1 })
    else if (isData(part)) takeUpData(state, { index, part, age: -1 })
  }
  return state
}

/** The key of a data part in {@link ReducerState.data}, one per type and id; none without an id. */
export function dataKey({ type, id }: DataPart): string | undefined {
  return typeof id === 'string' ? `${type.length}:${type}${id}` : undefined
}

function takeUpCall(
  { draft, calls, approvals, inputs }: ReducerState,
  slot: Slot<ToolCallPart>,
): void {
  const { part, index } = slot
  calls.set(part.toolCallId, slot)
  if (part.approval) approvals.set(part.approval.id, slot)
  if (part.state === 'input-streaming' && index >= draft.stepStart) {
    inputs.open(part.toolCallId, slot, part.inputEncoding, part.rawInput)
  }
}

function takeUpData({ data }: ReducerState, slot: Slot<DataPart>): void {
  const key = dataKey(slot.part)
  if (key !== undefined && !data.has(key)) data.set(key, slot)
}

/** Whether a part or a chunk is one of data. */
export function isData<PIECE extends { type: string }>(
  piece: PIECE,
): piece is Extract<PIECE, { type: `data-${string}` }> {
  return piece.type.startsWith('data-')
}
