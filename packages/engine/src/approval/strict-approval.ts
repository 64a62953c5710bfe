import type { ModelMessage, ToolApprovalConfiguration, ToolApprovalStatus, ToolSet } from 'ai'
import { isDevelopment } from '../development.ts'
import type { EngineError } from '../errors.ts'
import { ownOf } from '../message/own-of.ts'
import { createReporter } from '../report.ts'
import {
  evaluateApproval,
  type ApprovalCall,
  type ApprovalVerdict,
  type DefaultApproval,
} from './evaluate-approval.ts'
import { misnamedTools } from './misnamed-tools.ts'

/** Options of {@link strictApproval}. */
export interface StrictApprovalOptions {
  /** What becomes of a call about which no rule says anything. Default `'user-approval'`. */
  readonly defaultApproval?: DefaultApproval
  /** Names of tools that are not always there: the rules may name these, too. */
  readonly knownTools?: readonly string[]
  /** Milliseconds that a rule may take; after that a person is asked. Default 10,000. */
  readonly checkTimeoutMs?: number
  /**
   * Told of every rule that throws, and once each of verdicts that nobody knows and rules that name no
   * tool. Default: the console.
   */
  readonly onError?: (error: EngineError) => void
}

/** One function for all tools, as the AI SDK's `toolApproval` takes it. */
export type StrictApproval = (question: {
  readonly toolCall: ApprovalCall
  readonly tools: ToolSet | undefined
  readonly toolsContext: Readonly<Record<string, unknown>>
  readonly runtimeContext: unknown
  readonly messages: ModelMessage[]
}) => Promise<ToolApprovalStatus>

/**
 * The AI SDK's `toolApproval` for a route of one's own, decided as Assent decides: a call about which no
 * rule says anything asks, and so does a verdict that nobody knows, a rule that throws or takes too
 * long. Rejects with `provider_cannot_wait` when a rule would stop a tool that the provider runs itself,
 * and in development with `unknown_tool` for rules that name no tool.
 *
 * @param toolApproval rules as the AI SDK takes them: a function for all tools, or a status or function
 * per tool
 */
export function strictApproval<TOOLS extends ToolSet = ToolSet, RUNTIME_CONTEXT = unknown>(
  toolApproval?: ToolApprovalConfiguration<NoInfer<TOOLS>, RUNTIME_CONTEXT>,
  options: StrictApprovalOptions = {},
): StrictApproval {
  const { defaultApproval, knownTools, checkTimeoutMs: timeoutMs } = options
  const { report } = createReporter(options)
  return async ({ toolCall, tools, toolsContext, runtimeContext, messages }) => {
    const misnamed = misnamedTools({ toolApproval, tools, knownTools })
    if (misnamed && isDevelopment) throw misnamed
    const { toolName, toolCallId, input, providerExecuted } = toolCall
    const verdict = await evaluateApproval(
      { toolName, toolCallId, input, providerExecuted, toolCall },
      {
        toolApproval,
        tools,
        toolsContext,
        runtimeContext,
        messages: () => messages,
        defaultApproval,
        // The page runs it, and asks.
        isElsewhere: ownOf(tools, toolName)?.execute === undefined,
        misnamed,
        timeoutMs,
        report,
        owner: options,
      },
    )
    if (verdict.failure?.code === 'rule_failed') report(verdict.failure)
    return toApprovalStatus(verdict)
  }
}

/** A verdict as the AI SDK takes it. What a rule threw stays on the server. */
export function toApprovalStatus({
  type,
  by,
  reason: said,
  failure,
}: ApprovalVerdict): ToolApprovalStatus {
  const reason = failure ? 'The check of this call failed.' : said
  if (type === 'run' && by !== 'rule') return 'not-applicable'
  const status = ({ run: 'approved', ask: 'user-approval', deny: 'denied' } as const)[type]
  return reason === undefined ? status : { type: status, reason }
}
