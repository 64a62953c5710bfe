import type { ToolApprovalStatus, ToolSet, UIMessage } from 'ai'
import { describeThrown } from '../../errors.ts'
import type { ToolCallContext, ToolCall, ToolPluginOptions } from './options.ts'

/** What the rules say about a call, before any person does. */
export type RuleDecision =
  /** No rule speaks against running it; `isApproved` when one speaks for it. */
  | { type: 'run'; isApproved?: boolean; reason?: string | undefined }
  /** A person must say yes; `isFailedCheck` when a check threw. */
  | { type: 'ask'; reason?: string | undefined; isFailedCheck?: boolean }
  | { type: 'deny'; reason?: string | undefined }

/**
 * Decides a call by rules: deny is stronger than ask, ask than allow. A check that throws never
 * runs the tool: the person is asked, and told what went wrong.
 */
export async function decideByRules<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  call: ToolCall,
  options: ToolPluginOptions<TOOLS, MESSAGE>,
  context: ToolCallContext<MESSAGE>,
): Promise<RuleDecision> {
  const approval = await decideByApproval(call, options, context)
  if (approval.type === 'deny' || !options.shouldPauseToolCall) return approval
  try {
    const isPaused = await options.shouldPauseToolCall(call, context)
    return isPaused && approval.type === 'run' ? { type: 'ask' } : approval
  } catch (error) {
    return approval.type === 'ask' ? approval : failedCheck(error)
  }
}

/** What `toolApproval`, or the deprecated `needsApproval` of a tool, says about a call. */
export async function decideByApproval<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  call: ToolCall,
  options: ToolPluginOptions<TOOLS, MESSAGE>,
  context: ToolCallContext<MESSAGE>,
): Promise<RuleDecision> {
  try {
    return toDecision(await approvalStatus(call, options, context))
  } catch (error) {
    return failedCheck(error)
  }
}

async function approvalStatus<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  { toolName, toolCallId, input }: ToolCall,
  options: ToolPluginOptions<TOOLS, MESSAGE>,
  { getState }: ToolCallContext<MESSAGE>,
): Promise<ToolApprovalStatus> {
  const { tools, toolApproval, toModelMessages, runtimeContext, toolsContext = {} } = options
  const tool = tools && Object.hasOwn(tools, toolName) ? tools[toolName] : undefined
  const messages = async () => (await toModelMessages?.(getState().messages)) ?? []
  const toolContext = Object.hasOwn(toolsContext, toolName) ? toolsContext[toolName] : undefined
  if (typeof toolApproval === 'function') {
    // The AI SDK infers contexts per tool set; here they are what the plugin was given.
    const ask = toolApproval as (
      call: object,
    ) => ToolApprovalStatus | PromiseLike<ToolApprovalStatus>
    const toolCall = { type: 'tool-call', toolCallId, toolName, input, dynamic: tool === undefined }
    return ask({ toolCall, tools, toolsContext, runtimeContext, messages: await messages() })
  }
  const configured: unknown =
    toolApproval && Object.hasOwn(toolApproval, toolName) ? toolApproval[toolName] : undefined
  if (typeof configured === 'function') {
    const details = { toolCallId, messages: await messages(), toolContext, runtimeContext }
    return configured(input, details) as ToolApprovalStatus | PromiseLike<ToolApprovalStatus>
  }
  if (configured !== undefined) return configured as ToolApprovalStatus
  const { needsApproval } = tool ?? {}
  if (typeof needsApproval !== 'function') return needsApproval ? 'user-approval' : undefined
  const details = { toolCallId, messages: await messages(), context: toolContext }
  return (await needsApproval(input, details as Parameters<typeof needsApproval>[1]))
    ? 'user-approval'
    : undefined
}

function toDecision(status: ToolApprovalStatus): RuleDecision {
  const { type, reason } =
    typeof status === 'object' ? status : { type: status ?? 'not-applicable', reason: undefined }
  switch (type) {
    case 'denied':
      return { type: 'deny', reason }
    case 'user-approval':
      return { type: 'ask', reason }
    case 'approved':
      return { type: 'run', isApproved: true, reason }
    case 'not-applicable':
      return { type: 'run' }
    default:
      return failedCheck(new TypeError(`toolApproval answered ${JSON.stringify(status)}`))
  }
}

function failedCheck(error: unknown): RuleDecision {
  const reason = `The check of this call failed: ${describeThrown(error)}`
  return { type: 'ask', reason, isFailedCheck: true }
}
