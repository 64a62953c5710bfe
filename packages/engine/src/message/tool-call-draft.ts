import { isDevelopment } from '../development.ts'
import type { ProviderMetadata, UIMessageChunk } from 'ai'
import { invalidChunk } from './chunk.ts'
import { given } from './given.ts'
import type { Slot } from './message-draft.ts'
import type { ReducerState } from './reducer-state.ts'
import { assentMetadata, isRecord, isSettledHere, type ToolCallPart } from './tool-part.ts'

type ToolMetadata = NonNullable<ToolCallPart['toolMetadata']>

/** Fields of a call to set; `undefined` takes a field away, one that is not named stays. */
export interface CallChanges {
  type?: ToolCallPart['type']
  toolName?: string | undefined
  state?: ToolCallPart['state']
  title?: string | undefined
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

/** Takes away what belongs to one state of a call alone. */
export const NO_LONGER: CallChanges = {
  rawInput: undefined,
  inputEncoding: undefined,
  output: undefined,
  errorText: undefined,
  preliminary: undefined,
}

/** What chunks say about a call beside its state. */
interface CallFacts {
  title?: string
  providerExecuted?: boolean
  providerMetadata?: ProviderMetadata
  toolMetadata?: ToolMetadata
}

/** The call with other fields. */
export function withChanges(part: ToolCallPart, changes: CallChanges): ToolCallPart {
  // What the protocol writes may be less than the type of the new state promises: a server can send
  // an output for a call that it asked about and nobody decided.
  return given({ ...part, ...changes }) as ToolCallPart
}

/** Changes a call in the draft. */
export function changeCall(
  { draft }: ReducerState,
  slot: Slot<ToolCallPart>,
  changes: CallChanges,
): void {
  draft.replace(slot, withChanges(slot.part, changes))
}

/**
 * The call that a chunk names: of this step, else the latest one. Throws for an unknown one, and for
 * one that was settled here: no later response changes what ran, or was denied, in this place.
 */
export function callNamedBy(
  { calls }: ReducerState,
  chunk: UIMessageChunk & { toolCallId: string },
): Slot<ToolCallPart> {
  const slot = calls.get(chunk.toolCallId)
  if (slot && isSettledHere(slot.part)) {
    throw invalidChunk(
      chunk,
      isDevelopment && 'Its call was settled here. Send nothing more about it.',
    )
  }
  if (slot) return slot
  throw invalidChunk(chunk, isDevelopment && 'No such call. Send its tool-input-available first.')
}

/**
 * What a chunk says about the call or its result, as far as it says it. The tool metadata that it
 * brings takes the place of the former, but what Assent has noted about the call stays: a result from
 * the server does not undo who decided and when.
 */
export function factsOf(
  { title, providerExecuted, providerMetadata, toolMetadata }: CallFacts,
  part: ToolCallPart,
  isResult: boolean,
): CallChanges {
  const noted = part.toolMetadata?.['assent']
  return given({
    title: isResult ? undefined : title,
    providerExecuted,
    toolMetadata:
      toolMetadata && isRecord(noted)
        ? { ...toolMetadata, assent: { ...noted, ...assentMetadata({ toolMetadata }) } }
        : toolMetadata,
    [isResult ? 'resultProviderMetadata' : 'callProviderMetadata']: providerMetadata,
  })
}
