import type { Tool, ToolSet, UIMessage } from 'ai'
import type { ToolCall, ToolCallContext, ToolPluginOptions } from './options.ts'

/** What can run a call: the tool of that name, `callTool`, or nothing. */
export type Executor =
  | { type: 'tool'; tool: Tool; execute: NonNullable<Tool['execute']> }
  | { type: 'callTool'; tool: Tool | undefined }
  | { type: 'none'; text: string }

export function executorOf<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  toolName: string,
  { tools, callTool }: ToolPluginOptions<TOOLS, MESSAGE>,
): Executor {
  const tool: Tool | undefined =
    tools && Object.hasOwn(tools, toolName) ? tools[toolName] : undefined
  if (tool?.execute) return { type: 'tool', tool, execute: tool.execute.bind(tool) }
  if (callTool) return { type: 'callTool', tool }
  const text = tool
    ? `Tool "${toolName}" cannot run: it has no execute, and no callTool was given.`
    : `Unknown tool "${toolName}". Known tools: ${Object.keys(tools ?? {}).join(', ') || 'none'}.`
  return { type: 'none', text }
}

/** What a tool is run with. */
export interface ExecuteScope<TOOLS extends ToolSet, MESSAGE extends UIMessage> {
  readonly executor: Exclude<Executor, { type: 'none' }>
  readonly options: ToolPluginOptions<TOOLS, MESSAGE>
  readonly context: ToolCallContext<MESSAGE>
  readonly abortSignal: AbortSignal
}

/**
 * Runs a tool to its end. Each yield of an async iterable is handed on as preliminary and the last
 * one again as final, as in the AI SDK; once the signal aborts nothing is handed on any more.
 */
export async function executeCall<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  call: ToolCall,
  scope: ExecuteScope<TOOLS, MESSAGE>,
  handOn: (output: unknown, isPreliminary: boolean) => void,
): Promise<void> {
  const { abortSignal } = scope
  // The turn may have ended in the callback that was told of the start.
  abortSignal.throwIfAborted()
  let output = await start(call, scope)
  if (isAsyncIterable(output)) {
    let last: unknown
    for await (last of output) {
      if (abortSignal.aborted) return
      handOn(last, true)
    }
    output = last
  }
  if (!abortSignal.aborted) handOn(output, false)
}

async function start<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  call: ToolCall,
  { executor, options, context, abortSignal }: ExecuteScope<TOOLS, MESSAGE>,
): Promise<unknown> {
  const { customContext } = context
  if (executor.type === 'callTool') return options.callTool?.(call, { abortSignal, customContext })
  const { toolsContext = {}, toModelMessages } = options
  const messages = (await toModelMessages?.(context.getState().messages)) ?? []
  // Making them takes its time, in which the call may have ended.
  abortSignal.throwIfAborted()
  const details = {
    toolCallId: call.toolCallId,
    messages,
    abortSignal,
    context: Object.hasOwn(toolsContext, call.toolName) ? toolsContext[call.toolName] : undefined,
  }
  return executor.execute(call.input, details as Parameters<typeof executor.execute>[1])
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value
}
