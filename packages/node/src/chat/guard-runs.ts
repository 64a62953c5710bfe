import type { ProviderMetadata, ToolSet } from 'ai'
import { fingerprintOf, type CheckedApproval } from './check-approvals.ts'
import type { OutputMask } from './mask-outputs.ts'
import { outputOf, runOnce, runUnasked, type RunsOnce } from './run-once.ts'
import { HeldCall, type StepGate } from './step-gate.ts'
import { sentJson } from './sent-json.ts'
import type { UntoldRuns } from './untold-runs.ts'
import { watchRun, wrapExecute, type ToolRun } from './wrap-execute.ts'

/** What stands between a call and its run. */
export interface RunGuards {
  readonly gate: StepGate
  readonly runs: RunsOnce
  /** The calls that this request approves, by their ids. */
  readonly approvals: ReadonlyMap<string, CheckedApproval>
  /** Approved calls that do not run after all, by their ids, and why. */
  readonly lapsed: ReadonlyMap<string, string>
  /** The calls of this answer that the rules were asked about, by their fingerprints. */
  readonly judged: ReadonlySet<string>
  /** What is noted of calls that nobody is asked about; `undefined` where nothing is. */
  readonly untold: UntoldRuns | undefined
  /** What providers have said beside the calls of this step, by their ids. */
  readonly metadata: ReadonlyMap<string, ProviderMetadata>
  /** Whether a tool changes nothing, so that its calls may run any number of times. */
  readonly isRead: (toolName: string) => boolean
  /** What stands between a run and whoever is told of it. */
  readonly mask: OutputMask
  readonly onStart: (run: ToolRun) => void
  readonly onEnd: (run: ToolRun, end: { output: unknown } | { error: unknown }) => void
}

/** The tools that run here, each of their runs guarded. */
export function guardRuns(tools: ToolSet, guards: RunGuards): ToolSet {
  const { gate, runs, approvals, lapsed, judged, untold, metadata, isRead, mask, onStart, onEnd } =
    guards
  const start = (run: ToolRun, execute: () => unknown) => {
    onStart(run)
    return mask.run(run.toolName, () => watchRun(execute, (end) => onEnd(run, end)))
  }
  const around = (run: ToolRun, execute: () => unknown) => {
    const former = gate.isInStep && untold?.outcomeOf(run)
    if (former) return outputOf(former)
    if (gate.isHolding) throw new HeldCall()
    if (gate.isInStep) {
      if (!judged.has(fingerprintOf(run))) throw new Error(CHANGED)
      if (!untold || isRead(run.toolName)) return start(run, execute)
      const noted = untold.note(run, gate.step, metadata.get(run.toolCallId))
      return runUnasked(noted, () => start(run, execute), runs)
    }
    const approval = approvals.get(run.toolCallId)
    if (!approval || !isFor(approval, run)) {
      throw new Error('The call was not approved; it did not run.')
    }
    const why = lapsed.get(run.toolCallId)
    if (why !== undefined) throw new Error(why)
    return runOnce(approval, () => start(run, execute), runs)
  }
  return wrapExecute(tools, around, (signal) => unlessLeft(signal, runs))
}

const CHANGED = 'The call was changed after its rules were asked; it did not run. Call it again.'

/** The signal of a run: what has begun goes on to its end when its page has left the answer. */
function unlessLeft(
  signal: AbortSignal,
  { stopped, asked }: Pick<RunsOnce, 'stopped' | 'asked'>,
): AbortSignal {
  const run = new AbortController()
  const pass = () => {
    if (!stopped.aborted || asked.aborted) run.abort(signal.reason)
  }
  signal.addEventListener('abort', pass, { once: true })
  if (signal.aborted) pass()
  return run.signal
}

/** A history can hold several calls of one id; only the one that was approved is. */
export function isFor(
  approval: CheckedApproval,
  { toolName, input }: Pick<ToolRun, 'toolName' | 'input'>,
): boolean {
  return approval.toolName === toolName && sentJson(approval.input) === sentJson(input)
}
