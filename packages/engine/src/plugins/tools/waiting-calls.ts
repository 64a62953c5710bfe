import type { UIMessage } from 'ai'
import { toolCallsOf } from '../../message/tool-calls.ts'
import {
  approvalExpiresAt,
  assentMetadata,
  isAwaitingApproval,
  isElsewhere,
  isWaiting,
  previewOf,
  riskOf,
  toolNameOf,
  type ToolCallPart,
  type ToolCallRef,
  type ToolRisk,
} from '../../message/tool-part.ts'
import type { EngineState } from '../../state.ts'
import { fingerprintOfCall } from './turn-calls.ts'

/**
 * A tool call that waits for a person: everything that is needed to ask about it, wherever that is done.
 * Give `messageId`, `step`, `toolCallId` and `fingerprint` back with the decision.
 */
export interface WaitingCall extends ToolCallRef {
  readonly toolName: string
  /** `approval`: a decision is missing. `output`: nobody runs the tool, a person answers for it. */
  readonly kind: 'approval' | 'output'
  readonly input: unknown
  /** Of tool and input as they are shown: a decision with it is refused once they are others. */
  readonly fingerprint: string
  /** One sentence that says what the call does, from the tool's `summary(input)`. */
  readonly summary: string | undefined
  /** What the call would do: a `ToolPreview`, or what a server said, which nobody has checked. */
  readonly preview: unknown
  /** As the app or the server declared it; `undefined` when nobody did. */
  readonly risk: ToolRisk | undefined
  /** Why a rule or a server asks. */
  readonly requestReason: string | undefined
  /** The rules about this call failed: whether it may run at all is not known. */
  readonly checkFailed: boolean
  /** The server or the provider runs it. */
  readonly isElsewhere: boolean
  /** Until when the server takes a yes; `undefined`: no end. Milliseconds since the epoch. */
  readonly expiresAt: number | undefined
}

/** What of a state tells which calls can be decided now. */
type Standing = Pick<EngineState, 'requestState' | 'processingState' | 'turn' | 'messageIds'>

/**
 * The ids of the messages of the open turn, in order: those in which calls can wait for a person. None
 * while the model answers, as a decision would be refused as `busy`.
 */
export function decidableMessageIds({
  requestState,
  processingState,
  turn,
  messageIds,
}: Standing): readonly string[] {
  const isAnswering = processingState === 'requesting' || processingState === 'completing'
  if (isAnswering || !turn || !(requestState === 'processing' || requestState === 'paused')) {
    return []
  }
  const from = messageIds.lastIndexOf(turn.userMessageId ?? turn.assistantMessageId ?? '')
  return from < 0 ? [] : messageIds.slice(from)
}

/** The calls of a conversation that wait for a person, in call order. */
export function waitingCalls(state: Standing & Pick<EngineState, 'messages'>): WaitingCall[] {
  const ids = decidableMessageIds(state)
  const messages: readonly UIMessage[] = ids.length === 0 ? [] : state.messages.slice(-ids.length)
  return messages
    .flatMap((message) => toolCallsOf(message))
    .filter(({ part }) => isWaiting(part))
    .map(({ part, ...ref }) => toWaitingCall(part, ref))
}

/** What is needed to ask about a call that waits. */
export function toWaitingCall(part: ToolCallPart, ref: ToolCallRef): WaitingCall {
  const { summary, checkFailed = false } = assentMetadata(part)
  return {
    messageId: ref.messageId,
    step: ref.step,
    toolCallId: ref.toolCallId,
    toolName: toolNameOf(part),
    kind: isAwaitingApproval(part) ? 'approval' : 'output',
    input: part.input,
    fingerprint: fingerprintOfCall(part),
    summary,
    preview: previewOf(part),
    risk: riskOf(part),
    requestReason: part.approval?.requestReason,
    checkFailed,
    isElsewhere: isElsewhere(part),
    expiresAt: approvalExpiresAt(part),
  }
}
