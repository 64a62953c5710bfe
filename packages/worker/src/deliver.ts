import type { ClaimLease } from './claim-lease.ts'
import { claimLost } from './claim-lost.ts'
import type { Claim } from './inbox.ts'
import type { RecordedReply } from './replies.ts'
import { ReplyError } from './reply-error.ts'
import { untilAborted } from './until-aborted.ts'
import type { WorkerParts } from './worker-parts.ts'

/**
 * Hands the reply of a task to its channel. That it goes out is noted before it does: one that a crash
 * leaves there may have gone out, and is said to be when it is handed over again.
 *
 * @param left the task is to be left as it is
 */
export async function deliver(
  { replies, onReply, replyTimeoutMs, schedule }: WorkerParts,
  { claim, lease, left }: { claim: Claim; lease: ClaimLease; left: AbortSignal },
  { text, message, notice }: RecordedReply,
): Promise<void> {
  const { task } = claim
  if (onReply) {
    // Whoever has the task now sends it.
    await lease.extend()
    left.throwIfAborted()
    const begun = await replies.begin(claim)
    if (begun === undefined) throw claimLost(task.id)
    const mayBeRepeated = begun === 'again'
    const tooLate = new AbortController()
    const abortSignal = AbortSignal.any([left, tooLate.signal])
    const cancel = schedule(() => tooLate.abort(timedOut(replyTimeoutMs)), replyTimeoutMs)
    try {
      const sending = async () =>
        onReply({ task, text, message, notice, mayBeRepeated, abortSignal })
      await untilAborted(abortSignal, sending())
    } catch (error) {
      const isUnsent = error instanceof ReplyError && error.isUnsent
      if (isUnsent && !mayBeRepeated) await replies.undo(claim)
      throw error
    } finally {
      cancel()
    }
  }
  if (!(await replies.sent(claim))) throw claimLost(task.id)
}

function timedOut(ms: number): DOMException {
  return new DOMException(`The reply was not sent within ${ms / 1_000} s.`, 'TimeoutError')
}
