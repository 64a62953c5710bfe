import type { UIMessage } from 'ai'
import { isDevelopment } from '../development.ts'
import { EngineError } from '../errors.ts'
import { closeOpenParts } from './close-open-parts.ts'
import { keyOf, refOf, toolCallsOf, waitingReason, type WaitingReason } from './tool-calls.ts'
import { isLocalApproval, isWaiting, type ToolCallPart, type ToolCallRef } from './tool-part.ts'

/** Messages that a conversation can go on with. */
export interface RestoredMessages<MESSAGE extends UIMessage> {
  messages: readonly MESSAGE[]
  /** The calls of the last message that wait for a person, in call order. */
  waiting: readonly ToolCallRef[]
  /** What they wait for. */
  pauseReason: WaitingReason
  /** Calls that were answered beside them: nothing is sent before the last decision of a step. */
  unsent: readonly ToolCallRef[]
}

/**
 * Makes plain messages valid to go on with: only calls of the last message that await a decision, or
 * an output that nobody makes, wait again; every other open call is interrupted, since nothing tells whether it ran.
 * Throws `invalid_argument` for messages without an id or with one that comes twice.
 *
 * @param canWait `false` when an open turn follows these messages, so that nothing of them waits
 */
export function restoreMessages<MESSAGE extends UIMessage>(
  messages: readonly MESSAGE[],
  now: number,
  canWait = true,
): RestoredMessages<MESSAGE> {
  assertMessageIds(messages)
  const calls = messages
    .slice(canWait ? -1 : messages.length)
    .flatMap((message) => toolCallsOf(message))
  // A second call of one id in one step cannot be told from the first: a decision would meet either.
  const firsts = new Set(
    new Map(calls.toReversed().map((call) => [keyOf(call), call.part])).values(),
  )
  const restored = messages.map((message) => {
    if (message.role !== 'assistant') return message
    const closed = closeOpenParts(message, {
      text: 'Interrupted: the conversation was restored, and whether this ran is not known.',
      ended: 'interrupted',
      now,
      keep: (part) => firsts.has(part) && isWaitingOrAnswered(part),
    })
    // Closing changes parts within their own types.
    return closed as MESSAGE
  })
  const kept = calls.filter(({ part }) => firsts.has(part) && isWaitingOrAnswered(part))
  const waiting = kept.filter(({ part }) => isWaiting(part))
  const unsent = kept.filter(
    (call) => !waiting.includes(call) && waiting.some(({ step }) => step === call.step),
  )
  return {
    messages: restored,
    waiting: waiting.map(refOf),
    pauseReason: waitingReason(waiting),
    unsent: unsent.map(refOf),
  }
}

/** Throws `invalid_argument` for messages without an id, or with one that comes twice or is taken. */
export function assertMessageIds(
  messages: readonly UIMessage[],
  taken: Iterable<string> = [],
): void {
  const ids = new Set<string>(taken)
  for (const { id } of messages) {
    if (typeof id !== 'string' || id === '' || ids.has(id)) {
      const text =
        isDevelopment && `A message needs an id of its own; ${JSON.stringify(id)} is none.`
      throw new EngineError('invalid_argument', text)
    }
    ids.add(id)
  }
}

/** An answer to a call that is executed elsewhere is sent with the next step. */
function isWaitingOrAnswered(part: ToolCallPart): boolean {
  return (
    isWaiting(part) || (part.state === 'approval-responded' && !isLocalApproval(part.approval.id))
  )
}
