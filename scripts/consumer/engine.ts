// A user's program; compiled against the published engine, never run.
import {
  createMessageEngine,
  EngineError,
  httpTransport,
  isEngineError,
  toolPlugin,
  type MessageEngine,
  type ToolCallRef,
} from '@assent/engine'
import { jsonSchema, tool } from 'ai'

const writeNote = tool({
  description: 'Writes a note.',
  inputSchema: jsonSchema<{ title: string }>({ type: 'object' }),
  execute: ({ title }) => `Wrote ${title}`,
})

export const engine: MessageEngine = createMessageEngine({
  transport: httpTransport({ api: '/api/chat' }),
  plugins: [
    toolPlugin({
      tools: { writeNote },
      toolApproval: { writeNote: 'user-approval' },
      toolOptions: { writeNote: { summary: ({ title }) => `Write “${title}”`, risk: 'write' } },
    }),
  ],
})

/** The command's types come from an augmentation; without it the result would be unknown. */
export async function approve(toolCallId: string): Promise<ToolCallRef> {
  const answer = await engine.runPluginCommand('tool', 'resumeToolCall', { toolCallId })
  if (!answer.success) throw answer.error
  const { messageId, step }: ToolCallRef = answer.result
  return { messageId, step, toolCallId }
}

/** A command of a plugin that is not known here. */
export async function runOther(): Promise<unknown> {
  const answer = await engine.runPluginCommand('mine', 'doIt', { any: 'thing' })
  if (answer.success) return answer.result
  return answer.error instanceof EngineError ? answer.error.code : isEngineError(answer.error)
}

// @ts-expect-error -- a plugin with commands needs a name
createMessageEngine({ transport: httpTransport(), plugins: [{ commands: { run: () => 1 } }] })
