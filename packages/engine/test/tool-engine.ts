import type { ToolSet, UIMessage } from 'ai'
import { createMessageEngine } from '../src/engine.ts'
import type { EngineError } from '../src/errors.ts'
import type { MessageEngine, MessageEngineOptions } from '../src/message-engine.ts'
import { isToolCallPart, type ToolCallPart } from '../src/message/tool-part.ts'
import type { ToolPluginOptions } from '../src/plugins/tools/options.ts'
import type { ResumeToolCallPayload } from '../src/plugins/tools/commands.ts'
import { toolPlugin } from '../src/plugins/tools/tool-plugin.ts'
import {
  scriptedTransport,
  untilState,
  type ScriptedTransport,
  type ScriptedTransportOptions,
} from '../src/testing/index.ts'

type Script = Parameters<typeof scriptedTransport>[0]

/** An engine with the tool plugin, and what tests look at. */
export interface ToolEngine {
  engine: MessageEngine
  transport: ScriptedTransport
  /** What was reported, in order. */
  errors: EngineError[]
  /** All tool calls of the conversation, in call order. */
  calls(): ToolCallPart[]
  /** The tool calls that request number `count` (from 1) carried. */
  sentCalls(count: number): ToolCallPart[]
  resume(payload: ResumeToolCallPayload): ReturnType<MessageEngine['runPluginCommand']>
  /** Resolves when the open turn is completed. */
  completed(): Promise<void>
}

/** Makes an engine whose answers are scripted and whose tools are the test's own. */
export function createToolEngine<TOOLS extends ToolSet = ToolSet>(
  script: Script,
  tools: ToolPluginOptions<TOOLS> = {},
  more: Partial<MessageEngineOptions> & ScriptedTransportOptions = {},
): ToolEngine {
  const { plugins = [], ...options } = more
  const transport = scriptedTransport(script, options)
  const errors: EngineError[] = []
  // A test may have one of its own in its place.
  const isGiven = plugins.some(({ name }) => name === 'tool')
  const engine = createMessageEngine({
    transport,
    // Tests are about asking where they say so.
    plugins: [
      ...(isGiven ? [] : [toolPlugin({ defaultApproval: 'approved', ...tools })]),
      ...plugins,
    ],
    onError: (error) => errors.push(error),
    ...options,
  })
  return {
    engine,
    transport,
    errors,
    calls: () => callsOf(engine.getState().messages),
    sentCalls: (count) => callsOf(transport.requests[count - 1]?.messages ?? []),
    resume: (payload) => engine.runPluginCommand('tool', 'resumeToolCall', payload),
    completed: async () => {
      await untilState(engine, ({ requestState }) => requestState === 'completed')
    },
  }
}

/** The tool calls of messages, in call order. */
export function callsOf(messages: readonly UIMessage[]): ToolCallPart[] {
  return messages.flatMap(({ parts }) => parts.filter(isToolCallPart))
}
