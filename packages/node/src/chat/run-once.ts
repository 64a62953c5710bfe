import { setTimeout as wait } from 'node:timers/promises'
import type { LedgerStatus } from '@assent/engine'
import type {
  ApprovalLedger,
  ClaimAnswer,
  LedgerEntry,
  LedgerKey,
  RunOutcome,
  UnaskedRun,
} from './approval-ledger.ts'
import { UnnotedCallError } from '../audit/unnoted-call.ts'
import type { CheckedApproval } from './check-approvals.ts'
import { DeniedMeanwhile } from './denied-meanwhile.ts'
import { isAsyncIterable } from './wrap-execute.ts'

/** What runs are kept in, and who is told of them. */
export interface RunsOnce {
  readonly ledger: ApprovalLedger
  /** How long a run is taken to go on without a sign of it, in milliseconds. */
  readonly leaseMs: number
  /** Told what has become of a decision, before what comes of its call. */
  readonly tell: (approval: CheckedApproval, status: LedgerStatus) => void
  /** Told that the values of a call come at once, and not one by one. */
  readonly onWhole: (toolCallId: string) => void
  readonly onError: (error: unknown) => void
  /** Told of an approved call that has not begun, as that could not be noted: its approval still holds. */
  readonly onUnnoted: (error: UnnotedCallError) => void
  /** Aborts when the answer is stopped: nothing begins any more. */
  readonly stopped: AbortSignal
  /** Aborts when somebody has asked for that: what runs is to stop, too. */
  readonly asked: AbortSignal
}

/** What a ledger says of a call that nobody runs any more. */
export type SettledEntry = Exclude<LedgerEntry, { status: 'running' }>

/** What is to be known of a call to run it. */
type RunCall = Pick<UnaskedRun, 'key' | 'toolCallId'>

/** How long it takes at most to learn of the end of a run of somebody else, in milliseconds. */
const MOST_BETWEEN_LOOKS_MS = 500

/**
 * Runs a call that was approved, if nobody has before, or else gives what came of it. In this form, as
 * the AI SDK asks at once whether a tool streams its output.
 */
export async function* runOnce(
  approval: CheckedApproval,
  execute: () => unknown,
  runs: RunsOnce,
): AsyncGenerator<unknown> {
  const { ledger, leaseMs, tell, stopped } = runs
  const { key, issuedAt } = approval
  // Nothing is claimed that would not run.
  stopped.throwIfAborted()
  if (!approval.isOfStore) {
    tell(approval, 'unknown')
    throw new Error(OTHER_STORE)
  }
  const holder = crypto.randomUUID()
  const claim = (): Promise<ClaimAnswer> =>
    approval.mayBegin
      ? ledger.claim(key, { holder, leaseMs }, issuedAt)
      : ledger.expire(key, issuedAt)
  try {
    const answer = await claimed(key, holder, claim, runs)
    if (answer.status === 'claimed') {
      tell(approval, 'running')
      return yield* runClaimed(approval, holder, execute, runs)
    }
    return yield* outputOfRun(approval, answer, runs)
  } catch (error) {
    if (error instanceof UnnotedCallError) runs.onUnnoted(error)
    throw error
  }
}

/** What came of an approved call that is not ours to run. */
async function* outputOfRun(
  approval: CheckedApproval,
  answer: LedgerEntry,
  runs: RunsOnce,
): AsyncGenerator<unknown> {
  const { tell, onWhole } = runs
  if (answer.status === 'running') tell(approval, 'running')
  onWhole(approval.toolCallId)
  const entry = await endOf(approval.key, answer, runs)
  const { status } = entry
  tell(approval, status === 'done' || status === 'failed' ? 'ran' : status)
  if (status === 'expired' && approval.origin === 'rule') throw new Error(WAITED_TOO_LONG)
  yield outputOf(entry)
}

/** The same for a call that its rules let run: its run is noted, for the case that this answer is lost. */
export async function* runUnasked(
  run: UnaskedRun,
  execute: () => unknown,
  runs: RunsOnce,
): AsyncGenerator<unknown> {
  const { ledger, leaseMs, onWhole, stopped } = runs
  stopped.throwIfAborted()
  const holder = crypto.randomUUID()
  const claim = () => ledger.claimUnasked(run, { holder, leaseMs })
  const answer = await claimed(run.key, holder, claim, runs)
  if (answer.status === 'superseded') throw new Error(SUPERSEDED)
  if (answer.status === 'claimed') return yield* runClaimed(run, holder, execute, runs)
  // The very same call a second time in its step.
  onWhole(run.toolCallId)
  yield outputOf(await endOf(run.key, answer, runs))
}

/** A claim that fails may have been made all the same, and is given back. */
async function claimed<ANSWER>(
  key: LedgerKey,
  holder: string,
  claim: () => Promise<ANSWER>,
  { ledger, onError }: RunsOnce,
): Promise<ANSWER> {
  try {
    return await claim()
  } catch (cause) {
    onError(cause)
    // Its failure is the same one, told already; it is tried again.
    void ledger.release(key, holder).catch(() => undefined)
    throw new UnnotedCallError({ cause })
  }
}

/** Runs a call that is ours to run, and notes how that ends. */
async function* runClaimed(
  { key, toolCallId }: RunCall,
  holder: string,
  execute: () => unknown,
  { ledger, leaseMs, onWhole, onError, stopped, asked }: RunsOnce,
): AsyncGenerator<unknown> {
  const renew = () => void ledger.renew(key, { holder, leaseMs }).catch(onError)
  const renewal = setInterval(renew, leaseMs / 3).unref()
  // A tool may go on although it was stopped. Nobody waits for that; an end that comes is still noted.
  const letGo = () => {
    clearInterval(renewal)
    void ledger.renew(key, { holder, leaseMs: 1 }).catch(onError)
  }
  asked.addEventListener('abort', letGo)
  // What is cut off may have taken effect.
  let outcome: RunOutcome = { status: 'unknown' }
  let hasBegun = true
  let isStreamed = false
  let output: unknown
  try {
    if (stopped.aborted) {
      outcome = { status: 'failed', errorText: STOPPED }
      throw new Error(STOPPED)
    }
    const result = execute()
    isStreamed = isAsyncIterable(result)
    if (isAsyncIterable(result)) for await (output of result) yield output
    else {
      onWhole(toolCallId)
      output = await result
    }
    outcome = { status: 'done', output }
  } catch (error) {
    hasBegun = !(error instanceof UnnotedCallError)
    if (!asked.aborted) outcome = { status: 'failed', errorText: textOf(error) }
    throw error
  } finally {
    clearInterval(renewal)
    asked.removeEventListener('abort', letGo)
    // It has run: that it cannot be noted must not make it look as if it had not.
    const note = hasBegun
      ? ledger.end(key, holder, asJson(outcome, onError))
      : ledger.release(key, holder)
    await note.catch(onError)
  }
  // Only now, so that nobody is told of an output that the ledger does not know.
  if (!isStreamed) yield output
}

/** An outcome that can be kept: nobody can be told of an output that JSON cannot express. */
function asJson(outcome: RunOutcome, onError: (error: unknown) => void): RunOutcome {
  try {
    JSON.stringify(outcome)
    return outcome
  } catch (error) {
    onError(error)
    return { status: 'unknown' }
  }
}

const STOPPED = 'The answer was stopped before the call began; it did not run.'

/**
 * What came of a call, once whoever runs it is done, in whichever process. A ledger that cannot be read
 * is looked into again; after a lease of that nobody knows, since the call had begun.
 */
export async function endOf(
  key: LedgerKey,
  found: LedgerEntry,
  {
    ledger,
    leaseMs,
    stopped,
    onError,
  }: Pick<RunsOnce, 'ledger' | 'leaseMs' | 'stopped' | 'onError'>,
): Promise<SettledEntry> {
  let entry = found
  let readAt = performance.now()
  let isUnread = false
  while (entry.status === 'running') {
    await wait(Math.min(MOST_BETWEEN_LOOKS_MS, leaseMs / 4), undefined, { signal: stopped })
    try {
      entry = (await ledger.look(key)) ?? { status: 'unknown' }
      readAt = performance.now()
      isUnread = false
    } catch (error) {
      if (!isUnread) onError(error)
      isUnread = true
      if (performance.now() - readAt > leaseMs) return { status: 'unknown' }
    }
  }
  return entry
}

/** The output of a call; throws where it has none, and says why. */
export function outputOf(entry: SettledEntry): unknown {
  switch (entry.status) {
    case 'done':
      return entry.output
    case 'failed':
      throw new Error(entry.errorText)
    case 'unknown':
      throw new Error(UNKNOWN)
    case 'expired':
      throw new Error(TOO_LATE)
    case 'denied':
      throw new DeniedMeanwhile()
  }
}

const UNKNOWN =
  'The call was begun before, and how it ended is not known: it may have taken effect. It was not run again.'

const SUPERSEDED =
  'Another request of this conversation is being answered by now; the call did not run.'

const TOO_LATE = 'The approval came too late, and the call did not run. Call it again.'

/** Why a call does not run that was asked about with another store of the ledger. */
export const OTHER_STORE =
  'The database in which this server notes what has run is another one than when this was asked, or the server was ' +
  'updated since. So the approval holds no more: the call was not run now, and whether it ran before is not known. ' +
  'To run it, call it again, and it is asked about anew.'

/** Why a call does not run that the rules approved, and that was held for long since. */
export const WAITED_TOO_LONG =
  'The call waited too long for the rest of its step; it did not run. Call it again.'

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
