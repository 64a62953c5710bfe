import type { UIMessage } from 'ai'
import { EngineError, type EngineErrorCode } from '../../errors.ts'
import { keyOf, toolCallsOf, type ToolCallEntry } from '../../message/tool-calls.ts'
import {
  isElsewhere,
  isRecord,
  toolNameOf,
  type ToolCallPart,
  type ToolCallRef,
} from '../../message/tool-part.ts'
import type { PluginContext } from '../../plugin.ts'
import type { ToolCallTarget } from './commands.ts'
import { fingerprintOf } from './fingerprint.ts'
import { openCalls, turnCalls } from './turn-calls.ts'

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
  const text = `The call changed since it was shown, so nothing was done. Look at it again: ${target.toolCallId}`
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
  const text = `Several calls of this turn have the id ${target.toolCallId}: give the step of the one that is meant, too, and its messageId.`
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
