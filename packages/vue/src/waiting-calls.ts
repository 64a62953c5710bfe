import { isToolCallPart, isWaiting, toWaitingCall, type WaitingCall } from '@assent/engine'
import type { UIMessage } from 'ai'

/** A tool call in one of the states in which it can wait for a person. */
export type WaitingCallPart<MESSAGE extends UIMessage = UIMessage> = Extract<
  MESSAGE['parts'][number],
  { toolCallId: string; state: 'approval-requested' | 'approval-responded' | 'input-available' }
>

/** A tool call that waits for a person, with its part. */
export interface WaitingCallEntry<MESSAGE extends UIMessage = UIMessage> extends WaitingCall {
  readonly part: WaitingCallPart<MESSAGE>
  readonly input: WaitingCallPart<MESSAGE>['input']
}

/**
 * The calls of a message that wait for a person, in call order.
 *
 * @param known calls that were read before: one whose part is the same is given back as it was
 */
export function readWaitingCalls<MESSAGE extends UIMessage>(
  message: MESSAGE,
  known: readonly WaitingCallEntry<MESSAGE>[],
): WaitingCallEntry<MESSAGE>[] {
  const waiting: WaitingCallEntry<MESSAGE>[] = []
  let step = 0
  for (const part of message.parts) {
    if (part.type === 'step-start') step++
    if (!isWaitingCall<MESSAGE>(part)) continue
    const before = known.find((call) => call.part === part)
    const ref = { messageId: message.id, step, toolCallId: part.toolCallId }
    waiting.push(before ?? { ...toWaitingCall(part, ref), part, input: part.input })
  }
  return waiting
}

/**
 * Whether a yes to all may include a call: nothing grave, unchecked, expired or to be answered.
 *
 * @param now milliseconds since the epoch
 */
export function isApprovable(call: WaitingCallEntry, now: number): boolean {
  const { kind, risk, checkFailed, expiresAt = Infinity } = call
  return kind === 'approval' && risk !== 'destroy' && !checkFailed && now < expiresAt
}

function isWaitingCall<MESSAGE extends UIMessage>(
  part: MESSAGE['parts'][number],
): part is WaitingCallPart<MESSAGE> {
  return isToolCallPart(part) && isWaiting(part)
}
