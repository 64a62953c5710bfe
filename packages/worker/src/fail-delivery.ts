import { failureOf } from './failure.ts'
import type { Task } from './inbox.ts'
import type { ReplyClaim } from './replies.ts'
import { ReplyError } from './reply-error.ts'
import { retryDelayMs } from './retry-delay.ts'
import type { WorkerParts } from './worker-parts.ts'

/** A try to send a reply that came to nothing, as far as is known. */
export interface FailedTry {
  readonly task: Task
  readonly error: unknown
  /** It may have gone out in a try before. */
  readonly mayBeRepeated: boolean
  /** Tries before. */
  readonly failures: number
  /** Since it was to go out first. */
  readonly waitedMs: number
}

/**
 * Has a reply that did not go out wait for another try. It is given up when another one would be in
 * vain, and when it has waited for too long; its task is done all the same.
 *
 * @returns `false` when the reply is another worker's by now
 */
export async function failDelivery(
  parts: WorkerParts,
  claim: ReplyClaim,
  { task, error, mayBeRepeated, failures, waitedMs }: FailedTry,
): Promise<boolean> {
  const { replies, audit, retryBaseMs, random, deliveryMaxAgeMs, onUndelivered, report } = parts
  const { code, message, isTransient, retryAfterMs } = failureOf(error)
  const isGivenUp = !isTransient || waitedMs >= deliveryMaxAgeMs
  const delay = retryDelayMs({ attempts: failures + 1, baseMs: retryBaseMs, retryAfterMs, random })
  const isUnsent = !mayBeRepeated && isUnsentBy(error)
  const failure = { error: { code, message }, isUnsent }
  if (!(await replies.fail(claim, failure, isGivenUp ? undefined : delay))) return false
  // That it does not get through is said once, and not with every try of a day.
  if (failures > 0 && !isGivenUp) return true
  const next = isGivenUp ? 'It is given up.' : `It is tried again in ${delay / 1_000} s.`
  await audit.phase(task, 'reply', `The reply did not go out (${code}): ${message} ${next}`)
  report(error)
  if (!isGivenUp) return true
  try {
    await onUndelivered?.(task, { code, message })
  } catch (thrown) {
    report(thrown)
  }
  return true
}

/** Whether a reply surely did not go out in this try. */
export function isUnsentBy(error: unknown): boolean {
  return error instanceof ReplyError && error.isUnsent
}
