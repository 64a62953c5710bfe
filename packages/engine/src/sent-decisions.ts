import type { UIMessage } from 'ai'
import { EngineError } from './errors.ts'
import { keyOf, refOf, toolCallsOf, type ToolCallEntry } from './message/tool-calls.ts'
import {
  hasLedger,
  isDecidedRemotely,
  isSettled,
  toolNameOf,
  type ToolCallPart,
  type ToolCallRef,
} from './message/tool-part.ts'
import type { EngineState } from './state.ts'

/**
 * Waits between requests that carry the same decisions, in milliseconds: doubled each time, and the
 * later half of each is random. A page that is online again waits no longer.
 */
export interface ResendOptions {
  /** The first wait. Default 500. */
  baseMs?: number
  /** No wait is longer, but for a server that asks for more. Default 30,000. */
  maxMs?: number
}

type Facts<MESSAGE extends UIMessage> = Pick<EngineState<MESSAGE>, 'messages' | 'turn'>

/** The decisions that requests have carried and that nothing has come of so far, in call order. */
export function sentDecisions<MESSAGE extends UIMessage>(facts: Facts<MESSAGE>): ToolCallEntry[] {
  return openDecisions(facts, facts.turn?.underWay ?? [])
}

/**
 * The decisions that are to be sent until the server's ledger answers: those that nothing has come of,
 * sent or not, as long as there is a ledger for every yes among them. By itself no other yes is sent
 * again.
 */
export function decisionsToRepeat<MESSAGE extends UIMessage>(
  facts: Facts<MESSAGE>,
): ToolCallEntry[] {
  const { underWay = [], unsent = [] } = facts.turn ?? {}
  const open = openDecisions(facts, [...underWay, ...unsent])
  const approved = open.filter(({ part }) => isApproved(part))
  return approved.length > 0 && approved.every(({ part }) => hasLedger(part)) ? open : []
}

function openDecisions<MESSAGE extends UIMessage>(
  { messages }: Facts<MESSAGE>,
  refs: readonly ToolCallRef[],
): ToolCallEntry[] {
  const keys = new Set(refs.map(keyOf))
  if (keys.size === 0) return []
  const calls = messages.flatMap((message) => toolCallsOf(message))
  return calls.filter(
    (call, index) =>
      keys.has(keyOf(call)) &&
      isDecidedRemotely(call.part) &&
      !(call.part.providerExecuted && hasProviderRun(calls.slice(index + 1))),
  )
}

/**
 * Whether the provider has run something in these calls, or does: what comes of an approval of its own
 * arrives as another call, which has no result yet when it paused there.
 */
export function hasProviderRun(calls: readonly ToolCallEntry[]): boolean {
  return calls.some(
    ({ part }) => part.providerExecuted && (isSettled(part) || part.state === 'input-available'),
  )
}

/** Calls of two lists, each once. */
export function withoutRepeats(calls: readonly ToolCallRef[]): readonly ToolCallRef[] {
  return [...new Map(calls.map((call) => [keyOf(call), call])).values()]
}

/**
 * Whether the server has read nothing of a request that failed, so that nothing has come of what it
 * carried. A status of 500 and above can also be that of a gateway whose server was at work already.
 */
export function wasNotRead({ code, details }: EngineError): boolean {
  if (code === 'http_network') return details['unsent'] === true
  if (code === 'invalid_argument') return true
  const { status } = details
  return code === 'http_status' && !(typeof status === 'number' && status >= 500)
}

/** Whether a failure is what the server itself answered, to all that the request carried. */
export function isServersAnswer({ code }: EngineError): boolean {
  return code === 'stream_error'
}

/** Whether the same request can get another answer, as what kept it from one passes. */
export function mayPass(failure: EngineError): boolean {
  const { code, retryable, details } = failure
  if (code === 'http_status') {
    // Whoever names a time says "not now", whatever the status.
    return retryable || details['retryAfterMs'] !== undefined
  }
  return isOfRequest(failure) && code !== 'invalid_argument'
}

/** Whether a failure is one of a request and its answer, not of a hook or a store. */
function isOfRequest({ code }: EngineError): boolean {
  return code === 'interrupted' || code.startsWith('http_') || code.startsWith('stream_')
}

/**
 * What a request failed with, or, when it carried approvals that nothing has come of, what that
 * means: their calls may have run.
 */
export function toUnanswered<MESSAGE extends UIMessage>(
  facts: Facts<MESSAGE>,
  cause: EngineError,
): EngineError {
  if (!isOfRequest(cause) || wasNotRead(cause) || isServersAnswer(cause)) return cause
  const approved = sentDecisions(facts).filter(({ part }) => isApproved(part))
  if (approved.length === 0) return cause
  const names = [...new Set(approved.map(({ part }) => toolNameOf(part)))].join(', ')
  return new EngineError(
    'decision_unanswered',
    `${names} may have run: the approval was sent, and no answer came. Check that before you retry, which sends it again.`,
    { cause, retryable: true, details: { toolCalls: approved.map(refOf) } },
  )
}

function isApproved({ approval }: ToolCallPart): boolean {
  return approval?.approved === true
}
