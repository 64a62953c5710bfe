import { isApprovable, type WaitingCall } from '@assent/vue'

/** Why a yes to all leaves a call out. */
export type LeftOut = 'answer' | 'destroy' | 'checkFailed' | 'expired' | 'unseen'

/** What a yes to all would cover, and what not. */
export interface Batch {
  readonly covered: readonly WaitingCall[]
  readonly left: readonly { readonly call: WaitingCall; readonly why: LeftOut }[]
}

/**
 * Divides what waits for a yes to all: it covers only what was shown in full and what a yes to several
 * calls may include.
 *
 * @param now milliseconds since the epoch
 */
export function splitBatch(
  calls: readonly WaitingCall[],
  isSeen: (call: WaitingCall) => boolean,
  now: number,
): Batch {
  const isCovered = (call: WaitingCall): boolean => isApprovable(call, now) && isSeen(call)
  return {
    covered: calls.filter(isCovered),
    left: calls
      .filter((call) => !isCovered(call))
      .map((call) => ({ call, why: whyLeftOut(call, now) })),
  }
}

function whyLeftOut(call: WaitingCall, now: number): LeftOut {
  if (call.kind === 'output') return 'answer'
  if (call.expiresAt !== undefined && now >= call.expiresAt) return 'expired'
  if (call.checkFailed) return 'checkFailed'
  return call.risk === 'destroy' ? 'destroy' : 'unseen'
}
