import type { LateNotes } from '../audit/late-notes.ts'
import type { ApprovalLedger } from './approval-ledger.ts'
import { ChatHandlerError } from './handler-errors.ts'
import type { OpenWork } from './open-work.ts'

/**
 * The ledger, with each run that it is told of noted as work until its end is kept: an end that cannot be noted
 * is noted later. What it fails with is told as its failure, so that nobody takes it for one of the model's.
 */
export function watchRuns(
  ledger: ApprovalLedger,
  { begin }: Pick<OpenWork, 'begin'>,
  late: LateNotes,
): ApprovalLedger {
  const runs = new Map<string, () => void>()
  const claimed = async <ANSWER extends { readonly status: string }>(
    holder: string,
    claim: () => Promise<ANSWER>,
  ) => {
    const answer = await asLedger(claim)
    if (answer.status === 'claimed') runs.set(holder, begin())
    return answer
  }
  const over = async (holder: string, note: () => Promise<void>) => {
    try {
      await asLedger(() => late.write(note))
    } finally {
      runs.get(holder)?.()
      runs.delete(holder)
    }
  }
  return {
    isDurable: ledger.isDurable,
    identity: () => asLedger(() => ledger.identity()),
    decide: (key, approved, askedAt, by) =>
      asLedger(() => ledger.decide(key, approved, askedAt, by)),
    decision: (key) => asLedger(() => ledger.decision(key)),
    look: (key) => asLedger(() => ledger.look(key)),
    begin: (scope, answerId) => asLedger(() => ledger.begin(scope, answerId)),
    told: (told) => asLedger(() => ledger.told(told)),
    renew: (key, runner) => asLedger(() => ledger.renew(key, runner)),
    expire: (key, askedAt) => asLedger(() => ledger.expire(key, askedAt)),
    claim: (key, runner, askedAt) =>
      claimed(runner.holder, () => ledger.claim(key, runner, askedAt)),
    claimUnasked: (run, runner) => claimed(runner.holder, () => ledger.claimUnasked(run, runner)),
    end: (key, holder, outcome) => over(holder, () => ledger.end(key, holder, outcome)),
    release: (key, holder) => over(holder, () => ledger.release(key, holder)),
  }
}

async function asLedger<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act()
  } catch (cause) {
    if (cause instanceof ChatHandlerError) throw cause
    throw new ChatHandlerError(
      'ledger_failed',
      'The ledger could not be read or written; see the cause.',
      {
        cause,
      },
    )
  }
}
