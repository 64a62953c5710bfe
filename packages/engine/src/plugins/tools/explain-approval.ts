import type { ModelMessage, ToolSet, UIMessage } from 'ai'
import {
  evaluateApproval,
  toolRiskOf,
  type ApprovalCall,
  type ApprovalRules,
  type ApprovalSource,
  type ApprovalVerdict,
} from '../../approval/evaluate-approval.ts'
import { exactOnlyByOptions, riskByOptions } from '../../approval/call-guards.ts'
import { misnamedTools } from '../../approval/misnamed-tools.ts'
import type { ConfirmationRecord } from '../../confirmation.ts'
import { describeThrown, EngineError } from '../../errors.ts'
import { isRecord, isToolRisk } from '../../message/tool-part.ts'
import { rulesFor, type RuleOptions } from './decide.ts'
import { fingerprintOf } from './fingerprint.ts'
import { loadToolSchemas, readInput } from './input-schema.ts'
import { optionsOf, toolOf, type ToolCallContext, type ToolPluginOptions } from './options.ts'
import { deriveApprovalPolicies, findPolicy, type ToolApprovalPolicy } from './policies.ts'
import { copyOfInput } from './read-call.ts'
import { repeatLimitsOf } from './repeats.ts'

/** A call, and what decides about it: the options that `toolPlugin` or a chat handler is given. */
export interface ExplainApprovalOptions<
  TOOLS extends ToolSet = ToolSet,
  MESSAGE extends UIMessage = UIMessage,
>
  extends
    RuleOptions<TOOLS, MESSAGE>,
    Pick<
      ToolPluginOptions<TOOLS, MESSAGE>,
      'shouldPauseToolCall' | 'checkTimeoutMs' | 'repeatLimits'
    > {
  readonly toolName: string
  /** As the model gives it. */
  readonly input: unknown
  /** Default `'call'`. */
  readonly toolCallId?: string
  /** The so-manieth call of its turn with this input: `repeatLimits` may ask, or stop. Default 1. */
  readonly repeats?: number
  /** What rules are given as the conversation so far. */
  readonly messages?: ModelMessage[]
  /** The decisions so far: a `yes_always` among them may let the call run. */
  readonly confirmations?: readonly ConfirmationRecord[]
  /** Leaves out the permissions of other conversations that are not for everywhere. */
  readonly conversationId?: string
  /** Milliseconds since the epoch, for permissions that end. Default: now. */
  readonly now?: number
  /** What `shouldPauseToolCall` is given, where there is one. */
  readonly context?: ToolCallContext<MESSAGE>
}

/** What would become of a call, and why. */
export interface ApprovalExplanation {
  readonly type: ApprovalVerdict['type']
  /**
   * What it rests on: `policy` is a standing permission, `input` that the tool does not take the input,
   * `repeats` that the same call came too often.
   */
  readonly by: ApprovalSource | 'policy' | 'input' | 'repeats'
  /** The option that says so, as `toolApproval.send`; of a permission its id. */
  readonly rule: string
  /** One sentence: the rule, what it says, and its reason. */
  readonly why: string
  /** The standing permission that lets it run. */
  readonly policy?: ToolApprovalPolicy
}

/**
 * Says whether a call would run, ask a person or be denied, by which rule or permission, and why, as
 * page, server and worker decide it: for tests and CI. Nothing runs, and nothing is reported; rules
 * are asked. Rejects for rules that are mistakes: `unknown_tool`, `provider_cannot_wait`.
 */
export async function explainApproval<
  TOOLS extends ToolSet = ToolSet,
  MESSAGE extends UIMessage = UIMessage,
>(options: ExplainApprovalOptions<TOOLS, MESSAGE>): Promise<ApprovalExplanation> {
  const { toolName, toolCallId = 'call', input: source, shouldPauseToolCall, context } = options
  const misnamed = misnamedTools(options)
  if (misnamed) throw misnamed
  if (shouldPauseToolCall && !context) {
    const text = 'Give `context`, which shouldPauseToolCall is called with.'
    throw new EngineError('invalid_argument', text)
  }
  const tool = toolOf(options, toolName)
  let input: unknown
  try {
    input = await readInput(tool, copyOfInput(source))
  } catch (error) {
    const why = `The tool does not take this input: ${describeThrown(error)}`
    return { type: 'deny', by: 'input', rule: `tools.${toolName}.inputSchema`, why }
  }
  const isByProvider = tool?.type === 'provider' && tool.isProviderExecuted
  const call: ApprovalCall = { toolName, toolCallId, input, providerExecuted: isByProvider }
  const rules: ApprovalRules = {
    ...rulesFor(options, toolName),
    messages: () => options.messages ?? [],
    timeoutMs: options.checkTimeoutMs,
    ...(shouldPauseToolCall &&
      context && {
        shouldPause: (own) => {
          const ref = { messageId: '', step: 1, toolCallId }
          return shouldPauseToolCall({ ...ref, toolName, input: own }, context)
        },
      }),
  }
  const { repeats = 1 } = options
  const limits = repeatLimitsOf(options, toolName)
  const rule = 'repeatLimits'
  const often = `This exact call was made ${repeats} times in its turn.`
  if (repeats >= limits.stop) return { type: 'deny', by: 'repeats', rule, why: often }
  const verdict = await evaluateApproval(call, rules)
  if (verdict.type !== 'deny' && repeats >= limits.ask) {
    return { type: 'ask', by: 'repeats', rule, why: `A person is asked: ${often}` }
  }
  const policy =
    verdict.type === 'ask' && !verdict.failure
      ? await policyFor(call, source, rules, options)
      : undefined
  const said = explain(call, verdict, rules)
  if (!policy) return said
  const why = `The standing permission ${policy.id} lets it run. Without it: ${said.why}`
  return { type: 'run', by: 'policy', rule: policy.id, why, policy }
}

/** The standing permission that covers a call. */
async function policyFor<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  call: ApprovalCall,
  input: unknown,
  rules: ApprovalRules,
  options: ExplainApprovalOptions<TOOLS, MESSAGE>,
): Promise<ToolApprovalPolicy | undefined> {
  const { confirmations = [], conversationId, now = Date.now() } = options
  const tools = await loadToolSchemas(options)
  const { toolName } = call
  const risk = toolRiskOf(call, rules)
  const own = optionsOf(options, toolName)
  return findPolicy(deriveApprovalPolicies(confirmations, { now, conversationId, tools }), {
    toolName,
    input,
    fingerprint: fingerprintOf(toolName, input),
    risk:
      typeof own.risk === 'function'
        ? riskByOptions(own, copyOfInput(input))
        : isToolRisk(risk)
          ? risk
          : undefined,
    exactOnly: exactOnlyByOptions(own, copyOfInput(input)),
  })
}

const SAYS = { run: 'lets it run', ask: 'asks a person', deny: 'denies it' } as const

function explain(
  { toolName }: ApprovalCall,
  { type, by, reason, failure }: ApprovalVerdict,
  { toolApproval, defaultApproval = 'user-approval', risk }: ApprovalRules,
): ApprovalExplanation {
  const rule = {
    rule: isRecord(toolApproval) ? `toolApproval.${toolName}` : 'toolApproval',
    tool: `tools.${toolName}.needsApproval`,
    pause: 'shouldPauseToolCall',
    risk: risk === undefined ? `tools.${toolName}.metadata.risk` : `toolOptions.${toolName}.risk`,
    default: 'defaultApproval',
    elsewhere: `tools.${toolName}`,
  }[by]
  if (failure) return { type, by, rule, why: `A person is asked: ${failure.message}` }
  if (by === 'elsewhere')
    return { type, by, rule, why: 'It is not executed here, so nothing asks.' }
  const who =
    by === 'default'
      ? `No rule says anything, and defaultApproval (${String(defaultApproval)})`
      : rule
  return { type, by, rule, why: `${who} ${SAYS[type]}${reason ? `: ${reason}` : '.'}` }
}
