import type { ToolSet } from 'ai'
import { sentJson } from './sent-json.ts'
import type { CheckedApproval } from './check-approvals.ts'
import { runOnce, type RunsOnce } from './run-once.ts'
import { HeldCall, type StepGate } from './step-gate.ts'
import { watchRun, wrapExecute, type ToolRun } from './wrap-execute.ts'

/** What stands between a call and its run. */
export interface RunGuards {
  readonly gate: StepGate
  readonly runs: RunsOnce
  /** The calls that this request approves, by their ids. */
  readonly approvals: ReadonlyMap<string, CheckedApproval>
  /** Approved calls that do not run after all, by their ids, and why. */
  readonly lapsed: ReadonlyMap<string, string>
  readonly onStart: (run: ToolRun) => void
  readonly onEnd: (run: ToolRun, end: { output: unknown } | { error: unknown }) => void
}

/** The tools that run here, each of their runs guarded. */
export function guardRuns(tools: ToolSet, guards: RunGuards): ToolSet {
  const { gate, runs, approvals, lapsed, onStart, onEnd } = guards
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
    const why = lapsed.get(run.toolCallId)
    if (why !== undefined) throw new Error(why)
    return runOnce(approval, () => start(run, execute), runs)
  })
}

/** A history can hold several calls of one id; only the one that was approved is. */
export function isFor(
  approval: CheckedApproval,
  { toolName, input }: Pick<ToolRun, 'toolName' | 'input'>,
): boolean {
  return approval.toolName === toolName && sentJson(approval.input) === sentJson(input)
}
