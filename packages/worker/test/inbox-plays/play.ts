import { isDeepStrictEqual } from 'node:util'
import type { Claim, Inbox, Task } from '../../src/inbox.ts'
import type { Plan, Step } from './plan.ts'
import type { ReferenceInbox, ReferenceTask } from './reference.ts'
import type { Referee } from './rules.ts'

const LEASE_MS = 1_000

/** Two processes at one inbox: the second one for every other step. */
export interface Played {
  readonly inboxes: readonly [Inbox, Inbox]
  readonly reference: ReferenceInbox
}

/** Plays a plan on an inbox and on the reference. Throws the first rule that is broken. */
export async function play(plan: Plan, { inboxes, reference }: Played, referee: Referee) {
  const claims: Claim[] = []
  referee.begin()
  for (const { step, isOther } of plan) {
    referee.tell(`${isOther ? 'other ' : ''}${JSON.stringify(step)}`)
    await act(step, inboxes[isOther ? 1 : 0])
    await compare(inboxes[isOther ? 0 : 1])
  }

  async function act(step: Step, inbox: Inbox): Promise<void> {
    const { now } = reference
    switch (step.do) {
      case 'add': {
        const { conversation, task, attempts: maxAttempts } = step
        const id = `t${task}`
        const dueAt = now + step.in
        await inbox.add({ id, conversationId: conversation, input: id, maxAttempts, dueAt })
        return reference.add(id, conversation, maxAttempts, dueAt)
      }
      case 'claim':
        return claim(inbox, step)
      case 'change': {
        const claimed = claims.at(-1 - step.back)
        return claimed && change(inbox, claimed, step)
      }
      case 'wait':
        reference.now += step.ms
        return
      case 'answer': {
        const isTaken = await inbox.answer(`t${step.task}`, step.answer)
        return agree(isTaken, reference.answer(`t${step.task}`, step.answer))
      }
      case 'replay':
        return agree(await inbox.replay(`t${step.task}`), reference.replay(`t${step.task}`))
      case 'discard':
        return agree(await inbox.discard(`t${step.task}`), reference.discard(`t${step.task}`))
    }
  }

  async function claim(
    inbox: Inbox,
    { worker, isIdle }: Extract<Step, { do: 'claim' }>,
  ): Promise<void> {
    const given = await inbox.claim({ worker, leaseMs: LEASE_MS, isIdle })
    const expected = reference.claimable(isIdle)
    const task = given && reference.get(given.task.id)
    const facts = { given: given?.task, expected: expected.map(({ id }) => id) }
    if (reference.tasks.some((one) => reference.isSuspect(one))) {
      const isRight = isIdle || !task || !reference.isSuspect(task) || reference.isSpent(task)
      referee.hold('what may end its worker runs alone', isRight, facts)
    }
    if (reference.tasks.some((one) => one.holder && one.isSuspect)) {
      const isRight = !task || given.isSpent === reference.isSpent(task)
      referee.hold('attempts are bounded', isRight, facts)
    }
    if (reference.tasks.some(({ holder }) => (holder?.expiresAt ?? 0) > reference.now)) {
      const isFirst = task === undefined || reference.heads().includes(task)
      const isFree = (task?.holder?.expiresAt ?? 0) <= reference.now
      referee.hold(
        'one task of a conversation is held at a time, the oldest that is not over',
        isFirst && isFree,
        facts,
      )
    }
    if (reference.tasks.some(({ state }) => state === 'parked')) {
      referee.hold('what waits for a person is not given out', task?.state !== 'parked', facts)
    }
    const isRight = given ? task !== undefined && expected.includes(task) : expected.length === 0
    referee.hold('what can be given out is, and nothing else', isRight, facts)
    if (!given || !task) return
    const isTakenOver = task.holder !== undefined
    const epoch = reference.claim(task, worker, LEASE_MS)
    claims.push(given)
    const isSame =
      given.isTakenOver === isTakenOver &&
      given.epoch === epoch &&
      given.isSuspect === task.isSuspect
    referee.hold('nothing is lost: every task is as the reference has it', isSame, facts)
  }

  async function change(
    inbox: Inbox,
    claimed: Claim,
    step: Extract<Step, { do: 'change' }>,
  ): Promise<void> {
    const { worker, epoch } = claimed
    const task = reference.held(claimed.task.id, worker, epoch)
    const isDone = await CHANGE[step.change](inbox, claimed, reference, task, step.in)
    if (!task) referee.hold('a claim that was lost changes nothing', !isDone, claimed)
    else agree(isDone, true)
  }

  function agree(isDone: boolean, isExpected: boolean): void {
    referee.hold('nothing is lost: every task is as the reference has it', isDone === isExpected)
  }

  async function compare(inbox: Inbox): Promise<void> {
    for (const task of reference.tasks) {
      const found = await inbox.get(task.id)
      const facts = { found, task }
      if (task.answers.length > 0) {
        const isShown = isDeepStrictEqual(found?.answers, task.answers)
        referee.hold('answers are shown until they are dealt with', isShown, facts)
      }
      const isSame = found !== undefined && isDeepStrictEqual(factsOf(found), expectedOf(task))
      referee.hold('nothing is lost: every task is as the reference has it', isSame, facts)
    }
    const facts = { due: await inbox.msUntilDue(), expected: reference.msUntilDue() }
    if (facts.expected !== undefined) {
      const isKnown = facts.due === facts.expected
      referee.hold('it is known when something can be given out again', isKnown, facts)
    }
  }
}

/** What each change is, on both sides; the reference's only when the claim stands. */
const CHANGE: Readonly<
  Record<
    Extract<Step, { do: 'change' }>['change'],
    (
      inbox: Inbox,
      claim: Claim,
      reference: ReferenceInbox,
      task: ReferenceTask | undefined,
      inMs: number,
    ) => Promise<boolean>
  >
> = {
  heartbeat(inbox, claim, reference, task) {
    if (task) reference.heartbeat(task, LEASE_MS)
    return inbox.heartbeat(claim, LEASE_MS)
  },
  progress(inbox, claim, reference, task) {
    if (task) reference.progress(task, 'tool_round')
    return inbox.progress(claim, 'tool_round')
  },
  park(inbox, claim, reference, task, inMs) {
    if (task) reference.park(task, inMs)
    return inbox.park(claim, inMs)
  },
  complete(inbox, claim, reference, task) {
    if (task) reference.complete(task)
    return inbox.complete(claim)
  },
  fail(inbox, claim, reference, task, inMs) {
    const error = { code: 'failed', message: `${inMs}` }
    const dueAt = reference.now + inMs
    if (task) reference.fail(task, error, dueAt)
    return inbox.fail(claim, error, inMs)
  },
  bury(inbox, claim, reference, task) {
    const error = { code: 'buried', message: 'in vain' }
    if (task) reference.fail(task, error, undefined)
    return inbox.fail(claim, error, undefined)
  },
  release(inbox, claim, reference, task, inMs) {
    const dueAt = reference.now + inMs
    if (task) reference.release(task, dueAt)
    return inbox.release(claim, inMs)
  },
}

function factsOf({ state, attempts, maxAttempts, lease, error, waitingFor, answers, dueAt }: Task) {
  const isQueued = state === 'queued'
  return {
    state,
    attempts,
    maxAttempts,
    lease,
    code: error?.code,
    waitingFor,
    answers,
    dueAt: isQueued ? dueAt : undefined,
  }
}

function expectedOf(task: ReferenceTask): ReturnType<typeof factsOf> {
  const { state, attempts, maxAttempts, holder, error, waitingFor, answers, dueAt } = task
  return {
    state,
    attempts,
    maxAttempts,
    lease: holder,
    code: error?.code,
    waitingFor,
    answers,
    dueAt: state === 'queued' ? dueAt : undefined,
  }
}
