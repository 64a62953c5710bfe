import type { ClaimLease } from './claim-lease.ts'
import type { Task } from './inbox.ts'
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
  { task, lease, left }: { task: Task; lease: ClaimLease; left: AbortSignal },
  { text, message, notice }: RecordedReply,
): Promise<void> {
  if (onReply) {
    // Whoever has the task now sends it.
    await lease.extend()
    left.throwIfAborted()
    const mayBeRepeated = replies.begin(task.id)
    const tooLate = new AbortController()
    const abortSignal = AbortSignal.any([left, tooLate.signal])
    const cancel = schedule(() => tooLate.abort(timedOut(replyTimeoutMs)), replyTimeoutMs)
    try {
      const sending = async () =>
        onReply({ task, text, message, notice, mayBeRepeated, abortSignal })
      await untilAborted(abortSignal, sending())
    } catch (error) {
      const isUnsent = error instanceof ReplyError && error.isUnsent
      if (isUnsent && !mayBeRepeated) replies.undo(task.id)
      throw error
    } finally {
      cancel()
    }
  }
  replies.sent(task.id)
}

function timedOut(ms: number): DOMException {
  return new DOMException(`The reply was not sent within ${ms / 1_000} s.`, 'TimeoutError')
}
