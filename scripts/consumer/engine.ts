// A user's program; compiled against the published engine, never run.
import { EngineError, isEngineError, type MessageEngine, type ToolCallRef } from '@assent/engine'

/** The command's types come from an augmentation; without it the result would be unknown. */
export async function approve(engine: MessageEngine, toolCallId: string): Promise<ToolCallRef> {
  const answer = await engine.runPluginCommand('tool', 'resumeToolCall', { toolCallId })
  if (!answer.success) throw answer.error
  const { messageId, step }: ToolCallRef = answer.result
  return { messageId, step, toolCallId }
}

/** A command of a plugin that is not known here. */
export async function runOther(engine: MessageEngine): Promise<unknown> {
  const answer = await engine.runPluginCommand('mine', 'doIt', { any: 'thing' })
  if (answer.success) return answer.result
  return answer.error instanceof EngineError ? answer.error.code : isEngineError(answer.error)
}
