import type { ToolSet, UIMessage } from 'ai'
import {
  evaluateApproval,
  type ApprovalRules,
  type ApprovalVerdict,
} from '../../approval/evaluate-approval.ts'
import { misnamedTools } from '../../approval/misnamed-tools.ts'
import { refOf } from '../../message/tool-calls.ts'
import { assentMetadata, type ToolCallPart } from '../../message/tool-part.ts'
import { withinDeadline } from './deadline.ts'
import { modelMessages } from './execute.ts'
import {
  hasNoExecutor,
  optionsOf,
  type ToolCall,
  type ToolCallContext,
  type ToolPluginOptions,
} from './options.ts'
import { redactErrorText } from './call-result.ts'
import { whyTooOften } from './repeats.ts'

/** The options of `toolPlugin` that rules are made of. */
export type RuleOptions<TOOLS extends ToolSet, MESSAGE extends UIMessage> = Pick<
  ToolPluginOptions<TOOLS, MESSAGE>,
  | 'tools'
  | 'callTool'
  | 'knownTools'
  | 'toolApproval'
  | 'toolOptions'
  | 'defaultApproval'
  | 'toolsContext'
  | 'runtimeContext'
>

/** What the options say about the calls of a tool. */
export function rulesFor<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  options: RuleOptions<TOOLS, MESSAGE>,
  toolName: string,
): ApprovalRules {
  const { tools, toolApproval, toolsContext, runtimeContext, defaultApproval } = options
  return {
    tools,
    toolApproval,
    toolsContext,
    runtimeContext,
    defaultApproval,
    risk: optionsOf(options, toolName).risk,
    misnamed: misnamedTools(options),
    // Nothing runs: a person or the app answers.
    isElsewhere: hasNoExecutor(options, toolName),
  }
}

/** What is to become of a call. */
export interface CallDecision {
  readonly type: ApprovalVerdict['type']
  /** What it rests on; `confirmation` is the yes of a person or policy. */
  readonly by: ApprovalVerdict['by'] | 'confirmation' | 'repeats'
  readonly reason?: string | undefined
  /** A rule failed: only a person can decide. */
  readonly isFailed?: true
}

/**
 * Asks the rules about a call. Once a person or policy has said yes they can only deny it. Rules that
 * take too long have failed: a person is asked.
 *
 * @param call with an input that nobody is given
 * @param copyInput makes one, or a promise of one, for one rule alone
 */
export async function decideByRules<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  call: ToolCall,
  copyInput: () => unknown,
  options: ToolPluginOptions<TOOLS, MESSAGE>,
  context: ToolCallContext<MESSAGE>,
  part: ToolCallPart,
): Promise<CallDecision> {
  const { toolName, toolCallId, input } = call
  const { shouldPauseToolCall } = options
  const isConfirmed = isConfirmedPart(part)
  const { type, by, reason, failure } = await evaluateApproval(
    { toolName, toolCallId, input },
    {
      ...rulesFor(options, toolName),
      isDecided: isConfirmed,
      messages: () => modelMessages(options, context),
      copyInput,
      within: (ask) =>
        withinDeadline({ options, context }, { type: 'rule', toolName, ...refOf(call) }, ask),
      report: context.reportError,
      owner: options,
      ...(shouldPauseToolCall &&
        !isConfirmed && {
          shouldPause: (own) => shouldPauseToolCall({ ...call, input: own }, context),
        }),
    },
  )
  if (isConfirmed && type !== 'deny') {
    // What a rule said that nobody knows a person has answered; what it could not say nobody has.
    const isAnswered =
      failure?.code === 'unknown_verdict' && assentMetadata(part).decidedBy === 'person'
    if (!failure || isAnswered) return { type: 'run', by: 'confirmation' }
  }
  if (!failure) {
    const tooOften =
      type === 'deny' || hasNoExecutor(options, toolName) ? undefined : whyTooOften(options, part)
    return tooOften ? { type: 'ask', by: 'repeats', reason: tooOften } : { type, by, reason }
  }
  const text = redactErrorText({ options, context }, toolName, reason ?? failure.message)
  return { type, by, reason: text, isFailed: true }
}

/** Whether a person or policy said yes: no rule, and nobody else. */
export function isConfirmedPart(part: ToolCallPart): boolean {
  return part.state === 'approval-responded' && assentMetadata(part).decidedBy !== 'rule'
}
