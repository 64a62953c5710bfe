import type { ClaimLease } from './claim-lease.ts'
import { claimLost } from './claim-lost.ts'
import { failDelivery, isUnsentBy } from './fail-delivery.ts'
import { handOver } from './hand-over.ts'
import type { Claim } from './inbox.ts'
import type { Insist } from './insist.ts'
import type { RecordedReply } from './replies.ts'
import type { WorkerParts } from './worker-parts.ts'

interface Delivering {
  readonly claim: Claim
  readonly lease: ClaimLease
  readonly left: AbortSignal
  readonly insist: Insist
}

/**
 * Hands the reply of a task to its channel. That it goes out is noted before it does: one that a crash
 * leaves there may have gone out, and is said to be when it is handed over again. One that does not get
 * through, or comes after such a one, waits for `runDeliveries`: its task is over.
 *
 * @param left the task is to be left as it is
 */
export async function deliver(
  parts: WorkerParts,
  { claim, lease, left, insist }: Delivering,
  reply: RecordedReply,
): Promise<'sent' | 'waiting'> {
  const { replies, onReply } = parts
  const { task } = claim
  if (onReply) {
    // Whoever has the task now sends it.
    await lease.extend()
    left.throwIfAborted()
    const begun = await replies.begin(claim)
    if (begun === undefined) throw claimLost(task.id)
    if (begun === 'later') return 'waiting'
    const mayBeRepeated = begun === 'again'
    try {
      await handOver(parts, { task, notice: undefined, ...reply, mayBeRepeated, waitedMs: 0 }, left)
    } catch (error) {
      if (left.aborted) {
        if (isUnsentBy(error) && !mayBeRepeated) await replies.undo(claim)
        throw error
      }
      const failed = { task, error, mayBeRepeated, failures: 0, waitedMs: 0 }
      if (await failDelivery(parts, claim, failed)) return 'waiting'
      throw claimLost(task.id)
    }
  }
  // It is out: what is not noted of it would go out again.
  if (!(await insist(() => replies.sent(claim)))) throw claimLost(task.id)
  return 'sent'
}
