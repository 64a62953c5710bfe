import { isApprovable, type WaitingCallEntry } from '@assent/vue'
import type { LeftOutWords } from '../locale/approval-words.ts'
import { hasNoRecord } from '../tool-call/call-facts.ts'

/** Why a yes to all leaves a call out. */
export type LeftOut = keyof LeftOutWords

/** What a yes to all would cover, and what not. */
export interface Batch {
  readonly covered: readonly WaitingCallEntry[]
  readonly left: readonly { readonly call: WaitingCallEntry; readonly why: LeftOut }[]
}

/** What the division depends on beside the calls. */
export interface BatchFacts {
  isSeen(call: WaitingCallEntry): boolean
  isTyped(call: WaitingCallEntry): boolean
  isEdited(call: WaitingCallEntry): boolean
  readonly now: number
}

/**
 * Divides what waits for a yes to all: it covers only what was shown in full and what a yes to several
 * calls may include.
 *
 * @param facts `now` in milliseconds since the epoch; `isTyped`: a yes to the call takes a word;
 *   `isEdited`: its input is being changed
 */
export function splitBatch(calls: readonly WaitingCallEntry[], facts: BatchFacts): Batch {
  const { isSeen, isTyped, isEdited, now } = facts
  const isCovered = (call: WaitingCallEntry): boolean =>
    isApprovable(call, now) && !isTyped(call) && !isEdited(call) && isSeen(call)
  return {
    covered: calls.filter(isCovered),
    left: calls
      .filter((call) => !isCovered(call))
      .map((call) => ({ call, why: whyLeftOut(call, facts) })),
  }
}

function whyLeftOut(call: WaitingCallEntry, { isTyped, isEdited, now }: BatchFacts): LeftOut {
  if (call.kind === 'output') return 'answer'
  if (isEdited(call)) return 'editing'
  if (call.expiresAt !== undefined && now >= call.expiresAt) return 'expired'
  if (hasNoRecord(call.part)) return 'notRecorded'
  if (call.checkFailed) return 'checkFailed'
  if (call.risk === 'destroy') return 'destroy'
  return isTyped(call) ? 'typed' : 'unseen'
}
