import type { ToolApprovalConfiguration, ToolApprovalStatus, ToolSet } from 'ai'

/** The form of the rules in which one function is asked about every call. */
export type AskRules<RUNTIME> = Extract<
  ToolApprovalConfiguration<ToolSet, RUNTIME>,
  (...options: never) => unknown
>

/** What the rules say about a call. */
export interface ApprovalDecision {
  readonly type: 'not-applicable' | 'approved' | 'denied' | 'user-approval'
  readonly reason?: string
  /** The check threw: only a person can decide. */
  readonly error?: unknown
}

/**
 * What an app's rules, or the deprecated `needsApproval` of a tool, say about a call. A check that
 * throws never runs the tool: a person is asked.
 */
export async function decideByRules<RUNTIME>(
  toolApproval: ToolApprovalConfiguration<ToolSet, RUNTIME> | undefined,
  options: Parameters<AskRules<RUNTIME>>[0],
): Promise<ApprovalDecision> {
  try {
    const status = await askRules(toolApproval, options)
    if (status === undefined) return { type: 'not-applicable' }
    return typeof status === 'string' ? { type: status } : status
  } catch (error) {
    return { type: 'user-approval', reason: 'The check of this call failed.', error }
  }
}

async function askRules<RUNTIME>(
  toolApproval: ToolApprovalConfiguration<ToolSet, RUNTIME> | undefined,
  options: Parameters<AskRules<RUNTIME>>[0],
): Promise<ToolApprovalStatus> {
  if (typeof toolApproval === 'function') return toolApproval(options)
  const { toolCall, tools = {}, toolsContext, runtimeContext, messages } = options
  const { toolName, toolCallId, input } = toolCall
  // Names come from the model: one that objects inherit is no tool and no rule.
  const tool = Object.hasOwn(tools, toolName) ? tools[toolName] : undefined
  const toolContext: unknown = Object.entries(toolsContext).find(([name]) => name === toolName)?.[1]
  const rule =
    toolApproval && Object.hasOwn(toolApproval, toolName) ? toolApproval[toolName] : undefined
  if (typeof rule === 'function') {
    // The AI SDK infers the context of each tool; here it is what the handler was given.
    const details = { toolCallId, messages, toolContext, runtimeContext }
    return rule(input, details as Parameters<typeof rule>[1])
  }
  if (rule !== undefined) return rule
  const needed = tool?.needsApproval
  const isNeeded =
    typeof needed === 'function'
      ? await needed(input, { toolCallId, messages, context: toolContext })
      : needed
  return isNeeded ? 'user-approval' : undefined
}
