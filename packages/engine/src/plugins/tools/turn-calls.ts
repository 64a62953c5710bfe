import type { UIMessage } from 'ai'
import { replaceToolCall, toolCallsOf, type ToolCallEntry } from '../../message/tool-calls.ts'
import {
  isAwaitingApproval,
  isSettled,
  toolNameOf,
  type ToolCallPart,
  type ToolCallRef,
} from '../../message/tool-part.ts'
import type { PluginContext } from '../../plugin.ts'
import type { ToolCall } from './options.ts'

/** The calls of the open turn that have no result yet, in call order. */
export function openCalls<MESSAGE extends UIMessage>(
  context: PluginContext<MESSAGE>,
): ToolCallEntry[] {
  return turnCalls(context).filter(({ part }) => !isSettled(part))
}

/** All calls of the open turn, in call order. */
export function turnCalls<MESSAGE extends UIMessage>({
  getState,
}: PluginContext<MESSAGE>): ToolCallEntry[] {
  const { messages, turn } = getState()
  const opening = turn?.userMessageId ?? turn?.assistantMessageId
  // From the end, so that the length of the history does not matter.
  const from = messages.findLastIndex(({ id }) => id === opening)
  return messages.slice(from).flatMap((message) => toolCallsOf(message))
}

/** Whether a decision of a person is missing in a list of calls. */
export function isAnyAwaiting(calls: readonly ToolCallEntry[]): boolean {
  return calls.some(({ part }) => isAwaitingApproval(part))
}

/** Changes the part of one call; nothing happens once the call's turn is over. */
export function changeCall<MESSAGE extends UIMessage>(
  context: PluginContext<MESSAGE>,
  ref: ToolCallRef,
  change: (part: ToolCallPart) => ToolCallPart,
): void {
  context.updateMessage(ref.messageId, (message) => replaceToolCall(message, ref, change))
}

/** The call as callbacks see it. */
export function toToolCall({ part, messageId, step, toolCallId }: ToolCallEntry): ToolCall {
  return { messageId, step, toolCallId, toolName: toolNameOf(part), input: part.input }
}
