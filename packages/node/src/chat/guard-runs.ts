import type { ToolSet } from 'ai'
import type { ApprovalLedger, RunOutcome } from './approval-ledger.ts'
import { canonicalJson } from './canonical-json.ts'
import type { CheckedApproval } from './check-approvals.ts'
import { HeldCall, type StepGate } from './step-gate.ts'
import { watchRun, wrapExecute, type ToolRun } from './wrap-execute.ts'

/** Why a call does not run that the rules approved, and that was held for long since. */
export const WAITED_TOO_LONG =
  'The call waited too long for the rest of its step; it did not run. Call it again.'

/** What stands between a call and its run. */
export interface RunGuards {
  readonly gate: StepGate
  readonly ledger: ApprovalLedger
  /** The calls that this request approves, by their ids. */
  readonly approvals: ReadonlyMap<string, CheckedApproval>
  /** Approved calls that do not run after all, by their ids, and why. */
  readonly lapsed: ReadonlyMap<string, string>
  readonly onStart: (run: ToolRun) => void
  readonly onEnd: (run: ToolRun, end: { output: unknown } | { error: unknown }) => void
  readonly onError: (error: unknown) => void
}

/** The tools that run here, each of their runs guarded. */
export function guardRuns(tools: ToolSet, guards: RunGuards): ToolSet {
  const { gate, ledger, approvals, lapsed, onStart, onEnd, onError } = guards
  const start = (run: ToolRun, execute: () => unknown) => {
    onStart(run)
    return watchRun(execute, (end) => onEnd(run, end))
  }
  return wrapExecute(tools, (run, execute) => {
    if (gate.isHolding) throw new HeldCall()
    if (gate.isInStep) return start(run, execute)
    const approval = approvals.get(run.toolCallId)
    if (!approval || !isFor(approval, run)) {
      throw new Error('The call was not approved; it did not run.')
    }
    const why = lapsed.get(run.toolCallId) ?? (approval.isTooOld ? WAITED_TOO_LONG : undefined)
    if (why !== undefined) throw new Error(why)
    return runOnce(ledger, approval.approvalId, () => start(run, execute), onError)
  })
}

/** A history can hold several calls of one id; only the one that was approved is. */
function isFor(approval: CheckedApproval, { toolName, input }: ToolRun): boolean {
  return approval.toolName === toolName && canonicalJson(approval.input) === canonicalJson(input)
}

/** Runs a call that was approved, or gives what its run came to before. */
function runOnce(
  ledger: ApprovalLedger,
  approvalId: string,
  execute: () => unknown,
  onError: (error: unknown) => void,
): unknown {
  const earlier = ledger.begin(approvalId)
  switch (earlier.status) {
    case 'new':
      return watchRun(execute, (end) => {
        try {
          ledger.end(approvalId, outcomeOf(end))
        } catch (error) {
          // It has run: that it cannot be noted must not make it look as if it had not.
          onError(error)
        }
      })
    case 'running':
      return earlier.ended.then(resultOf)
    case 'unknown':
      throw new Error(
        'The call was begun before, and how it ended is not known: it may have taken effect. It was not run again.',
      )
    case 'done':
    case 'failed':
      return resultOf(earlier)
  }
}

function outcomeOf(end: { output: unknown } | { error: unknown }): RunOutcome {
  if ('output' in end) return { status: 'done', output: end.output }
  const { error } = end
  return { status: 'failed', errorText: error instanceof Error ? error.message : String(error) }
}

function resultOf(outcome: RunOutcome): unknown {
  if (outcome.status === 'done') return outcome.output
  throw new Error(outcome.errorText)
}
