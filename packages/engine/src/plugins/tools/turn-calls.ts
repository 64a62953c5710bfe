import type { UIMessage } from 'ai'
import type { CallRecord } from '../../confirmation.ts'
import { EngineError } from '../../errors.ts'
import {
  findToolCall,
  refOf,
  replaceToolCall,
  toolCallsOf,
  type ToolCallEntry,
} from '../../message/tool-calls.ts'
import { changeMetadata } from '../../message/tool-part-states.ts'
import {
  isAwaitingApproval,
  isElsewhere,
  isSettled,
  isWaiting,
  toolCallStatus,
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

/** A call as it is now, if it is still there. */
export function callNow<MESSAGE extends UIMessage>(
  { getState }: PluginContext<MESSAGE>,
  ref: ToolCallRef,
): ToolCallEntry | undefined {
  const message = getState().messages.findLast(({ id }) => id === ref.messageId)
  return message && findToolCall(message, ref)
}

/** The calls of the open turn that wait for a person, for a decision or an output, in call order. */
export function waitingCalls<MESSAGE extends UIMessage>(
  context: PluginContext<MESSAGE>,
): ToolCallEntry[] {
  return openCalls(context).filter(({ part }) => isWaiting(part))
}

/** The calls of the open turn that wait for a person's decision, in call order. */
export function awaitingCalls<MESSAGE extends UIMessage>(
  context: PluginContext<MESSAGE>,
): ToolCallEntry[] {
  return openCalls(context).filter(({ part }) => isAwaitingApproval(part))
}

/** Whether a call of the turn is there to be decided or to be run here. */
export function isAnyToDo<MESSAGE extends UIMessage>(context: PluginContext<MESSAGE>): boolean {
  return openCalls(context).some(({ part }) => isUndecided(part) || isScheduled(part))
}

/** A local call that no rule was asked about yet. */
export function isUndecided(part: ToolCallPart): boolean {
  return !isElsewhere(part) && ['preparing', 'validating'].includes(toolCallStatus(part))
}

/** A local call that may run and does not yet. */
export function isScheduled(part: ToolCallPart): boolean {
  return !isElsewhere(part) && toolCallStatus(part) === 'scheduled'
}

/** What every record about a call says, of this moment. */
export function recordOf<MESSAGE extends UIMessage>(
  { generateId, conversationId, now }: PluginContext<MESSAGE>,
  call: ToolCallRef & Pick<CallRecord, 'toolName' | 'fingerprint'>,
): CallRecord {
  const { toolName, fingerprint } = call
  const time = now()
  // JSON has none but finite numbers, and a record without a time is none.
  const at = Number.isFinite(time) ? time : Date.now()
  return { ...refOf(call), id: generateId(), conversationId, toolName, fingerprint, at }
}

/** Changes the part of one call; nothing happens once the call's turn is over. */
export function changeCall<MESSAGE extends UIMessage>(
  context: PluginContext<MESSAGE>,
  ref: ToolCallRef,
  change: (part: ToolCallPart) => ToolCallPart,
): void {
  context.updateMessage(ref.messageId, (message) => replaceToolCall(message, ref, change))
}

/** Gives a call its result, and notes that it is to be sent. */
export function settleCall<MESSAGE extends UIMessage>(
  context: PluginContext<MESSAGE>,
  ref: ToolCallRef,
  settle: (part: ToolCallPart) => ToolCallPart,
): void {
  changeCall(context, ref, (part) => changeMetadata(settle(part), { endedAt: context.now() }))
  // In the same go: whoever finds the result must find that it is to be sent.
  context.markUnsent(refOf(ref))
}

/** Calls an observer; what it throws, now or later, is reported and changes nothing. */
export function observe<MESSAGE extends UIMessage>(
  context: PluginContext<MESSAGE>,
  callback: () => unknown,
): void {
  // An async function, so that both ways to fail are one; it runs at once up to its first await.
  void (async () => callback())().catch((cause: unknown) => {
    const message = 'A callback about a tool call threw; the call went on.'
    context.reportError(new EngineError('callback_failed', message, { cause }))
  })
}

/** The call as callbacks see it. */
export function toToolCall(entry: ToolCallEntry): ToolCall {
  const { part } = entry
  return { ...refOf(entry), toolName: toolNameOf(part), input: part.input }
}
