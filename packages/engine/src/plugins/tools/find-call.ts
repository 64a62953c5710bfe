import type { UIMessage } from 'ai'
import { EngineError, type EngineErrorCode } from '../../errors.ts'
import { toolCallsOf, type ToolCallEntry } from '../../message/tool-calls.ts'
import { isRecord, type ToolCallPart } from '../../message/tool-part.ts'
import type { PluginContext } from '../../plugin.ts'
import type { ToolCallTarget } from './commands.ts'
import { openCalls } from './turn-calls.ts'

/** Whether a payload names a call. */
export function isTarget(payload: unknown): payload is ToolCallTarget & Record<string, unknown> {
  if (!isRecord(payload)) return false
  const { toolCallId, messageId = '' } = payload
  return typeof toolCallId === 'string' && typeof messageId === 'string'
}

/**
 * The call that a payload names: an open one that is wanted, else the latest one, which the caller
 * refuses. Throws `unknown_tool_call`.
 */
export function findCall<MESSAGE extends UIMessage>(
  context: PluginContext<MESSAGE>,
  target: ToolCallTarget,
  isWanted: (part: ToolCallPart) => boolean = () => false,
): ToolCallEntry {
  const { toolCallId, messageId } = target
  const isNamed = (call: ToolCallEntry) =>
    call.toolCallId === toolCallId && (messageId ?? call.messageId) === call.messageId
  const open = openCalls(context).find((call) => isNamed(call) && isWanted(call.part))
  if (open) return open
  const calls = context.getState().messages.flatMap((message) => toolCallsOf(message))
  const call = calls.findLast(isNamed)
  if (call) return call
  throw refusal('unknown_tool_call', `No such tool call: ${toolCallId}`, target)
}

/** Why a command about a call is refused. */
export function refusal(
  code: EngineErrorCode,
  message: string,
  { toolCallId }: ToolCallTarget,
): EngineError {
  return new EngineError(code, message, { details: { toolCallId } })
}
