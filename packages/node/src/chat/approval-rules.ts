import {
  evaluateApproval,
  toApprovalStatus,
  type ApprovalVerdict,
  type DefaultApproval,
  type EngineError,
} from '@assent/engine'
import type { ProviderMetadata, ToolApprovalConfiguration, ToolSet } from 'ai'
import type { ApprovalLedger } from './approval-ledger.ts'
import type { ChatContext } from './chat-options.ts'
import { fingerprintOf, type CheckedApproval } from './check-approvals.ts'
import type { CallWords } from './describe-requests.ts'
import { isFor } from './guard-runs.ts'
import { WAITED_TOO_LONG } from './run-once.ts'
import type { StepGate } from './step-gate.ts'
import type { UntoldRuns } from './untold-runs.ts'

/** The app's rules, and what they are about. */
export interface RulesSetup<USER> {
  /** The tools of the server. */
  readonly tools: ToolSet
  readonly toolApproval: ToolApprovalConfiguration<ToolSet, ChatContext<USER>> | undefined
  readonly defaultApproval: DefaultApproval | undefined
  /** The rules name tools that are not there. */
  readonly misnamed: EngineError | undefined
  readonly checkTimeoutMs: number | undefined
  /** Mistakes in the rules are reported once for it. */
  readonly rulesOwner: object
  readonly ledger: ApprovalLedger
  /** The calls that the request approves, by their ids. */
  readonly approvals: ReadonlyMap<string, CheckedApproval>
  /** What the app says of a tool, by an untrusted name. */
  readonly optionsOf: (toolName: string) => CallWords
  readonly context: ChatContext<USER>
  readonly onError: (error: unknown) => void
}

/** One function that is asked about every call. */
type AskRules = Extract<ToolApprovalConfiguration<ToolSet, unknown>, (...options: never) => unknown>

/** What the rules are told for the runs of an answer. */
export interface RulesNotes {
  readonly gate: StepGate
  readonly lapsed: Map<string, string>
  /** The calls of the model's answer that the rules were asked about, by their fingerprints. */
  readonly judged: Set<string>
  readonly metadata: Map<string, ProviderMetadata>
}

/** The app's rules, and what they mean for the gate. */
export function approvalRules<USER>(
  setup: RulesSetup<USER> & { readonly untold: UntoldRuns | undefined },
  { gate, lapsed, judged, metadata }: RulesNotes,
): AskRules {
  const { tools, toolApproval, approvals, ledger, untold, context, onError } = setup
  return async ({ toolCall, messages, ...given }) => {
    const { toolCallId, toolName, input, providerExecuted, providerMetadata } = toolCall
    if (providerMetadata) metadata.set(toolCallId, providerMetadata)
    else metadata.delete(toolCallId)
    const approval = gate.isInStep ? undefined : approvals.get(toolCallId)
    // Rules are about calls that have not run: this one is only told again.
    const isKnown = async ({ key, isOfStore }: CheckedApproval) =>
      !isOfStore || (await ledger.look(key)) !== undefined
    if (approval && isFor(approval, toolCall) && (await isKnown(approval))) return 'user-approval'
    if (gate.isInStep) judged.add(fingerprintOf({ toolCallId, toolName, input }))
    // Names come from the model: one that objects inherit is no tool.
    const tool = Object.hasOwn(tools, toolName) ? tools[toolName] : undefined
    const isHere = providerExecuted === true || tool?.execute !== undefined
    const verdict = await evaluateApproval(
      { toolName, toolCallId, input, providerExecuted, toolCall },
      {
        ...given,
        toolApproval,
        isDecided: approval !== undefined,
        messages: () => messages,
        runtimeContext: context,
        // Where it runs, it is asked about.
        isElsewhere: !isHere,
        defaultApproval: setup.defaultApproval,
        risk: setup.optionsOf(toolName).risk,
        misnamed: setup.misnamed,
        timeoutMs: setup.checkTimeoutMs,
        report: onError,
        owner: setup.rulesOwner,
      },
    )
    const { type, failure } = verdict
    if (failure?.code === 'rule_failed') onError(failure.cause ?? failure)
    if (!gate.isInStep) {
      const why = type === 'ask' && whyLapsed(verdict, approval)
      if (why) lapsed.set(toolCallId, why)
      return toApprovalStatus(verdict)
    }
    if (type === 'deny') return toApprovalStatus(verdict)
    // It was run in an answer that was lost: whether it is to be run once more is for a person to say.
    const isAgain = isHere && !untold?.outcomeOf(toolCall) && untold?.isRepeat(toolCall)
    if (type === 'ask' || !isHere || isAgain) gate.wait()
    if (isAgain) return 'user-approval'
    return isHere ? toApprovalStatus(verdict) : 'not-applicable'
  }
}

/** Why a call that was approved does not run after all, when its rules would ask by now. */
function whyLapsed(
  { failure }: ApprovalVerdict,
  approval: CheckedApproval | undefined,
): string | undefined {
  if (failure?.code === 'rule_failed') return 'The check of the call failed; it did not run.'
  return approval?.origin === 'rule' ? WAITED_TOO_LONG : undefined
}
