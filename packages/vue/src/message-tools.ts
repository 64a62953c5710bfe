import { EngineError, toolPlugin, type EnginePlugin, type ToolPluginOptions } from '@assent/engine'
import type { InferUITools, ToolSet, UIMessage } from 'ai'

/** Messages whose calls are typed by these tools, where they are known by name. */
export type MessageWithTools<
  MESSAGE extends UIMessage,
  TOOLS extends ToolSet,
> = string extends keyof TOOLS
  ? MESSAGE
  : MESSAGE extends UIMessage<infer METADATA, infer DATA>
    ? UIMessage<METADATA, DATA, InferUITools<TOOLS>>
    : never

/** Every option of the tool plugin, so that a new one cannot be forgotten here. */
const TOOL_OPTIONS = {
  tools: 0,
  knownTools: 0,
  callTool: 0,
  toolApproval: 0,
  defaultApproval: 0,
  shouldPauseToolCall: 0,
  gate: 0,
  durable: 0,
  onInterrupted: 0,
  onRestore: 0,
  announceTools: 0,
  toolOptions: 0,
  repeatLimits: 0,
  concurrency: 0,
  timeoutMs: 0,
  checkTimeoutMs: 0,
  abortGraceMs: 0,
  maxOutputLines: 0,
  maxOutputBytes: 0,
  redact: 0,
  toModelMessages: 0,
  runtimeContext: 0,
  toolsContext: 0,
  onToolCallStart: 0,
  onToolCallEnd: 0,
} satisfies Record<keyof ToolPluginOptions, 0>

/**
 * The plugins of a conversation: those that were given, and the tool plugin made of the options, unless it
 * is among them. Throws `invalid_argument` for options of the tool plugin beside one that is given.
 */
export function withToolPlugin<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  options: ToolPluginOptions<TOOLS, MESSAGE>,
  plugins: readonly EnginePlugin<MESSAGE>[] = [],
): readonly EnginePlugin<MESSAGE>[] {
  if (!plugins.some((plugin) => plugin?.name === 'tool')) {
    return [...plugins, toolPlugin({ announceTools: options.tools !== undefined, ...options })]
  }
  const [given] =
    Object.entries(options).find(([name, value]) => value !== undefined && name in TOOL_OPTIONS) ??
    []
  if (given === undefined) return plugins
  throw new EngineError(
    'invalid_argument',
    `useMessage was given the option ${given} and, in plugins, a toolPlugin: give ${given} to that toolPlugin, or leave it out, and useMessage makes one.`,
  )
}
