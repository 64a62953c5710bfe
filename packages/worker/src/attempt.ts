import type { UIMessage } from 'ai'
import { keepClaim, type ClaimLease, type ClaimLeaseOptions } from './claim-lease.ts'
import { claimLost, isClaimLost } from './claim-lost.ts'
import { converse } from './converse.ts'
import { deliver } from './deliver.ts'
import { giveUp } from './give-up.ts'
import type { Claim, Task, TaskError } from './inbox.ts'
import { insistUntil, type Insist } from './insist.ts'
import { ranCallsOf, type RanCall } from './ran-calls.ts'
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
  /** It is over, and that could not be said in the inbox so far. */
  readonly isUnsaid: boolean
}

/** @param stop the worker ends: what is not over by then is given back */
export function beginAttempt(
  parts: WorkerParts,
  { claim, askedAt }: Pick<ClaimLeaseOptions, 'askedAt'> & { readonly claim: Claim },
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
  const lease = keepClaim({
    ...parts,
    heartbeat: (leaseMs) => inbox.heartbeat(claim, leaseMs),
    askedAt,
    onBeat: look,
  })
  let isUnsaid = false
  const insist = insistUntil(parts, stop)
  const running: Running = {
    claim,
    lease,
    stop,
    ended: ended.signal,
    insist,
    saying(act) {
      isUnsaid = true
      return act(insist)
    },
  }
  const over = run(parts, running)
    .catch(report)
    .finally(() => lease.end())
  return {
    over,
    look,
    get isUnsaid() {
      return isUnsaid
    },
  }
}

interface Running {
  readonly claim: Claim
  readonly lease: ClaimLease
  readonly stop: AbortSignal
  readonly ended: AbortSignal
  readonly insist: Insist
  /** Says in the inbox what became of it: nothing else is claimed meanwhile, and this above all not. */
  saying(act: (insist: Insist) => Promise<void>): Promise<void>
  /** The calls of the task that ran, or may have; none while its conversation was not read. */
  ran?: readonly RanCall[]
}

async function run(parts: WorkerParts, running: Running): Promise<void> {
  const { inbox, audit, report } = parts
  const { claim, lease, stop, saying } = running
  try {
    await workOff(parts, running)
    parts.outages.end(claim.task.conversationId)
  } catch (error) {
    // Whoever has it now says what becomes of it.
    if (isClaimLost(error) || lease.lost.aborted) {
      // That it is lost is no sign that this worker died, and maybe nobody has taken the task.
      return saying(async (insist) => {
        if (await insist(() => inbox.release(claim, 0, LEASE_OVER))) {
          await insist(() => audit.phase(claim.task, 'failed', LEASE_OVER.message))
        } else await insist(async () => inbox.vouch?.(claim))
      })
    }
    const isGivenBack = stop.aborted && !claim.isSpent
    if (!isGivenBack) report(error)
    await saying(async (insist) => {
      if (isGivenBack) await insist(() => inbox.release(claim))
      else await giveUp(parts, { claim, insist, ran: running.ran }, error)
    })
  }
}

const LEASE_OVER = {
  code: 'lease_over',
  message:
    'The worker could not extend its lease in time, as the database did not answer. The attempt does not count, and is made again.',
}

/** Takes a task as far as it goes, and says so in the inbox; throws why it got no further. */
async function workOff(parts: WorkerParts, running: Running): Promise<void> {
  const { inbox, replies, audit, retryBaseMs } = parts
  const { claim, lease, stop, ended, insist } = running
  const { task } = claim
  const left = AbortSignal.any([stop, lease.lost])
  let reply = await replies.find(task.id)
  let mayBeSaid = reply !== undefined
  // One that has its answer is over, whatever ended its workers.
  if (claim.isSpent && reply === undefined) throw workerLost()
  await audit.begun(task, claim)
  if (claim.isSpent && typeof reply === 'object') {
    const failed = { error: taskErrorOf(workerLost()), isUnsent: false }
    if (!(await insist(() => replies.fail(claim, failed, retryBaseMs)))) throw claimLost(task.id)
    reply = 'waiting'
  }
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
        await audit.over(task, { done: why }, true)
        await inbox.complete(claim)
        return
      }
      case 'answered':
        reply = end.reply
    }
  }
  if (typeof reply === 'object') reply = await deliver(parts, { claim, lease, left, insist }, reply)
  // It is noted behind: whoever finds a reply that was sent looks whether that was noted.
  const isSent = reply === 'sent'
  const where = parts.onReply ? 'The reply was sent.' : 'The reply is in the conversation.'
  const said = isSent
    ? { reply: where, done: 'The task is done.' }
    : {
        reply: 'The reply waits to be delivered.',
        done: 'The task is done, and its reply waits to be delivered.',
      }
  const noteOver = () => {
    const noting = audit.over(task, said, mayBeSaid)
    mayBeSaid = true
    return noting
  }
  await Promise.all([insist(noteOver), isSent && insist(() => inbox.progress(claim, 'reply_sent'))])
  await insist(() => inbox.complete(claim))
}

function taskErrorOf({ code, message }: WorkerError): TaskError {
  return { code, message }
}

function workerLost(): WorkerError {
  return new WorkerError(
    'worker_lost',
    'Its worker ended in the middle of it, with no other task beside; replay it once you know why.',
  )
}

/** Leads the conversation as the only one who does; what is answered is noted before it is let go. */
async function holdAndConverse(parts: WorkerParts, running: Running) {
  const { claim, lease, stop, ended, insist } = running
  const { conversations, name, leaseMs, replies } = parts
  const { task } = claim
  const hold = await conversations.hold(task.conversationId, { owner: name, leaseMs })
  if (!hold) return { type: 'held-elsewhere' } as const
  try {
    const left = AbortSignal.any([stop, lease.lost, hold.lost])
    const onLeft = (answer: readonly UIMessage[]) => {
      running.ran = ranCallsOf(answer)
    }
    const end = await converse(parts, { claim, hold, left, ended, onLeft })
    if (end.type !== 'answered') return end
    await hold.check()
    const reply = await replies.record(claim, end.reply)
    if (reply === undefined) throw claimLost(task.id)
    return { type: 'answered', reply } as const
  } finally {
    // Else nobody could have the conversation before its lease ends.
    await insist(() => hold.release())
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
