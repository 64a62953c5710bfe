import type { ToolSet, UIMessage } from 'ai'
import { isDevelopment } from '../../development.ts'
import { EngineError } from '../../errors.ts'
import { isEqualJson } from '../../message/json-equality.ts'
import { type ToolCallEntry, keyOf, refOf } from '../../message/tool-calls.ts'
import {
  type ToolCallRef,
  assentMetadata,
  isWaiting,
  toolCallStatus,
  toolNameOf,
} from '../../message/tool-part.ts'
import { type CallResult, boundResult, writeResult } from './call-result.ts'
import { goOn } from './decide-calls.ts'
import { assertHere, assertShown, findCall, isScheduled, isTarget, refusal } from './turn-calls.ts'
import { keptOutput } from './kept-outputs.ts'
import type { BoundedOutput } from './limits.ts'
import { type CommandScope, isUnstarted, openCallOf, phaseOf, withdrawTask } from './open-call.ts'

/**
 * Stops a call that runs here: its abort signal fires, and its result says at once that it may have
 * taken effect. One that is about to start never does.
 */
export function cancelToolCall<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  payload: unknown,
  scope: CommandScope<TOOLS, MESSAGE>,
): ToolCallRef {
  const reason = isTarget(payload) ? (payload['reason'] ?? '') : undefined
  if (!isTarget(payload) || typeof reason !== 'string') {
    throw new EngineError(
      'invalid_argument',
      isDevelopment && 'cancelToolCall takes a toolCallId, a messageId and a reason: texts.',
    )
  }
  const { toolCallId } = payload
  const { context, runtime } = scope
  const entry = findCall(
    context,
    payload,
    ({ part }) => toolCallStatus(part) === 'executing' || isScheduled(part),
  )
  const { part } = entry
  assertHere(part, payload)
  assertShown(part, payload)
  const call = openCallOf(runtime, entry)
  const stop = phaseOf(call, part) === 'running' ? call.task?.stop : undefined
  if (!stop && !isUnstarted(runtime, entry)) {
    throw refusal('not_running', `Tool call is not running: ${toolCallId}`, payload)
  }
  const why = stop
    ? 'Cancelled while it ran; it may have taken effect.'
    : 'Cancelled before it started; it did not run.'
  const errorText = reason === '' ? why : `${why} Reason: ${reason}`
  if (stop) stop(new DOMException(errorText, 'AbortError'), 'cancelled')
  else {
    const result = { errorText }
    const bounded = boundResult(scope, toolNameOf(part), result)
    withdrawTask(runtime, call)
    writeResult(scope, entry, result, bounded, { ended: 'cancelled', startedAt: undefined })
  }
  goOn(scope)
  return refOf(entry)
}

/**
 * Answers a call that has not started in place of its tool. Checked and written in one go, so that
 * a tool which has started meanwhile is not answered for; the same answer again changes nothing.
 */
export function submitToolOutput<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  payload: unknown,
  scope: CommandScope<TOOLS, MESSAGE>,
): ToolCallRef {
  const result = isTarget(payload) ? readResult(payload) : undefined
  if (!isTarget(payload) || !result) {
    throw new EngineError(
      'invalid_argument',
      isDevelopment &&
        'submitToolOutput takes a toolCallId, a messageId, and either an output or an errorText.',
    )
  }
  const { context, runtime } = scope
  const { toolCallId } = payload
  const isAnswerable = (entry: ToolCallEntry) =>
    isWaiting(entry.part) || isUnstarted(runtime, entry)
  const call = findCall(context, payload, isAnswerable)
  const { part } = call
  assertHere(part, payload)
  const { submitted } = assentMetadata(part)
  if (!submitted) assertShown(part, payload)
  if (submitted || isAnswerable(call)) {
    const bounded = boundResult(scope, toolNameOf(part), result)
    if (!submitted) {
      withdrawTask(runtime, openCallOf(runtime, call))
      writeResult(scope, call, result, bounded, {
        submitted: true,
        decidedBy: 'person',
        decidedAt: context.now(),
        startedAt: undefined,
      })
      goOn(scope)
    }
    if (!submitted || isSame(scope, call, result, bounded)) return refOf(call)
  }
  const text = `Tool call has started or is settled, so nobody can answer for it: ${toolCallId}`
  throw refusal('not_awaiting_output', text, payload)
}

function readResult({ output, errorText }: Record<string, unknown>): CallResult | undefined {
  if (errorText === undefined) return output === undefined ? undefined : { output }
  return output === undefined && typeof errorText === 'string' ? { errorText } : undefined
}

/** Whether a call was answered so before. */
function isSame<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  { context }: CommandScope<TOOLS, MESSAGE>,
  call: ToolCallEntry,
  { errorText }: CallResult,
  { output, whole }: BoundedOutput,
): boolean {
  const { part } = call
  const stored = errorText === undefined ? part.output : part.errorText
  return isEqualJson(stored, output) && keptOutput(context.engineKey, keyOf(call)) === whole
}
