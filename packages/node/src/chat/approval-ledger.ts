/** How the run of an approved call ended. */
export type RunOutcome =
  | { readonly status: 'done'; readonly output: unknown }
  | { readonly status: 'failed'; readonly errorText: string }

/** What is known of the run of an approved call before it is begun. */
export type EarlierRun =
  | RunOutcome
  /** It was never begun. The ledger has noted that it begins now. */
  | { readonly status: 'new' }
  /** It was begun here and goes on; this resolves with its end. */
  | { readonly status: 'running'; readonly ended: Promise<RunOutcome> }
  /** It was begun by a process that is gone, or by another one: its end is not known here. */
  | { readonly status: 'unknown' }

/**
 * What became of approvals.
 *
 * A signed approval can be posted again, by a retry after a cut connection or by somebody who kept
 * it; the signature fits each time. The outcome is given again, but the tool runs once, and what was
 * decided once stays decided.
 */
export interface ApprovalLedger {
  /** Notes a decision, and says which one stands: this, or the one that came before. */
  decide(approvalId: string, approved: boolean): boolean
  /** What is known of the run of an approved call; it is noted as begun when nothing is. */
  begin(approvalId: string): EarlierRun
  /** Notes how a run that was begun has ended. */
  end(approvalId: string, outcome: RunOutcome): void
}

/** Runs that go on in this process. */
export interface RunsUnderWay {
  add(approvalId: string): void
  get(approvalId: string): Promise<RunOutcome> | undefined
  end(approvalId: string, outcome: RunOutcome): void
}

export function createRunsUnderWay(): RunsUnderWay {
  const runs = new Map<string, PromiseWithResolvers<RunOutcome>>()
  return {
    add: (approvalId) => void runs.set(approvalId, Promise.withResolvers()),
    get: (approvalId) => runs.get(approvalId)?.promise,
    end(approvalId, outcome) {
      runs.get(approvalId)?.resolve(outcome)
      runs.delete(approvalId)
    },
  }
}

/**
 * A ledger in memory: a restart forgets it, and then only the expiry of approvals bounds how long one
 * can be used again.
 *
 * @param limit how many approvals are remembered; the oldest are forgotten first
 */
export function memoryLedger(limit = 10_000): ApprovalLedger {
  const entries = new Map<string, { approved: boolean; outcome?: RunOutcome }>()
  const underWay = createRunsUnderWay()
  return {
    decide(approvalId, approved) {
      const entry = entries.get(approvalId)
      if (entry) return entry.approved
      entries.set(approvalId, { approved })
      const oldest = entries.size > limit ? entries.keys().next().value : undefined
      if (oldest !== undefined) entries.delete(oldest)
      return approved
    },
    begin(approvalId) {
      const ended = underWay.get(approvalId)
      if (ended) return { status: 'running', ended }
      const outcome = entries.get(approvalId)?.outcome
      if (outcome) return outcome
      underWay.add(approvalId)
      return { status: 'new' }
    },
    end(approvalId, outcome) {
      entries.set(approvalId, { approved: true, outcome })
      underWay.end(approvalId, outcome)
    },
  }
}
