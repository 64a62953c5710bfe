import {
  approvalExpiresAt,
  assentMetadata,
  isAwaitingApproval,
  isElsewhere,
  isToolCallPart,
  isWaiting,
  riskOf,
  toolNameOf,
  type ToolCallRef,
  type ToolRisk,
} from '@assent/engine'
import type { UIMessage } from 'ai'

/** A tool call in one of the states in which it can wait for a person. */
export type WaitingCallPart<MESSAGE extends UIMessage = UIMessage> = Extract<
  MESSAGE['parts'][number],
  { toolCallId: string; state: 'approval-requested' | 'approval-responded' | 'input-available' }
>

/** A tool call that waits for a person. */
export interface WaitingCall<MESSAGE extends UIMessage = UIMessage> extends ToolCallRef {
  readonly toolName: string
  /** `approval`: a decision is missing. `output`: nobody runs the tool, a person answers for it. */
  readonly kind: 'approval' | 'output'
  readonly part: WaitingCallPart<MESSAGE>
  readonly input: WaitingCallPart<MESSAGE>['input']
  /** One sentence that says what the call does, from the tool's `summary(input)`. */
  readonly summary: string | undefined
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

/**
 * The calls of a message that wait for a person, in call order.
 *
 * @param known calls that were read before: one whose part is the same is given back as it was
 */
export function readWaitingCalls<MESSAGE extends UIMessage>(
  message: MESSAGE,
  known: readonly WaitingCall<MESSAGE>[],
): WaitingCall<MESSAGE>[] {
  const waiting: WaitingCall<MESSAGE>[] = []
  let step = 0
  for (const part of message.parts) {
    if (part.type === 'step-start') step++
    if (!isWaitingCall<MESSAGE>(part)) continue
    const before = known.find((call) => call.part === part)
    waiting.push(before ?? describe(part, message.id, step))
  }
  return waiting
}

/**
 * Whether a yes to all may include a call: nothing grave, unchecked, expired or to be answered.
 *
 * @param now milliseconds since the epoch
 */
export function isApprovable(call: WaitingCall, now: number): boolean {
  const { kind, risk, checkFailed, expiresAt = Infinity } = call
  return kind === 'approval' && risk !== 'destroy' && !checkFailed && now < expiresAt
}

function isWaitingCall<MESSAGE extends UIMessage>(
  part: MESSAGE['parts'][number],
): part is WaitingCallPart<MESSAGE> {
  return isToolCallPart(part) && isWaiting(part)
}

function describe<MESSAGE extends UIMessage>(
  part: WaitingCallPart<MESSAGE>,
  messageId: string,
  step: number,
): WaitingCall<MESSAGE> {
  const { summary, checkFailed = false } = assentMetadata(part)
  return {
    messageId,
    step,
    toolCallId: part.toolCallId,
    toolName: toolNameOf(part),
    kind: isAwaitingApproval(part) ? 'approval' : 'output',
    part,
    input: part.input,
    summary,
    risk: riskOf(part),
    requestReason: part.approval?.requestReason,
    checkFailed,
    isElsewhere: isElsewhere(part),
    expiresAt: approvalExpiresAt(part),
  }
}
