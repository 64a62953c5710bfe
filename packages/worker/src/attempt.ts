import { keepClaim, type ClaimLease, type ClaimLeaseOptions } from './claim-lease.ts'
import { claimLost, isClaimLost } from './claim-lost.ts'
import { converse } from './converse.ts'
import { deliver } from './deliver.ts'
import { giveUp } from './give-up.ts'
import type { Claim, Task } from './inbox.ts'
import { readTaskAnswer } from './task-answer.ts'
import { plain } from './task-waiting.ts'
import { WorkerError } from './worker-error.ts'
import type { WorkerParts } from './worker-parts.ts'

/** An attempt at a task that is under way. */
export interface Attempt {
  /** Resolves when the claim was given back, or lost. Never rejects. */
  readonly over: Promise<void>
  /** The task may have changed: whether somebody wants it to end is looked up. */
  look(): void
}

/** @param stop the worker ends: what is not over by then is given back */
export function beginAttempt(
  parts: WorkerParts,
  { claim, askedAt }: Pick<ClaimLeaseOptions, 'claim' | 'askedAt'>,
  stop: AbortSignal,
): Attempt {
  const { inbox, report } = parts
  const { task } = claim
  const ended = new AbortController()
  const end = (now: Task | undefined) => {
    const reason = now?.answers.map(abortReason).find((found) => found !== undefined)
    if (reason !== undefined) ended.abort(reason)
  }
  const look = () => {
    if (!ended.signal.aborted) void inbox.get(task.id).then(end, report)
  }
  end(task)
  const lease = keepClaim({ ...parts, claim, askedAt, onBeat: look })
  const over = run(parts, { claim, lease, stop, ended: ended.signal })
    .catch(report)
    .finally(() => lease.end())
  return { over, look }
}

interface Running {
  readonly claim: Claim
  readonly lease: ClaimLease
  readonly stop: AbortSignal
  readonly ended: AbortSignal
}

async function run(parts: WorkerParts, running: Running): Promise<void> {
  const { inbox, report } = parts
  const { claim, lease, stop } = running
  try {
    await workOff(parts, running)
    parts.outages.end(claim.task.conversationId)
  } catch (error) {
    // Whoever has it now says what becomes of it.
    if (lease.lost.aborted || isClaimLost(error)) return
    const isGivenBack = stop.aborted && !claim.isSpent
    if (isGivenBack) await inbox.release(claim)
    else await giveUp(parts, claim, error)
    if (!isGivenBack) report(error)
  }
}

/** Takes a task as far as it goes, and says so in the inbox; throws why it got no further. */
async function workOff(parts: WorkerParts, running: Running): Promise<void> {
  const { inbox, replies, audit } = parts
  const { claim, lease, stop, ended } = running
  const { task } = claim
  const left = AbortSignal.any([stop, lease.lost])
  if (claim.isSpent) throw workerLost()
  await audit.begun(task, claim)
  let reply = await replies.find(task.id)
  if (reply === undefined) {
    const end = await holdAndConverse(parts, running)
    switch (end.type) {
      case 'held-elsewhere':
        await inbox.release(claim, parts.leaseMs / 3)
        return
      case 'waiting':
        await inbox.park(claim, plain(end.waiting))
        return
      case 'aborted': {
        const why = typeof ended.reason === 'string' ? ended.reason : 'The turn was aborted.'
        await audit.done(task, why)
        await inbox.complete(claim)
        return
      }
      case 'answered':
        reply = end.reply
    }
  }
  if (typeof reply === 'object') reply = await deliver(parts, { claim, lease, left }, reply)
  // It is noted behind: whoever finds a reply that was sent looks whether that was noted.
  if (reply === 'sent') {
    const where = parts.onReply ? 'The reply was sent.' : 'The reply is in the conversation.'
    await audit.replied(task, where)
    await inbox.progress(claim, 'reply_sent')
    await audit.done(task, 'The task is done.')
  } else {
    await audit.replied(task, 'The reply waits to be delivered.')
    await audit.done(task, 'The task is done, and its reply waits to be delivered.')
  }
  await inbox.complete(claim)
}

function workerLost(): WorkerError {
  return new WorkerError(
    'worker_lost',
    'Its worker ended in the middle of it, with no other task beside; replay it once you know why.',
  )
}

/** Leads the conversation as the only one who does; what is answered is noted before it is let go. */
async function holdAndConverse(parts: WorkerParts, { claim, lease, stop, ended }: Running) {
  const { conversations, name, leaseMs, replies } = parts
  const { task } = claim
  const hold = await conversations.hold(task.conversationId, { owner: name, leaseMs })
  if (!hold) return { type: 'held-elsewhere' } as const
  try {
    const left = AbortSignal.any([stop, lease.lost, hold.lost])
    const end = await converse(parts, { claim, hold, left, ended })
    if (end.type !== 'answered') return end
    await hold.check()
    const reply = await replies.record(claim, end.reply)
    if (reply === undefined) throw claimLost(task.id)
    return { type: 'answered', reply } as const
  } finally {
    await hold.release()
  }
}

/** Why an answer to a task wants it to end, if it does. */
function abortReason(answer: Task['answers'][number]): string | undefined {
  try {
    const { abort, by } = readTaskAnswer(answer)
    if (!abort) return undefined
    return `It was ended${by === undefined ? '' : ` by ${by}`}: ${abort.reason ?? 'no reason given'}.`
  } catch {
    return undefined
  }
}
