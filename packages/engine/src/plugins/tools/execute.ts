import type { ModelMessage, ToolSet, UIMessage } from 'ai'
import { isDevelopment, warnOnce } from '../../development.ts'
import { isRecord } from '../../message/tool-part.ts'
import {
  ownOf,
  toolOf,
  type ToolCall,
  type ToolCallContext,
  type ToolPluginOptions,
} from './options.ts'

/** Runs a call: its output, a promise of it, or what yields outputs. */
export type Execute = (call: ToolCall, abortSignal: AbortSignal) => unknown

/** What runs the calls of a tool: its own `execute`, else `callTool`. Throws when there is neither. */
export function executorOf<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  toolName: string,
  options: ToolPluginOptions<TOOLS, MESSAGE>,
  context: ToolCallContext<MESSAGE>,
): Execute {
  const { tools = {}, callTool, toolsContext } = options
  const tool = toolOf(options, toolName)
  if (tool?.execute) {
    const execute = tool.execute.bind(tool)
    return async ({ toolCallId, input }, abortSignal) => {
      const messages = await modelMessages(options, context)
      // Making them takes its time, in which the call may have ended.
      abortSignal.throwIfAborted()
      const details = { toolCallId, messages, abortSignal, context: ownOf(toolsContext, toolName) }
      return execute(input, details as Parameters<typeof execute>[1])
    }
  }
  if (callTool) {
    return (call, abortSignal) =>
      callTool(call, { abortSignal, customContext: context.customContext })
  }
  if (isDevelopment) {
    warnOnce(
      `The model called "${toolName}", which was never announced to it here: no such tool is in \`tools\`. Add it, or have the server not offer it.`,
    )
  }
  // One that is declared only never comes here: its calls wait for their outputs.
  throw new TypeError(
    `Unknown tool "${toolName}". Known tools: ${Object.keys(tools).join(', ') || 'none'}.`,
  )
}

/** The messages that tools and rules are given. */
export async function modelMessages<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  { toModelMessages }: ToolPluginOptions<TOOLS, MESSAGE>,
  { getState }: ToolCallContext<MESSAGE>,
): Promise<ModelMessage[]> {
  return (await toModelMessages?.(getState().messages)) ?? []
}

/**
 * Runs a tool to its end. Each yield of an async iterable is handed on as preliminary and the last
 * one again as final, as in the AI SDK; once the signal aborts none of that is. What any other tool
 * comes to is handed on whenever it comes.
 */
export async function executeCall<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  call: ToolCall,
  options: ToolPluginOptions<TOOLS, MESSAGE>,
  context: ToolCallContext<MESSAGE>,
  abortSignal: AbortSignal,
  handOn: (output: unknown, isPreliminary: boolean) => void,
): Promise<void> {
  // The turn may have ended in the callback that was told of the start.
  abortSignal.throwIfAborted()
  let output = await executorOf(call.toolName, options, context)(call, abortSignal)
  if (isAsyncIterable(output)) {
    let last: unknown
    for await (last of output) {
      if (abortSignal.aborted) return
      handOn(last, true)
    }
    output = last
  }
  handOn(output, false)
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return isRecord(value) && Symbol.asyncIterator in value
}
