import type { DataUIPart, ReasoningUIPart, TextUIPart, UIDataTypes, UIMessage } from 'ai'
import { MessageDraft, type Slot } from './message-draft.ts'
import { SlotIndex } from './slot-index.ts'
import { ToolInputs } from './tool-inputs.ts'
import { isToolCallPart, type MessagePart, type ToolCallPart } from './tool-part.ts'

type DataPart = DataUIPart<UIDataTypes>

/** The draft and everything by which a chunk finds its part in one step. */
export interface ReducerState {
  readonly draft: MessageDraft
  /** Open texts, by the id of their chunks. */
  readonly texts: Map<string, Slot<TextUIPart>>
  /** Open reasoning, by the id of its chunks. */
  readonly reasonings: Map<string, Slot<ReasoningUIPart>>
  /** Calls by `toolCallId`; one part per call and step. */
  readonly calls: SlotIndex<ToolCallPart>
  /** Calls by the id of their approval. */
  readonly approvals: SlotIndex<ToolCallPart>
  /** Data parts that have an id, by {@link dataKey}. */
  readonly data: SlotIndex<DataPart>
  readonly inputs: ToolInputs
}

/** Goes on with a message; inputs that were still streaming in its last step are open again. */
export function createReducerState(initial: UIMessage): ReducerState {
  const draft = new MessageDraft(initial)
  const state: ReducerState = {
    draft,
    texts: new Map(),
    reasonings: new Map(),
    calls: new SlotIndex(),
    approvals: new SlotIndex(),
    data: new SlotIndex(),
    inputs: new ToolInputs(draft),
  }
  for (const [index, part] of initial.parts.entries()) {
    if (isToolCallPart(part)) takeUpCall(state, { index, part, age: -1 })
    else if (isDataPart(part)) takeUpData(state, { index, part, age: -1 })
  }
  return state
}

/** Empties the message. */
export function restart(state: ReducerState, id: string): void {
  closeAll(state)
  state.calls.clear()
  state.approvals.clear()
  state.data.clear()
  state.draft.restart(id)
}

/** Takes out everything that the current step has brought; nothing streams on. */
export function resetStep(state: ReducerState): void {
  closeAll(state)
  const { stepStart } = state.draft
  for (const [offset, part] of state.draft.dropStep().entries()) {
    forget(state, part, stepStart + offset)
  }
}

/** Makes a call known by the id of its approval instead of that of an earlier one. */
export function nameApproval(state: ReducerState, slot: Slot<ToolCallPart>, id: string): void {
  const former = slot.part.approval?.id
  if (former !== undefined) state.approvals.remove(former, slot.index)
  state.approvals.add(id, slot)
}

/** The key of a data part in {@link ReducerState.data}: one per type and id. */
export function dataKey(type: string, id: string): string {
  return `${type.length}:${type}${id}`
}

function closeAll(state: ReducerState): void {
  state.texts.clear()
  state.reasonings.clear()
  state.inputs.closeAll()
}

function takeUpCall(state: ReducerState, slot: Slot<ToolCallPart>): void {
  const { part, index } = slot
  state.calls.add(part.toolCallId, slot)
  if (part.approval) state.approvals.add(part.approval.id, slot)
  if (part.state === 'input-streaming' && index >= state.draft.stepStart) {
    state.inputs.open(part.toolCallId, slot, part.inputEncoding, part.rawInput)
  }
}

function takeUpData(state: ReducerState, slot: Slot<DataPart>): void {
  const { type, id } = slot.part
  if (id === undefined) return
  const key = dataKey(type, id)
  if (!state.data.get(key)) state.data.add(key, slot)
}

function forget(state: ReducerState, part: MessagePart, index: number): void {
  if (isToolCallPart(part)) {
    state.calls.remove(part.toolCallId, index)
    if (part.approval) state.approvals.remove(part.approval.id, index)
  } else if (isDataPart(part) && part.id !== undefined) {
    state.data.remove(dataKey(part.type, part.id), index)
  }
}

function isDataPart(part: MessagePart): part is DataPart {
  return part.type.startsWith('data-')
}
