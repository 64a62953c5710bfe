import type { ToolApprovalStatus, ToolSet, UIMessage } from 'ai'
import { describeThrown } from '../../errors.ts'
import { isRecord } from '../../message/tool-part.ts'
import { modelMessages } from './execute.ts'
import {
  ownOf,
  toolOf,
  type ToolCall,
  type ToolCallContext,
  type ToolPluginOptions,
} from './options.ts'
import { redactErrorText } from './redact-output.ts'

/** What the rules say about a call, in the words of the AI SDK. */
export interface RuleDecision {
  type: Extract<ToolApprovalStatus, string>
  reason?: string | undefined
  /** The check threw: only a person can decide. */
  isFailed?: true
}

const DECISIONS: readonly unknown[] = [
  'not-applicable',
  'approved',
  'user-approval',
  'denied',
] satisfies RuleDecision['type'][]

/**
 * Decides a call by rules: deny is stronger than ask, ask than allow. Once a person has confirmed
 * the call they can only deny it. A check that throws never runs the tool: the person is asked, and
 * told what went wrong.
 */
export async function decideByRules<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  call: ToolCall,
  options: ToolPluginOptions<TOOLS, MESSAGE>,
  context: ToolCallContext<MESSAGE>,
  isConfirmed: boolean,
): Promise<RuleDecision> {
  try {
    const decision = toDecision(await approvalStatus(call, options, context))
    if (decision.type === 'denied') return decision
    if (isConfirmed) return { type: 'not-applicable' }
    if (decision.type === 'user-approval') return decision
    const isPaused = await options.shouldPauseToolCall?.(call, context)
    return isPaused ? { type: 'user-approval' } : decision
  } catch (error) {
    const why = `The check of this call failed: ${describeThrown(error)}`
    const reason = redactErrorText({ options, context }, call.toolName, why)
    return { type: 'user-approval', reason, isFailed: true }
  }
}

/** What `toolApproval`, or the deprecated `needsApproval` of a tool, says about a call. */
async function approvalStatus<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  { toolName, toolCallId, input }: ToolCall,
  options: ToolPluginOptions<TOOLS, MESSAGE>,
  context: ToolCallContext<MESSAGE>,
): Promise<unknown> {
  const { tools, toolApproval, runtimeContext, toolsContext = {} } = options
  const tool = toolOf(options, toolName)
  const toolContext = ownOf(toolsContext, toolName)
  const messages = () => modelMessages(options, context)
  if (typeof toolApproval === 'function') {
    // The AI SDK infers contexts per tool set; here they are what the plugin was given.
    const ask = toolApproval as (call: object) => unknown
    const toolCall = { type: 'tool-call', toolCallId, toolName, input, dynamic: !tool }
    return ask({ toolCall, tools, toolsContext, runtimeContext, messages: await messages() })
  }
  const configured = ownOf<unknown>(toolApproval, toolName)
  if (typeof configured === 'function') {
    return configured(input, {
      toolCallId,
      messages: await messages(),
      toolContext,
      runtimeContext,
    })
  }
  const { needsApproval } = tool ?? {}
  if (configured !== undefined || !needsApproval) return configured
  if (needsApproval === true) return 'user-approval'
  const details = { toolCallId, messages: await messages(), context: toolContext }
  const isNeeded = await needsApproval(input, details as Parameters<typeof needsApproval>[1])
  return isNeeded ? 'user-approval' : undefined
}

/** Throws for an answer that is no status: the call must not run by mistake. */
function toDecision(status: unknown = 'not-applicable'): RuleDecision {
  const decision = isRecord(status) ? status : { type: status }
  if (isDecision(decision)) return decision
  throw new TypeError(`toolApproval answered ${JSON.stringify(status)}`)
}

function isDecision(value: { type?: unknown }): value is RuleDecision {
  return DECISIONS.includes(value.type)
}
