import type { UIMessage } from 'ai'
import type { CallRecord } from '../../confirmation.ts'
import { EngineError, type EngineErrorCode } from '../../errors.ts'
import {
  findToolCall,
  keyOf,
  refOf,
  replaceToolCall,
  toolCallsOf,
  type ToolCallEntry,
} from '../../message/tool-calls.ts'
import { changeMetadata } from '../../message/tool-part-states.ts'
import {
  isAwaitingApproval,
  isElsewhere,
  isRecord,
  isSettled,
  isWaiting,
  toolCallStatus,
  toolNameOf,
  type ToolCallPart,
  type ToolCallRef,
} from '../../message/tool-part.ts'
import type { PluginContext } from '../../plugin.ts'
import type { ToolCallTarget } from './commands.ts'
import { fingerprintOf } from './fingerprint.ts'

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
  { getMessage }: PluginContext<MESSAGE>,
  ref: ToolCallRef,
): ToolCallEntry | undefined {
  const message = getMessage(ref.messageId)
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

/** Whether a payload names a call. */
export function isTarget(payload: unknown): payload is ToolCallTarget & Record<string, unknown> {
  if (!isRecord(payload)) return false
  const { toolCallId, messageId = '', step = 0, fingerprint = '' } = payload
  const areTexts = [toolCallId, messageId, fingerprint].every((text) => typeof text === 'string')
  return areTexts && typeof step === 'number'
}

/** Whether a call is the one that a payload names. */
export function isNamed(
  call: ToolCallRef,
  { toolCallId, messageId, step }: ToolCallTarget,
): boolean {
  return (
    call.toolCallId === toolCallId &&
    (messageId ?? call.messageId) === call.messageId &&
    (step ?? call.step) === call.step
  )
}

/**
 * Names what a person was shown of a call, for commands on it: SHA-256, in hex, of the canonical JSON
 * (RFC 8785) of its tool and input.
 */
export function fingerprintOfCall(part: ToolCallPart): string {
  return fingerprintOf(toolNameOf(part), part.input)
}

/** Throws `call_changed` when what was shown of a call is not what it is now. */
export function assertShown(part: ToolCallPart, target: ToolCallTarget): void {
  if (target.fingerprint === undefined || target.fingerprint === fingerprintOfCall(part)) return
  const text = `The call changed since it was shown, so nothing was done; look again: ${target.toolCallId}`
  throw refusal('call_changed', text, target)
}

/**
 * Throws `invalid_argument` for a payload that several calls of the open turn answer to: providers use
 * an id again in the next step.
 */
export function assertOne<MESSAGE extends UIMessage>(
  context: PluginContext<MESSAGE>,
  target: ToolCallTarget,
): void {
  if (target.fingerprint !== undefined) return
  const calls = turnCalls(context).filter((call) => isNamed(call, target))
  if (new Set(calls.map(keyOf)).size < 2) return
  const steps = calls.map(({ messageId, step }) => ({ messageId, step }))
  const text = `Several calls of this turn have the id ${target.toolCallId}: give messageId and step, too.`
  throw refusal('invalid_argument', text, target, { steps })
}

/**
 * The call that a payload names: an open one that is wanted, else the latest one, which the caller
 * refuses. Throws `unknown_tool_call`.
 */
export function findCall<MESSAGE extends UIMessage>(
  context: PluginContext<MESSAGE>,
  target: ToolCallTarget,
  isWanted: (entry: ToolCallEntry) => boolean = () => false,
): ToolCallEntry {
  assertOne(context, target)
  const open = openCalls(context).find((call) => isNamed(call, target) && isWanted(call))
  const call = open ?? latestCall(context, target)
  if (call) return call
  throw unknownCall(target)
}

/** The latest call that a payload names, whatever became of it. */
export function latestCall<MESSAGE extends UIMessage>(
  { getState }: PluginContext<MESSAGE>,
  target: ToolCallTarget,
): ToolCallEntry | undefined {
  const calls = getState().messages.flatMap((message) => toolCallsOf(message))
  return calls.findLast((call) => isNamed(call, target))
}

/** There is no call that a payload names. */
export function unknownCall(target: ToolCallTarget): EngineError {
  return refusal('unknown_tool_call', `No such tool call: ${target.toolCallId}`, target)
}

/** Throws `executed_elsewhere` for a call that can only be decided here. */
export function assertHere(part: ToolCallPart, target: ToolCallTarget): void {
  if (!isElsewhere(part)) return
  const text = `Tool call is executed elsewhere; it can be approved or denied only: ${target.toolCallId}`
  throw refusal('executed_elsewhere', text, target)
}

/** Why a command about a call is refused. */
export function refusal(
  code: EngineErrorCode,
  message: string | false,
  { toolCallId }: ToolCallTarget,
  details: Readonly<Record<string, unknown>> = {},
): EngineError {
  return new EngineError(code, message, { details: { toolCallId, ...details } })
}
