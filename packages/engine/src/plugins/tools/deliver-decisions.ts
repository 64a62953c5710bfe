import type { UIMessage } from 'ai'
import type { Delivery, DeliveryFacts, ResendOptions } from '../../delivery.ts'
import { EngineError } from '../../errors.ts'
import { toldMessages } from '../../message/told-messages.ts'
import {
  hasProviderRun,
  keyOf,
  refOf,
  toolCallsOf,
  type ToolCallEntry,
} from '../../message/tool-calls.ts'
import {
  hasLedger,
  isDecidedRemotely,
  toolNameOf,
  type ToolCallPart,
  type ToolCallRef,
} from '../../message/tool-part.ts'
import type { Run } from '../../run.ts'
import type { Resending } from '../../state.ts'

/** How often in a row a server may answer with an error of its own before a person has to say more. */
const MOST_ERRORS = 5

/** Sends decisions, and sends them again until what they are for has answered. */
export const delivery: Delivery = {
  sent: sentDecisions,
  toRepeat: decisionsToRepeat,
  wasNotRead,
  toUnanswered,
  resending,
  isTime,
  told: toldMessages,
}

function resending<MESSAGE extends UIMessage>(
  facts: DeliveryFacts<MESSAGE>,
  failure: EngineError,
  { baseMs = 500, maxMs = 30_000 }: ResendOptions,
  now: number,
): Resending | undefined {
  const before = facts.turn?.sending ?? { failures: 0, errors: 0 }
  const failures = before.failures + 1
  const errors = isServersAnswer(failure) ? before.errors + 1 : 0
  if (errors >= MOST_ERRORS || !mayPass(failure)) return undefined
  if (decisionsToRepeat(facts).length === 0) return undefined
  const longestMs = Math.min(maxMs, baseMs * 2 ** before.failures)
  const askedMs = Number(failure.details['retryAfterMs'] ?? 0)
  const waitMs = Math.max(askedMs, longestMs * (0.5 + Math.random() / 2))
  return { failures, errors, nextAt: now + waitMs }
}

async function isTime(sending: Resending | undefined, run: Run, now: number): Promise<boolean> {
  const waitMs = (sending?.nextAt ?? 0) - now
  if (waitMs <= 0) return true
  if (run.isWoken) return false
  const due = Promise.withResolvers<boolean>()
  const isDue = () => due.resolve(true)
  const timer = setTimeout(isDue, waitMs)
  // Outside of a page nobody says that the network is back.
  globalThis.addEventListener?.('online', isDue)
  void run.wakeUp.promise.then(() => due.resolve(false))
  try {
    return await due.promise
  } finally {
    clearTimeout(timer)
    globalThis.removeEventListener?.('online', isDue)
  }
}

function sentDecisions<MESSAGE extends UIMessage>(facts: DeliveryFacts<MESSAGE>): ToolCallEntry[] {
  return openDecisions(facts, facts.turn?.underWay ?? [])
}

function decisionsToRepeat<MESSAGE extends UIMessage>(
  facts: DeliveryFacts<MESSAGE>,
): ToolCallEntry[] {
  const { underWay = [], unsent = [] } = facts.turn ?? {}
  const open = openDecisions(facts, [...underWay, ...unsent])
  const approved = open.filter(({ part }) => isApproved(part))
  return approved.length > 0 && approved.every(({ part }) => hasLedger(part)) ? open : []
}

function openDecisions<MESSAGE extends UIMessage>(
  { messages }: DeliveryFacts<MESSAGE>,
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

/** A status of 500 and above can also be that of a gateway whose server was at work already. */
function wasNotRead({ code, details }: EngineError): boolean {
  if (details['unsent'] === true || details['refusal'] !== undefined) return true
  if (code === 'http_network') return false
  if (code === 'invalid_argument') return true
  const { status } = details
  return code === 'http_status' && !(typeof status === 'number' && status >= 500)
}

/** Whether a failure is what the server itself answered, to all that the request carried. */
function isServersAnswer({ code }: EngineError): boolean {
  return code === 'stream_error'
}

/** Whether the same request can get another answer, as what kept it from one passes. */
function mayPass(failure: EngineError): boolean {
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

function toUnanswered<MESSAGE extends UIMessage>(
  facts: DeliveryFacts<MESSAGE>,
  cause: EngineError,
): EngineError {
  if (!isOfRequest(cause) || isServersAnswer(cause)) return cause
  // What was refused now may have been taken before, when no answer came.
  if (wasNotRead(cause) && cause.details['refusal'] === undefined) return cause
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
