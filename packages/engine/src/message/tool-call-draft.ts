import type { ProviderMetadata, UIMessageChunk } from 'ai'
import { invalidChunk } from './chunk.ts'
import type { Slot } from './message-draft.ts'
import type { ReducerState } from './reducer-state.ts'
import type { ToolCallPart } from './tool-part.ts'

type ToolMetadata = NonNullable<ToolCallPart['toolMetadata']>

/** Fields of a call to set; `undefined` takes a field away, one that is not named stays. */
export interface CallChanges {
  type?: ToolCallPart['type']
  toolName?: string | undefined
  state?: ToolCallPart['state']
  title?: string
  toolMetadata?: ToolMetadata
  input?: unknown
  rawInput?: unknown
  inputEncoding?: 'json' | 'text' | undefined
  output?: unknown
  errorText?: string | undefined
  preliminary?: boolean | undefined
  providerExecuted?: boolean
  callProviderMetadata?: ProviderMetadata
  resultProviderMetadata?: ProviderMetadata
  approval?: object
}

/**
 * The call with other fields. What the protocol writes may be less than the type of the new state
 * promises: a server can send an output for a call that it asked about and nobody decided.
 */
export function withChanges(part: ToolCallPart, changes: CallChanges): ToolCallPart {
  const changed = { ...part }
  for (const [field, value] of Object.entries(changes)) {
    if (value === undefined) Reflect.deleteProperty(changed, field)
    else Reflect.set(changed, field, value)
  }
  return changed
}

/** Changes a call in the draft. */
export function changeCall(
  state: ReducerState,
  slot: Slot<ToolCallPart>,
  changes: CallChanges,
): void {
  state.draft.replace(slot, withChanges(slot.part, changes))
}

/** The call that a chunk names: of this step, else the latest one. Throws for an unknown one. */
export function callNamedBy(
  state: ReducerState,
  chunk: UIMessageChunk & { toolCallId: string },
): Slot<ToolCallPart> {
  const slot = state.calls.get(chunk.toolCallId)
  if (slot) return slot
  throw invalidChunk(
    chunk,
    chunk.toolCallId,
    'No tool call of this message has that id. Send its tool-input-available first.',
  )
}

/**
 * The tool metadata that a chunk brings takes the place of the former, but what Assent has noted
 * about the call stays: a result from the server does not undo who decided and when.
 */
export function nextToolMetadata(
  former: ToolMetadata | undefined,
  brought: ToolMetadata | undefined,
): { toolMetadata?: ToolMetadata } {
  if (!brought) return {}
  const noted = former?.['assent']
  if (noted === undefined) return { toolMetadata: brought }
  const { assent } = brought
  const both = isRecord(noted) && isRecord(assent) ? { ...noted, ...assent } : noted
  return { toolMetadata: { ...brought, assent: both } }
}

function isRecord(value: unknown): value is ToolMetadata {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
