import { untilAborted } from './until-aborted.ts'
import type { TaskReply, WorkerParts } from './worker-parts.ts'

/**
 * Hands a reply to its channel. Rejects when the channel does, when that takes too long, and when
 * nobody waits for it any more.
 */
export async function handOver(
  { onReply, replyTimeoutMs, schedule }: WorkerParts,
  reply: Omit<TaskReply, 'abortSignal'>,
  left: AbortSignal,
): Promise<void> {
  const tooLate = new AbortController()
  const abortSignal = AbortSignal.any([left, tooLate.signal])
  const cancel = schedule(() => tooLate.abort(timedOut(replyTimeoutMs)), replyTimeoutMs)
  try {
    const sending = async () => onReply?.({ ...reply, abortSignal })
    await untilAborted(abortSignal, sending())
  } finally {
    cancel()
  }
}

function timedOut(ms: number): DOMException {
  return new DOMException(`The reply was not sent within ${ms / 1_000} s.`, 'TimeoutError')
}
