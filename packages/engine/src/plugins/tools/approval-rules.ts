import type { ToolSet, UIMessage } from 'ai'
import type { ApprovalRules } from '../../approval/evaluate-approval.ts'
import { misnamedTools } from '../../approval/misnamed-tools.ts'
import { hasNoExecutor, optionsOf, type ToolPluginOptions } from './options.ts'

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
